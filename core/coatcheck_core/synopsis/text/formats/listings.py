"""Listings of places: what `grep -n` found, paths, and trees."""

import re

from coatcheck_core.synopsis.blocks import found_in
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

from .counting import Tally, filled_lines, text
from .probe import Format, Probe

_SHOWN = 8
_GREP = re.compile(r"(?:[^\s:][^:\n]{0,250}?)[:\-](?P<line>\d{1,7})[:\-](?!\d\d\b)|--$|Binary file .{1,300} matches$")
_GREP_FILE = re.compile(
    r"(?:[\w.@+~/-]{1,250}/)?[\w.@+~-]{1,120}:\d{1,7}:(?!\d+:\s*(?:error|warning|note|fatal)\b)(?!\d{2}\b)"
)
_PATH = re.compile(r"(?:\.{0,2}/|~/)?[^\s:;,=(){}<>|\"'`*?]+(?:/[^:;,=(){}<>|\"'`*?\n]*)*$")
_FOLDER = re.compile(r"[^\s:\"'][^:\"'\n]{0,300}:$")
_BRANCH = re.compile(r"[\s│|]*(?:├|└|\+|`|\||\\)(?:──|--|─┬)")
_ENTRY = re.compile(r"[-dlbcpsD?][-rwxsStTlL?]{9}[.+@]?\s")
_FOUND_ENTRY = re.compile(rb"\n[-dlbcpsD?][-rwxsStTlL?]{9}[.+@]?[ \t][^\n]*[^ \n]")
_ITSELF = re.compile(rb" \.{1,2}/?\r?\Z")
_LEAST_ENTRIES = 3
_FOUND_FILE = re.compile(rb"\n([^\s:][^:\n]{0,250}):\d{1,7}:")
_FOUND_FOLDER = re.compile(rb"\n([^\s:][^:\n]{0,250}):\r?(?=\n)")
_FOUND_TOP = re.compile(rb"\n((?:\.{0,2}/)?[^/\n]{1,100}+/)")
_FOUND_ENDING = re.compile(rb"(\.(?<=[^/\s]\.)[A-Za-z0-9]{1,8}+)\r?(?=\n|\Z)")


def is_grep(probe: Probe) -> bool:
    """`path:line:text` in nearly each line, and a path that looks like one in most."""
    if len(probe.bare) < 2 or not probe.mostly(_GREP, 0.85):
        return False
    return probe.mostly(_GREP_FILE, 0.5)


def is_found(line: str) -> bool:
    """A line that grep found."""
    return _GREP_FILE.match(line) is not None


def grep_details(seen: Seen) -> list[Detail]:
    """How many lines were found in how many files, and where most of them are."""
    files = Tally()
    for window in seen.windows():
        files.add(found_in(window, _FOUND_FILE))
    found = files.counts.total()
    exact = [] if files.is_cut else [Detail(name="matching lines", count=found)]
    return [*exact, *files.detail("files, by matching lines", _SHOWN)]


def is_paths(probe: Probe) -> bool:
    """A path in each line, most of them with a folder; no sentence."""
    if len(probe.bare) < 3 or not probe.mostly(_PATH, 0.95):
        return False
    folders = sum("/" in line.strip().rstrip("/") for line in probe.bare)
    return folders >= 0.6 * len(probe.bare) and sum(" " in line.strip() for line in probe.bare) <= 0.1 * len(probe.bare)


def path_details(seen: Seen) -> list[Detail]:
    """How many, the top folders, and the endings of names."""
    tops, endings = Tally(), Tally()
    for window in seen.windows():
        tops.add(found_in(window, _FOUND_TOP))
        endings.add(found_in(window, _FOUND_ENDING))
    deeper = _below_one_folder(seen, tops)
    return [
        Detail(name="paths", count=filled_lines(seen)),
        *(deeper or tops).detail("top folders", _SHOWN),
        *endings.detail("endings", _SHOWN),
    ]


def _below_one_folder(seen: Seen, tops: Tally) -> Tally | None:
    """The folders one level below, where nearly all is in one: `./` or `/usr/` tells nothing."""
    (top, count), *_ = tops.counts.most_common(1) or [(b"", 0)]
    if not top or count < 0.9 * tops.counts.total():
        return None
    below = re.compile(rb"\n(" + re.escape(top) + rb"[^/\n]{0,100}/)")
    tally = Tally()
    for window in seen.windows():
        tally.add(found_in(window, below))
    return tally if tally.counts else None


def is_tree(probe: Probe) -> bool:
    """Branches drawn before most of the lines."""
    return len(probe.bare) >= 3 and probe.mostly(_BRANCH, 0.6)


def tree_details(seen: Seen) -> list[Detail]:
    last = text(seen.tail(300).strip().rpartition("\n")[2].encode())
    total = [Detail(name="last line", values=[last])] if re.match(r"\d+ director", last) else []
    return [Detail(name="lines", count=filled_lines(seen)), *total]


def is_long_listing(lines: list[str]) -> bool:
    """`ls -lR`: a folder with a colon, its total, then a line of each thing in it; of lines that are not blank."""
    if not any(map(_FOLDER.match, lines[:1])):
        return False
    entries = sum(_ENTRY.match(line) is not None for line in lines)
    others = sum(_FOLDER.match(line) is not None or line.startswith("total ") for line in lines)
    return entries >= _LEAST_ENTRIES and entries + others >= 0.9 * len(lines)


def is_folder_listing(probe: Probe) -> bool:
    """`ls -R`: a folder with a colon, then what is in it, one name a line."""
    if is_long_listing(probe.bare):
        return True
    if not any(map(_FOLDER.match, probe.bare[:2])):
        return False
    folders = [at for at, line in enumerate(probe.bare) if _FOLDER.match(line) and ("/" in line or at == 0)]
    names = sum(len(line.split()) <= 2 and ": " not in line and line[:1] != " " for line in probe.bare)
    return len(folders) >= 2 and folders[0] <= 1 and names >= 0.9 * len(probe.bare)


def folder_details(seen: Seen) -> list[Detail]:
    """Its folders; what is in them is counted where each line says what it is."""
    folders = Tally()
    entries = 0
    is_long = is_long_listing(Probe(seen).bare)
    for window in seen.windows():
        folders.add(found_in(window, _FOUND_FOLDER))
        if is_long:
            entries += sum(1 for line in found_in(window, _FOUND_ENTRY) if not _ITSELF.search(line[-4:]))
    counted = Detail(name="entries without . and ..", count=entries)
    lines = counted if is_long else Detail(name="lines", count=filled_lines(seen))
    return [lines, *folders.detail("folders", _SHOWN, counted=False)]


GREP = Format("grep", is_grep, grep_details)
PATHS = Format("paths", is_paths, path_details)
TREE = Format("tree", is_tree, tree_details)
FOLDERS = Format("ls-recursive", is_folder_listing, folder_details, decides=False)
