"""What words a model is given: of the definitions, and of the answers."""

from collections.abc import Mapping
from typing import Literal

import msgspec

Language = Literal["en", "zh"]


class ToolWords(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as a model is told of it; `fields` has a line for each of its arguments."""

    title: str
    description: str
    fields: Mapping[str, str]


class Phrases(msgspec.Struct, frozen=True, kw_only=True):
    """What answers say beside content, with their `str.format` fields."""

    default: str
    error: str
    not_json: str
    not_an_object: str
    missing: str
    bad_text: str
    bad_number: str
    bad_flag: str
    bad_choice: str
    unknown_arguments: str
    ignored: str
    known_arguments: str
    unknown_tool: str
    did_you_mean: str
    use_one_of: str
    no_tools: str
    mend: str
    do_not_guess: str
    look_for_files: str
    gone: str
    unavailable: str
    conflict: str
    too_large: str
    too_large_to_write: str
    internal: str
    page: str
    page_bytes: str
    page_empty: str
    more: str
    line_cut: str
    end: str
    found: str
    found_of: str
    nothing_found: str
    not_yet: str
    in_session: str
    match: str
    read_match: str
    more_by_cursor: str
    clipped: str
    results: str
    no_results: str
    none_yet: str
    result: str
    without_turn: str
    paths: str
    matching: str
    not_searched: str
    counts_go_on: str
    no_lines: str
    written: str
    edited: str
