"""English."""

from .words import Phrases, ToolWords

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
    "fs_ls": ToolWords(
        title="List a folder",
        description=(
            "List what lies directly in a folder of this session's files. Files that you write are kept for the "
            "session; /large_tool_result has, read-only, the tool results that were too large to be shown."
        ),
        fields={
            "path": "The folder; without it the root, /.",
            "limit": "The most entries of one answer, up to 1000.",
            "cursor": _CURSOR,
        },
    ),
    "fs_read": ToolWords(
        title="Read a file",
        description=(
            "Read a part of a file, by lines, and say how to go on. Also of a tool result that was too large to be "
            "shown, as /large_tool_result/CALL_ID."
        ),
        fields={
            "path": "The file's path, from /.",
            "offset": "Where to begin, counted in unit from 0; negative counts from the end.",
            "limit": "How much to read, counted in unit; 200 lines unless said otherwise.",
            "unit": "What offset and limit count: lines, or chars for very long lines, or bytes, which come as base64.",
            "numbered": "With line numbers, which count from 1.",
        },
    ),
    "fs_write": ToolWords(
        title="Write a file",
        description=(
            "Write a text file whole: it is made, or what it had is replaced. To change a part of a file, edit it. "
            "/large_tool_result is read-only."
        ),
        fields={
            "path": "The file's path, from /; folders need not be there.",
            "content": "All that the file is to have.",
            "if_version": 'Write only where the file still has this version; "0": only where there is no such file.',
        },
    ),
    "fs_edit": ToolWords(
        title="Edit a file",
        description=(
            "Replace a passage of a text file. The passage must be in the file exactly once, so give enough of what is "
            "around it, or use replace_all. Read the file before."
        ),
        fields={
            "path": "The file's path, from /.",
            "old_string": "The passage as it stands in the file, without line numbers; not empty.",
            "new_string": "What takes its place; may be empty.",
            "replace_all": "Whether to replace every occurrence.",
            "if_version": "Edit only where the file still has this version.",
        },
    ),
    "fs_glob": ToolWords(
        title="Find files by name",
        description="Find files whose path matches a pattern, as **/*.md. Gives their paths and sizes.",
        fields={
            "pattern": "* and ? within a name, [a-z] for one char, {a,b} for either, ** any folders; relative to path.",
            "path": "The folder to look below; without it the root, /.",
            "limit": "The most files of one answer, up to 1000.",
            "cursor": _CURSOR,
        },
    ),
    "fs_grep": ToolWords(
        title="Search in files",
        description=(
            "Find the lines of files that match a regular expression, in one file or in all below a folder, also in "
            "/large_tool_result. Lines count from 1."
        ),
        fields={
            "pattern": "An expression in RE2 syntax.",
            "path": "The file or folder to search; without it the root, /.",
            "glob": "Only files whose path matches, as *.md.",
            "ignore_case": "Whether capital and small letters are the same.",
            "before": "How many lines to show before each match, up to 50.",
            "after": "How many lines to show after each match, up to 50.",
            "mode": "What to give: content (the lines), files (their paths) or count (how many lines match in each).",
            "limit": "The most matching lines (or files) of one answer, up to 1000.",
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
    look_for_files="{ls} and {glob} show which files there are. Do not try the same again.",
    gone="It cannot be read any more. Do not try again; if you still need it, run the original tool again.",
    unavailable="This may pass: try once more. If that fails too, stop retrying and go on without it.",
    conflict="Somebody else has changed it. Read it again, then make your change to what is there now.",
    too_large="Ask for less, in several calls.",
    too_large_to_write="Split the text over several files, each written by a call of its own.",
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
    paths="paths: {n}",
    matching="matching lines: {n}",
    counts_go_on="if the last file comes again in the next answer, its count goes on there: add them up",
    not_searched="not searched, as they are binary, damaged or gone: {n}, {names}",
    no_lines="nothing found",
    written="wrote {path}: {bytes} bytes, version {version}",
    edited="edited {path}: {n} replaced, version {version}",
)
