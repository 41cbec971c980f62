"""Whether what follows a stub's first lines is a stub's, to its end, and nothing else stands there."""

import re

from coatcheck_core.stub.escaping import escape
from coatcheck_core.stub.words import CHINESE, ENGLISH, Words

_VALUE = "[^\n]{1,300}"
_MOST_EXPLORE_LINES = 4
_NUMBERED = re.compile(r" *([0-9]{1,9})  .*")
_DUMPED = re.compile(r"  [0-9a-f]{8,}  .*")


def is_typed_rest(rest: str) -> bool:
    """Of the style `typed`, what comes after its header: sections in their order, of lines that begin as theirs do."""
    return _is_escaped(rest) and any(_are_sections(rest, words) for words in (ENGLISH, CHINESE))


def is_lined_rest(rest: str) -> bool:
    """Of the style `lines`, what comes after its ref: how to read on, numbered lines, and what came beside them."""
    return _is_escaped(rest) and any(_is_lined(rest, words) for words in (ENGLISH, CHINESE))


def _is_escaped(rest: str) -> bool:
    if rest and not rest.startswith("\n"):
        return False
    text = rest.replace("\n", "")
    return escape(text) == text


def _are_sections(rest: str, words: Words) -> bool:
    above, *blocks = rest.removesuffix("\n").split("\n\n")
    if above:
        return False
    last = -1
    for block in blocks:
        rank = _rank(block, words)
        if rank is None or rank <= last:
            return False
        last = rank
    return True


def _rank(block: str, words: Words) -> int | None:
    """The place of a section among the others; None where it is none."""
    titles = (words.synopsis, words.structure, words.notable, words.sample)
    title, *lines = block.split("\n")
    if not lines:
        return len(titles) if _is_cut_notice(title, (*titles, words.explore, words.all_else), words) else None
    if title == f"{words.explore}:":
        hints = [line.removeprefix("- ") for line in lines if line != f"- {words.not_stored}"]
        is_whole = len(hints) <= _MOST_EXPLORE_LINES and all(map(_EXPLORE[words.explore].fullmatch, hints))
        return len(titles) + 1 if is_whole else None
    if block == f"{words.notable}:\n- {words.not_stored}":
        return len(titles) + 1
    if not title.endswith(":") or title[:-1] not in titles or not lines[0].startswith("- "):
        return None
    return titles.index(title[:-1]) if all(line.startswith(("- ", "  ")) for line in lines) else None


def _is_cut_notice(line: str, titles: tuple[str, ...], words: Words) -> bool:
    start, _, end = words.cut.partition("{titles}")
    if not (line.startswith(start) and line.endswith(end)):
        return False
    return all(title in titles for title in line[len(start) : len(line) - len(end)].split(", "))


def _is_lined(rest: str, words: Words) -> bool:
    lines = rest.split("\n")[1:]
    if lines[:1] == [words.not_stored]:
        lines = lines[1:]
    if lines and _READ_ON[words.explore].fullmatch(lines[0]):
        lines = lines[1:]
    if len(lines) > 2 and not lines[0]:
        lines = _after_first_lines(lines[1:], words)
    return all(line.startswith("- ") for line in lines)


def _after_first_lines(lines: list[str], words: Words) -> list[str]:
    """What comes after the label and the lines that it is of; all of it where they are none."""
    label, rest = lines[0], lines[1:]
    count = 0
    if _FIRST_LINES[words.explore].fullmatch(label):
        while count < len(rest) and (found := _NUMBERED.fullmatch(rest[count])) and int(found[1]) == count + 1:
            count += 1
    elif _HEAD_BYTES[words.explore].fullmatch(label):
        while count < len(rest) and _DUMPED.fullmatch(rest[count]):
            count += 1
    if not count:
        return lines
    return rest[count + 1 :] if rest[count : count + 1] == [""] else rest[count:]


def _form(*templates: str) -> re.Pattern[str]:
    """Of these sentences, each with values in its gaps."""
    return re.compile("|".join(re.sub(r"\\\{\w+\\\}", lambda _: _VALUE, re.escape(one)) for one in templates))


def _explore(words: Words) -> re.Pattern[str]:
    return _form(
        words.explore_search,
        words.explore_read,
        words.explore_read_bytes,
        *(words.explore_read_lines.replace("{read}", read) for read in (words.explore_read, words.explore_read_bytes)),
        words.explore_list,
        words.explore_short,
    )


_EXPLORE = {words.explore: _explore(words) for words in (ENGLISH, CHINESE)}
_READ_ON = {words.explore: _form(words.lines_read, words.bytes_read) for words in (ENGLISH, CHINESE)}
_FIRST_LINES = {words.explore: _form(words.first_lines) for words in (ENGLISH, CHINESE)}
_HEAD_BYTES = {words.explore: _form(words.head_bytes) for words in (ENGLISH, CHINESE)}
