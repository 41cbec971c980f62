"""How elements stand in a text that a parser has accepted, up to a place at least: who is below whom, and how many."""

import re
from collections import Counter
from itertools import compress

import msgspec

from coatcheck_core.synopsis.effort import Step

from .finding import OPEN, Constructs, next_tag
from .grammar import START_TAG, is_empty
from .runs import LEAST_ALIKE, Runs
from .tags import END, START, TagReader, Tags, read_tags

_MAX_FIRSTS = (0, 30, 8)
"""Of how many tags of a depth the first element is noted."""
MAX_TAGS = 100_000
"""Distinct tags of one level that are told apart: a dictionary of more would outgrow the text."""
_FORM = re.compile(rb"<([^\s/>]++[\s/>])")
_MAX_FORMS = 12
"""More are not looked for one by one."""
_AT_DEPTH = tuple(bytes(int(byte == depth) for byte in range(256)) for depth in range(3))


class Level(msgspec.Struct):
    """The elements right below one, by tag in order of appearance, and the first of some tags.

    They are in one of the name `of`. `forms` are how the start tags begin that were met, with the character behind the
    name. `alike` is the name of all in the last block, if there were enough.
    """

    of: bytes

    counts: Counter[bytes] = msgspec.field(default_factory=Counter)
    firsts: dict[bytes, "First"] = {}
    forms: list[bytes] = []
    alike: bytes = b""


class First(msgspec.Struct, frozen=True):
    """The first element of a tag: where its start tag is, and what it has inside, where that was read."""

    at: int
    level: Level | None = None


class Content(msgspec.Struct, frozen=True):
    """What is in an element; `elements` counts them in whatever depth, `end` is behind its end tag, `OPEN` without one.

    `open_level` is what is in the last element right below it, if that is the first of its tag and not closed.
    """

    level: Level
    elements: int
    end: int = OPEN
    open_level: Level | None = None


class Root(msgspec.Struct, frozen=True):
    """The root element, from `at` to `end`; `level` is None for an empty-element tag, `elements` counts itself, too."""

    tag: bytes
    at: int
    end: int
    level: Level | None
    elements: int


def read_root(data: bytes, at: int, end: int, step: Step) -> Root:
    """Of a document that begins there and is closed before the end."""
    start = START_TAG.match(data, at, end)
    if start is None:
        raise AssertionError("a parser has read a start tag there")
    if is_empty(start):
        return Root(start[1], at, start.end(), None, 1)
    content = read_content(data, start.end(), end, step, start[1], trusting=True)
    if content.end == OPEN or next_tag(data, content.end, end, step) != OPEN:
        content = read_content(data, start.end(), end, step, start[1])
    return Root(start[1], at, content.end, content.level, content.elements + 1)


def read_content(data: bytes, at: int, end: int, step: Step, above: bytes = b"", *, trusting: bool = False) -> Content:
    """From there up to the end tag of the element that is open there, of the name `above`, or to the end.

    Where `trusting` was wrong, that is found too early: there are more tags behind it.
    """
    reader, runs = TagReader(data, at, end, step, trusting=trusting), Runs(data, end, step)
    level, inner, elements, depth = Level(above), None, 0, 1
    while (tags := reader.read()) is not None:
        depths = tags.depths(depth)
        closed = depths.find(0)
        count = len(tags.pieces) if closed < 0 else closed - 1
        elements += count - tags.steps.count(END, 0, count)
        inner = _take(level, inner, tags, depths[: count + 1])
        if closed >= 0:
            return Content(level, elements, end=data.find(b">", tags.position(count), end) + 1)
        depth += tags.change
        here, around = (1, level) if inner is None else (2, inner)
        last = depths.rfind(here, 1)
        if around.alike and last > 0 and tags.is_bare and runs.is_due():
            is_above = around.alike in (above, around.of)
            run = runs.skip(tags.end_of(data, last - 1), around.alike, is_above=is_above)
            if run.siblings:
                rest = tags.steps[last:]
                around.counts[around.alike] += run.siblings - bool(rest)
                elements += run.elements - len(rest) + rest.count(END)
                reader.at, depth = run.end, here
    return Content(level, elements, open_level=inner)


def _take(level: Level, inner: Level | None, tags: Tags, depths: bytes) -> Level | None:
    """Count what stands at depth 1, and at 2 in the firsts; the inner level is that of one open before, and behind."""
    count = len(depths) - 1
    if inner is not None:
        behind = depths.find(1)
        _count(inner, tags, depths[: behind if behind >= 0 else count], 0, 2)
        inner = inner if behind < 0 else None
    for tag, number in _count(level, tags, depths[:count], 0, 1):
        if tags.steps[number] == START:
            below = Level(tag)
            level.firsts[tag] = First(tags.position(number), below)
            behind = depths.find(1, number + 1)
            _count(below, tags, depths[number + 1 : behind if behind >= 0 else count], number + 1, 2)
            inner = below if behind < 0 else inner
    return inner


def _count(level: Level, tags: Tags, depths: bytes, start: int, depth: int) -> list[tuple[bytes, int]]:
    """Of the tags from `start` on those at that depth; which are the first of theirs, as far as these are noted."""
    here = depths.translate(_AT_DEPTH[depth])
    if not here.count(1):
        return []
    stop = start + len(depths)
    pieces = list(compress(tags.pieces[start:stop], here))
    joined = b"<" + b"<".join(pieces)
    # The last may be the end tag of the element that all these are in.
    if _count_known(level, joined, len(pieces) - pieces[-1].startswith(b"/")):
        return []
    forms = _FORM.findall(joined)
    new = _new(level, forms, _MAX_FIRSTS[depth])
    _add(level, forms)
    if not new:
        return []
    numbers = list(compress(range(start, stop), here))
    firsts = [(form[:-1], numbers[forms.index(form)]) for form in new]
    level.firsts.update({name: First(tags.position(number)) for name, number in firsts})
    return firsts


def _count_known(level: Level, joined: bytes, expected: int) -> bool:
    """Whether all are of known forms, and so counted."""
    found = [joined.count(b"<" + form) for form in level.forms]
    level.alike = b""
    if sum(found) != expected:
        return False
    if expected >= LEAST_ALIKE and expected in found:
        level.alike = level.forms[found.index(expected)][:-1]
    for form, count in zip(level.forms, found, strict=True):
        level.counts[form[:-1]] += count
    return True


def _new(level: Level, forms: list[bytes], limit: int) -> list[bytes]:
    """Those whose elements are to be noted as the first of their tag."""
    room = limit - len(level.firsts)
    new: dict[bytes, bytes] = {}
    for form in dict.fromkeys(forms) if room else ():
        if form[:-1] not in level.counts and len(new) < room:
            new.setdefault(form[:-1], form)
    return list(new.values())


def _add(level: Level, forms: list[bytes]) -> None:
    names = [form[:-1] for form in forms]
    if len(level.counts) + len(names) <= MAX_TAGS:
        level.counts.update(names)
    else:
        for name in names:
            if name in level.counts or len(level.counts) < MAX_TAGS:
                level.counts[name] += 1
    if len(level.counts) <= _MAX_FORMS:
        known = list(dict.fromkeys([*level.forms, *forms]))
        level.forms = known if len(known) <= _MAX_FORMS else []


def count_elements(data: bytes, at: int, end: int, step: Step) -> int:
    """Every element that begins there, in whatever depth."""
    return sum(len(tags.steps) - tags.steps.count(END) for tags in read_tags(data, at, end, step))


def open_tags(data: bytes, at: int, end: int, step: Step) -> list[bytes]:
    """The tags of the elements that begin there and are open at the end, outermost first: see `name_of`."""
    opened: list[bytes] = []
    for tags in read_tags(data, at, end, step):
        same: dict[bytes, bytes] = {}
        for piece, what in zip(tags.pieces, tags.steps, strict=True):
            if what == START:
                opened.append(same.setdefault(piece, piece))
            elif what == END and opened:  # with nothing open it ends the root, or nothing that was begun
                opened.pop()
    return opened


def name_of(piece: bytes) -> bytes:
    """Of a start tag without its `<`."""
    form: bytes = _FORM.findall(b"<" + piece)[0]
    return form[:-1]


def last_whole(data: bytes, at: int, end: int, step: Step) -> int:
    """Where the tag or construct begins that is not closed at `end`; `end` where there is none."""
    for start, behind in Constructs(data, end, step).between(at):
        if behind == OPEN:
            return start
        at = behind
    last = data.rfind(b"<", at, end)
    is_whole = last < 0 or START_TAG.match(data, last, end) or (data.startswith(b"</", last) and b">" in data[last:end])
    return end if is_whole else last
