"""English."""

from .wording import Phrases, ToolWords

_CURSOR = "Where to go on: the cursor of the answer before, with the same other arguments."

TOOLS = {
    "read": ToolWords(
        title="Read a tool result",
        description=(
            "Read a part of a tool result that was too large to be shown: the conversation has a stub in its place, "
            "with a reference (coat://...). Gives the part from offset on, and says how to go on. Where you know what "
            "you look for, search for it first."
        ),
        fields={
            "ref": "The reference, as the stub has it: coat://SESSION/RESULT_ID, or with /INDEX for one of its parts.",
            "offset": "Where to begin, counted in unit from 0; negative counts from the end.",
            "limit": "How much to read, counted in unit; at most what one answer holds.",
            "unit": "What offset and limit count: chars, lines, or bytes, which come as base64, for what is no text.",
            "numbered": "With line numbers, which count from 1; needs unit lines.",
        },
    ),
    "search": ToolWords(
        title="Search tool results",
        description=(
            "Find passages by a text or a regular expression in one stored tool result, or in all of this session's. "
            "Each match comes with its reference, line and offset, at which it can be read."
        ),
        fields={
            "query": "The text to find, exactly; or with regex an expression in RE2 syntax.",
            "ref": "The result to search, as its stub has it (coat://...); without it all of the session's results.",
            "regex": "Whether query is a regular expression.",
            "ignore_case": "Whether capital and small letters are the same.",
            "whole_word": "Whether a match must not lie inside a longer word.",
            "invert": "Whether to give the lines without a match.",
            "context_chars": "How many chars to show on either side of a match, 0 to 10000.",
            "limit": "The most matches of one answer.",
            "cursor": _CURSOR,
        },
    ),
    "list": ToolWords(
        title="List tool results",
        description=(
            "List this session's stored tool results: reference, tool, kind, size and time of each. Only those that "
            "were too large to be shown are stored."
        ),
        fields={
            "tool_name": "Only results of the tool with this name.",
            "kind": "Only results of this kind of content.",
            "turn_id": "Only results of this turn.",
            "since": "Only results from this time on, in RFC 3339, as 2026-01-31T12:00:00Z.",
            "until": "Only results before this time, in RFC 3339.",
            "order": "By time of arrival: oldest or newest first.",
            "limit": "The most results of one answer.",
            "cursor": _CURSOR,
        },
    ),
}

PHRASES = Phrases(
    default="Default: {value}.",
    error="Error ({code}): {message}\nWhat to do: {advice}",
    not_json="the arguments are no JSON: {why}",
    not_an_object="the arguments must be a JSON object, as {{{example}}}; they are {given}",
    missing="{name} is missing",
    bad_text="{name} must be a text, it is {given}",
    bad_number="{name} must be a whole number, it is {given}",
    bad_flag="{name} must be true or false, it is {given}",
    bad_choice="{name} must be one of {choices}, it is {given}",
    unknown_arguments="{names}: there is no such argument",
    ignored="[Ignored, for {tool} has no such argument: {names}. {known}]",
    known_arguments="Its arguments: {names}.",
    unknown_tool="there is no tool {name}",
    did_you_mean="Did you mean {name}? ",
    use_one_of="Call one of these: {names}.",
    no_tools=(
        "This session has no tools for stored results. Do not try again: go on with what the conversation has, or run "
        "the original tool again and ask it for less."
    ),
    mend="Correct the arguments and call {tool} again.",
    do_not_guess=(
        "Copy the reference exactly as the stub has it; {list} shows which there are. Do not try the same again."
    ),
    gone="It cannot be read any more. Do not try again; if you still need it, run the original tool again.",
    unavailable="This may pass: try once more. If that fails too, stop retrying and go on without it.",
    conflict="Somebody else has changed it. Read it again, then make your change to what is there now.",
    too_large="Ask for less, in several calls.",
    internal="This is a fault of the service. Stop retrying and go on without it.",
    page="{where}: {unit} {first} to {last} of {total}, counted from 0",
    page_bytes="{where}: bytes {first} to {last} of {total}, counted from 0, as base64",
    page_empty="{where}: nothing at offset {offset}, it has {total} {unit}",
    more="there is more: call {tool} with the same {name} and offset={offset} unit={unit}",
    line_cut="the line is longer than an answer and is cut: unit=chars reads all of it",
    end="this is the end",
    found="{n} found in {where}",
    found_of="{n} of {total} found in {where}",
    nothing_found="Nothing found for {query} in {where}. Try another spelling, ignore_case, or regex for alternatives.",
    not_yet="nothing found so far, but not all of {where} was searched",
    in_session="this session's stored results",
    match="line {line} offset {offset} length {length}:",
    read_match="{tool} with ref and offset shows more; lines and offsets count from 0",
    more_by_cursor="there is more: call {tool} with the same arguments and cursor={cursor}",
    clipped="passages are cut at …",
    results="{n} stored results",
    no_results="no stored results match; only those that were too large to be shown are stored",
    none_yet="none found so far, but not all were looked at",
    result="{ref} tool={tool} kind={kind} size={size} time={time} turn={turn}",
    without_turn="none",
)
