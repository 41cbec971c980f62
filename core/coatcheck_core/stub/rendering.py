"""The typed style: header and Explore whole, the sections between as far as the cap allows."""

from coatcheck_core.settings.model import RetrievalSettings, StubSettings
from coatcheck_schemas.synopsis import CodeFacts

from .beside import encoding_lines, gave_up_lines, part_lines
from .escaping import NAME_CHARS, one_line
from .facts import fact_lines
from .sample import sample_lines
from .subject import StubSubject
from .words import Words, words

_SHA256_CHARS = 16
_REF_CHARS = 300
_NAME_AT_LEAST = 40
_BESIDE_NAME = 250
"""A tool's name over its least gives way to Explore in short, and to what says what is left out."""


def render_typed(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> str:
    """The stub's text, at most `stub.max_chars` long; it depends on the arguments alone.

    The header's fields and Explore survive whole. Where the cap leaves no room for them, Explore is said in short, and
    the tool's name is cut. What else the cap leaves out is said.
    """
    language = words(stub.language)
    header = _header(subject, stub, language)
    room = _room_for_explore(header, stub, language)
    explore = _explore(subject, retrieval, language, room, names_lines=_names_lines(subject))
    missing = [language.explore] if subject.retrieval and not explore else []
    body = _body(subject, stub, language, stub.max_chars - len(header) - len(explore), missing)
    return (header + body + explore).removesuffix("\n")


def shortest_typed(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> str:
    """What of a result's stub stands in it whatever its synopsis says, which is not looked at: all stubs are longer."""
    language = words(stub.language)
    header = _header(subject, stub, language)
    return header + _explore(subject, retrieval, language, _room_for_explore(header, stub, language))


def _room_for_explore(header: str, stub: StubSettings, language: Words) -> int:
    """It leaves as much as it takes to say that all else is left out."""
    return stub.max_chars - len(header) - len(_rest_notice(language))


def _header(subject: StubSubject, stub: StubSettings, language: Words) -> str:
    if subject.original_chars is None:
        size = f"original_bytes: {subject.original_bytes}"
    else:
        size = f"original_chars: {subject.original_chars}"
    above = "[Coatcheck: tool result offloaded]\ntool_name: "
    below = (
        f"\nkind: {subject.synopsis.kind}\n{size}\npreview_chars: {stub.preview_chars}"
        f"\nref: {one_line(subject.ref, _REF_CHARS)}"
        f"\nsha256: {subject.sha256[:_SHA256_CHARS]}\nreason: {subject.reason}\n"
    )
    left = stub.max_chars - len(above) - len(below)
    most = max(left - _BESIDE_NAME, min(_NAME_AT_LEAST, left - len(_rest_notice(language))))
    return above + one_line(subject.tool_name, max(1, min(NAME_CHARS, most))) + below


def _names_lines(subject: StubSubject) -> bool:
    facts = subject.synopsis.facts
    return isinstance(facts, CodeFacts) and bool(facts.symbol_lines or facts.member_lines)


def _explore(
    subject: StubSubject, retrieval: RetrievalSettings, language: Words, room: int, *, names_lines: bool = False
) -> str:
    """The three tools with the ref; the short form where the long one has no room, and none where that has none.

    Before all that the original cannot be read yet, where that is so: an agent that has no tools is told as well.
    """
    pending = [language.not_stored] if subject.reason == "store_failure" else []
    if not subject.retrieval:
        return _section(language.notable, [f"- {line}" for line in pending])
    search, read, listing = (
        one_line(name) for name in (retrieval.search_tool, retrieval.read_tool, retrieval.list_tool)
    )
    long = [
        language.explore_search.format(tool=search, ref=subject.ref),
        (language.explore_read if subject.is_text else language.explore_read_bytes).format(tool=read, ref=subject.ref),
        language.explore_list.format(tool=listing),
    ]
    by_lines = [long[0], language.explore_read_lines.format(read=long[1]), long[2]] if names_lines else long
    short = [language.explore_short.format(search=search, read=read, list=listing)]
    for lines in (by_lines, long, short):
        section = _section(language.explore, [f"- {line}" for line in [*pending, *lines]])
        if len(section) <= room:
            return section
    return ""


def size(subject: StubSubject, language: Words) -> str:
    """How long the original is, as it is counted."""
    if subject.original_chars is None:
        return language.size_bytes.format(n=subject.original_bytes)
    return language.size_text.format(n=subject.original_chars)


def _section(title: str, lines: list[str]) -> str:
    """With the blank line above it; empty where it has no content."""
    return "\n" + "\n".join([f"{title}:", *lines]) + "\n" if lines else ""


def _body(subject: StubSubject, stub: StubSettings, language: Words, room: int, missing: list[str]) -> str:
    """`missing` are the titles of other sections that had no room."""
    facts = fact_lines(subject.synopsis, stub.language)
    facts.synopsis.insert(0, language.incomplete.format(size=size(subject, language)))
    facts.synopsis += encoding_lines(subject, language)
    notable = [
        *gave_up_lines(subject, language),
        *([language.tool_error] if subject.is_error else []),
        *facts.notable,
        *part_lines(subject.parts, language),
    ]
    by_priority = {language.synopsis: facts.synopsis, language.notable: notable, language.structure: facts.structure}
    sections = {title: [f"- {line}" for line in lines] for title, lines in by_priority.items()}
    preview = _Preview(subject, language, stub)
    done = {title: _section(title, lines) for title, lines in sections.items()}
    done[language.sample] = preview.section(room - _length(done))
    if not missing and _length(done) <= room and (done[language.sample] or not preview.exists):
        return _in_order(done, language)
    return _cut_body(sections, preview, language, room, missing)


def _cut_body(
    sections: dict[str, list[str]], preview: "_Preview", language: Words, room: int, missing: list[str]
) -> str:
    """Synopsis before all, then what is notable, then the structure; the sample has what they leave."""
    room_for_all, room = room, room - len(_cut_notice([*sections, language.sample, *missing], language))
    if room < 0:
        rest = _rest_notice(language)
        return rest if len(rest) <= room_for_all else ""
    done: dict[str, str] = {}
    for title, lines in sections.items():
        done[title] = _fit(title, lines, room - _length(done), language)
    done[language.sample] = preview.section(room - _length(done))
    wanted = [title for title, lines in sections.items() if lines] + [language.sample] * preview.exists
    missing = [title for title in wanted if not done[title]] + missing
    return _in_order(done, language) + (_cut_notice(missing, language) if missing else "")


class _Preview:
    """The sample of a subject, for any room."""

    def __init__(self, subject: StubSubject, language: Words, stub: StubSettings) -> None:
        self._subject, self._language, self._preview_chars = subject, language, stub.preview_chars
        self.exists = bool(sample_lines(subject, language, stub.preview_chars, stub.max_chars))

    def section(self, room: int) -> str:
        title = self._language.sample
        room -= len(_section(title, [""]))
        return _section(title, sample_lines(self._subject, self._language, self._preview_chars, room))


def _length(sections: dict[str, str]) -> int:
    return sum(map(len, sections.values()))


def _in_order(sections: dict[str, str], language: Words) -> str:
    order = (language.synopsis, language.structure, language.notable, language.sample)
    return "".join(sections[title] for title in order)


def _cut_notice(titles: list[str], language: Words) -> str:
    return f"\n{language.cut.format(titles=', '.join(titles))}\n"


def _rest_notice(language: Words) -> str:
    return _cut_notice([language.all_else], language)


def _fit(title: str, lines: list[str], room: int, language: Words) -> str:
    """As many lines as there is room for, and how many are left out; empty where not one fits."""
    section = _section(title, lines)
    if len(section) <= room:
        return section
    for kept in range(len(lines) - 1, 0, -1):
        section = _section(title, [*lines[:kept], f"- {language.left_out.format(n=len(lines) - kept)}"])
        if len(section) <= room:
            return section
    return ""
