"""Which language a text is in, or that it is no code: by how its lines begin, comments left out."""

from functools import cache
from itertools import islice

import msgspec

from coatcheck_core.synopsis.seen import Seen

from .language import Dialect, Language, probe_pattern, sign_pattern
from .languages import LANGUAGES
from .manner import is_written_as_code
from .probe import Probe

_CANDIDATES = 6
_MOST_OF_A_WORD = 6
_MOST_OF_A_SIGN = 40
_LEAST_WORTH = 4
_LEAST_PER_LINE = 0.45
"""Of a sign's worth, for each line that is no comment."""


_STRONG = 3
_LINES_A_STRONG_SIGN = 60
"""What other languages have as well does not tell alone."""


class Found(msgspec.Struct, frozen=True):
    """The language, and the name of the dialect of it."""

    language: Language
    name: str


class _Score(msgspec.Struct, frozen=True):
    language: Language
    worth: int
    total: int
    strong: int
    lines: int


def find_language(seen: Seen) -> Found | None:
    """None where it is no code; looks at a bounded part of the text."""
    probe = Probe(seen)
    proven = next((language for language in LANGUAGES if _is_proven(language, probe)), None)
    if proven is not None and probe.first.startswith((b"#!", b"<?php", b"#compdef")):
        return _named(proven, probe)
    best = max(
        (_score(language, probe) for language in _candidates(probe)), key=lambda score: score.worth, default=None
    )
    if best is None or best.worth < _LEAST_WORTH:
        return None
    if best.language is not proven and not _is_enough(best, probe):
        return None
    return _named(best.language, probe)


def _is_proven(language: Language, probe: Probe) -> bool:
    return bool(language.first) and probe_pattern(language.first).match(probe.first) is not None


@cache
def _rarities() -> dict[bytes, tuple[tuple[int, float], ...]]:
    """For each word the languages (by place) whose lines begin with it, and what that tells: less where many do."""
    users: dict[bytes, list[int]] = {}
    for place, language in enumerate(LANGUAGES):
        for word in dict.fromkeys(language.words.split()):
            users.setdefault(word.encode(), []).append(place)
    return {word: tuple((place, 1 / len(places)) for place in places) for word, places in users.items()}


def _candidates(probe: Probe) -> list[Language]:
    """The languages whose words the lines begin with most, in the order of the table."""
    rarities = _rarities()
    totals = [0.0] * len(LANGUAGES)
    for word, count in probe.words.items():
        for place, worth in rarities.get(word, ()):
            totals[place] += worth * min(count, _MOST_OF_A_WORD)
    best = sorted(range(len(totals)), key=lambda place: -totals[place])[:_CANDIDATES]
    return [LANGUAGES[place] for place in sorted(best) if totals[place]]


def _score(language: Language, probe: Probe) -> _Score:
    counts = [0] * (len(language.signs) + 1)
    for match in sign_pattern(language).finditer(probe.stripped(language.comments)):
        counts[match.lastindex or 0] += 1
    weighed = [(count, weight) for count, (weight, _) in zip(counts[1:], language.signs, strict=True)]
    return _Score(
        language,
        worth=sum(min(count, _MOST_OF_A_SIGN) * weight for count, weight in weighed),
        total=sum(count * weight for count, weight in weighed),
        strong=sum(count for count, weight in weighed if weight >= _STRONG),
        lines=probe.filled(language.comments),
    )


def _is_enough(score: _Score, probe: Probe) -> bool:
    return (
        score.total >= _LEAST_PER_LINE * score.lines
        and score.strong * _LINES_A_STRONG_SIGN >= score.lines
        and is_written_as_code(probe.stripped(score.language.comments))
    )


def _named(language: Language, probe: Probe) -> Found:
    name = next((dialect.name for dialect in language.dialects if _speaks(dialect, language, probe)), language.name)
    return Found(language, name)


def _speaks(dialect: Dialect, language: Language, probe: Probe) -> bool:
    pattern = probe_pattern(dialect.pattern)
    spoken = islice(pattern.finditer(probe.stripped(language.comments)), dialect.least)
    return sum(1 for _ in spoken) == dialect.least
