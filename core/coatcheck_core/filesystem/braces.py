"""Alternatives of a pattern in braces: `*.{ts,tsx}` is `*.ts` or `*.tsx`."""

from itertools import pairwise

from coatcheck_schemas.errors import Code, RequestError

MOST_PATTERNS = 100
"""That one pattern may stand for: alternatives beside each other multiply."""


def expanded(pattern: str) -> list[str]:
    """The patterns without such braces that it stands for, as a shell has them: within one another, and empty ones too.

    Braces without a comma stand for themselves, as does any brace in a class `[{]`. Raises RequestError
    `invalid_argument` where a brace with a comma, or a class, is not closed, and for more than `MOST_PATTERNS`.
    """
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        one = waiting.pop()
        found = _first(one)
        if found is None:
            done.append(one)
        else:
            begin, commas, end = found
            bounds = [begin, *commas, end]
            pieces = [one[left + 1 : right] for left, right in pairwise(bounds)]
            waiting += [one[:begin] + piece + one[end + 1 :] for piece in reversed(pieces)]
        if len(done) + len(waiting) > MOST_PATTERNS:
            raise _refused(
                f"the braces of the pattern come to more than {MOST_PATTERNS} patterns: ask for less at a time"
            )
    return list(dict.fromkeys(done))


def class_end(pattern: str, begin: int) -> int:
    """Where the class ends that begins here; -1 where it does not. A `]` that comes first is one of its chars."""
    first = begin + 1 + (pattern[begin + 1 : begin + 2] in ("!", "^"))
    return pattern.find("]", first + 1)


def _first(pattern: str) -> tuple[int, list[int], int] | None:
    """The first braces with a comma: where they open, their own commas, and where they close."""
    opened: list[tuple[int, list[int]]] = []
    found: list[tuple[int, list[int], int]] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "[":
            if (end := class_end(pattern, at)) < 0:
                raise _refused(f"the pattern has a '[' at {at} that is not closed: a '[' itself is '[[]'")
            at = end
        elif char == "{":
            opened.append((at, []))
        elif char == "," and opened:
            opened[-1][1].append(at)
        elif char == "}" and opened:
            begin, commas = opened.pop()
            if commas:
                found.append((begin, commas, at))
        at += 1
    if unclosed := [begin for begin, commas in opened if commas]:
        raise _refused(f"the pattern has a '{{' at {unclosed[0]} that is not closed: a '{{' itself is '[{{]'")
    return min(found, default=None)


def _refused(message: str) -> RequestError:
    return RequestError(Code.INVALID_ARGUMENT, message)
