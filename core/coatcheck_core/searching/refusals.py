"""Why an expression is refused, and what to do: RE2's reasons in the words of whoever wrote it."""

_SHOWN_CHARS = 80
_UNSUPPORTED = {
    "invalid perl operator: (?=": "lookahead (?=...): search for what comes before and after in one expression",
    "invalid perl operator: (?!": "negative lookahead (?!...): search without it, or for the opposite with invert",
    "invalid perl operator: (?<=": "lookbehind (?<=...): search for what comes before too",
    "invalid perl operator: (?<!": "negative lookbehind (?<!...): search without it",
    "invalid perl operator: (?<": "lookbehind, or a group whose name is not ended",
    "invalid perl operator: (?>": "atomic groups (?>...): use (?:...), it takes linear time here anyway",
    "invalid perl operator: (?P": "backreferences (?P=...), or a named group that is not (?P<name>...)",
    "invalid perl operator: (?#": "comments (?#...): leave them out",
    "invalid perl operator: (?x": "the flag x: write the expression without free spaces",
    "invalid perl operator: (?|": "branch reset (?|...): use (?:...)",
    "invalid perl operator: (?R": "recursion (?R)",
    "invalid escape sequence: \\Z": "\\Z: use \\z for the end of the text, or $ for that of a line",
    "invalid escape sequence: \\G": "\\G: leave it out",
    "invalid escape sequence: \\K": "\\K: leave it out, and read from the match's offset on",
    "invalid escape sequence: \\k": "backreferences \\k<...>: write out what is repeated",
    "invalid escape sequence: \\u": "\\u: write \\x{...} with the code point in hexadecimal, or the char itself",
    "invalid escape sequence: \\R": "\\R: use \\r?\\n",
    "invalid escape sequence: \\h": "\\h: use [ \\t]",
    "invalid escape sequence: \\X": "\\X: use \\PM\\pM*",
    "invalid escape sequence: \\N": "\\N: use . or the char itself",
    "invalid escape sequence: \\e": "\\e: use \\x1b",
    "invalid escape sequence: \\E": "\\E without a \\Q before it: leave it out",
}
"""By the beginning of the reason, the longer first."""


def refusal(reason: str, flags: str) -> str:
    """The sentence for a reason of RE2, `flags` being what was put before the expression that it had."""
    name, _, what = reason.partition(": ")
    what = _shown(what.removeprefix(flags))
    for known, advice in _UNSUPPORTED.items():
        if reason.startswith(known):
            return f"the expression has what RE2 does not support: {advice}"
    match name:
        case "invalid perl operator":
            return f"the expression has a group {what} that RE2 does not support: use (?:...), (?P<name>...) or (?i)"
        case "invalid escape sequence" if what[1:2].isdigit():
            return (
                f"the expression has what RE2 does not support: backreferences {what}: write out what is repeated "
                "(an octal code begins with \\0)"
            )
        case "invalid escape sequence":
            return f"the expression has an escape {what} that RE2 does not know: to search for the char, leave out \\"
        case "bad repetition operator":
            return (
                f"the expression has {what}, a repetition of a repetition or a possessive one, which RE2 does not "
                "support: leave the second sign out, or put the first into (?:...)"
            )
        case "invalid repetition size":
            return (
                f"the expression repeats by {what}: RE2 takes 1000 at most, nested ones multiplied, the smaller first"
            )
        case "invalid character class range":
            return f"the expression has a class {what} that RE2 does not know: see its syntax for the names and ranges"
        case "pattern too large - compile failed":
            return "the expression is too large a program for RE2: use fewer or smaller repetitions and classes"
        case "missing )" | "unexpected )":
            return f"the expression's ( and ) do not pair: {name}; write \\( or \\) for the char itself"
        case "missing ]":
            return f"the expression has a class that is not ended: {what}; write \\[ for the char itself"
        case "no argument for repetition operator":
            return f"the expression has {what} with nothing before it to repeat: write \\{what[:1]} for the char itself"
        case "trailing \\":
            return "the expression ends with a single \\: write \\\\ for the char itself"
        case _:
            return f"the expression is none that RE2 takes: {_shown(reason)}"


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."
