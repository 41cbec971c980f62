"""Which language a text is in, or that it is no code: by how its lines begin, comments left out."""

import re
from functools import cache
from itertools import islice

import msgspec

from coatcheck_core.synopsis.seen import Seen

from .language import Dialect, Language, probe_pattern, sign_pattern
from .languages import LANGUAGES
from .manner import is_written_as_code
from .probe import BEGINNING_BYTES, Probe

_CANDIDATES = 6
_MOST_OF_A_WORD = 6
_MOST_OF_A_SIGN = 40
_LEAST_TOTAL = 4
_LEAST_PER_LINE = 0.45
"""Of a sign's worth, for each line that is no comment."""


_WORTH_OF_A_HINT = 0.3
_MOST_OF_A_HINT = 4
_CERTAIN_STARTS = (b"#!", b"<?php", b"#compdef")
_STRONG = 3
_TELLING = 2
_LINES_A_STRONG_SIGN = 60
"""What other languages have as well does not tell alone."""
_WELL_OPENED = 2
_LEAST_PER_LINE_AFTER = 0.1
_WORTH_OF_AN_OPENING = 4
_MOST_OF_AN_OPENING = 5
"""A long table of data may follow an import and a definition."""
_MANY = 8
_LINES_A_SIGN_OF_MANY = 25
"""Half of a text may be data, or another language between quotes."""
_MOST_OF_A_WEAK_SIGN = 10


class Found(msgspec.Struct, frozen=True):
    """The language, and the name of the dialect of it."""

    language: Language
    name: str


class _Score(msgspec.Struct, frozen=True):
    language: Language
    worth: int
    total: int
    strong: int
    opening: int
    lines: int


def find_language(seen: Seen) -> Found | None:
    """None where it is no code; looks at a bounded part of the text."""
    probe = Probe(seen)
    proven = next((language for language in LANGUAGES if _is_proven(language, probe)), None)
    if proven is not None and (probe.firsts[0].startswith(_CERTAIN_STARTS) or _is_plausible(proven, probe)):
        return _named(proven, probe)
    scores = []
    for language in _candidates(probe):
        seen.step()
        scores.append(_score(language, probe))
    best = max(scores, key=lambda score: score.worth, default=None)
    if best is None or best.total < _LEAST_TOTAL:
        return None
    return _named(best.language, probe) if _is_enough(best, probe) else None


def _is_proven(language: Language, probe: Probe) -> bool:
    return bool(language.first) and any(probe_pattern(language.first).match(first) for first in probe.firsts)


@cache
def _hints() -> tuple[tuple[int, bytes], ...]:
    return tuple((place, hint.encode()) for place, language in enumerate(LANGUAGES) for hint in language.hints.split())


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
    for place, hint in _hints():
        totals[place] += _WORTH_OF_A_HINT * min(probe.text.count(hint), _MOST_OF_A_HINT)
    best = sorted(range(len(totals)), key=lambda place: -totals[place])[:_CANDIDATES]
    return [LANGUAGES[place] for place in sorted(best) if totals[place]]


def _score(language: Language, probe: Probe) -> _Score:
    counts = [0] * (len(language.signs) + 1)
    opening = 0
    for match in sign_pattern(language).finditer(probe.stripped(language.comments)):
        sign = (match.lastindex or 1) - 1
        counts[sign + 1] += 1
        opening += match.start() < BEGINNING_BYTES and language.signs[sign][0] >= _STRONG
    weighed = [(count, weight) for count, (weight, _) in zip(counts[1:], language.signs, strict=True)]
    return _Score(
        language,
        worth=min(opening, _MOST_OF_AN_OPENING) * _WORTH_OF_AN_OPENING
        + sum(
            min(count, _MOST_OF_A_WEAK_SIGN if weight == 1 else _MOST_OF_A_SIGN) * weight for count, weight in weighed
        ),
        total=sum(count * weight for count, weight in weighed),
        strong=sum(count for count, weight in weighed if weight >= _STRONG),
        opening=opening,
        lines=probe.filled(language.comments),
    )


def _is_enough(score: _Score, probe: Probe) -> bool:
    has_strong = score.opening > 0 or score.strong * _LINES_A_STRONG_SIGN >= score.lines
    signed_well = has_strong and score.total >= _LEAST_PER_LINE * score.lines
    signed_often = score.strong >= _MANY and score.strong * _LINES_A_SIGN_OF_MANY >= score.lines
    opens_well = score.opening >= _WELL_OPENED and score.total >= _LEAST_PER_LINE_AFTER * score.lines
    return (signed_well or signed_often or opens_well) and _is_written(score.language, probe)


def _is_plausible(language: Language, probe: Probe) -> bool:
    """What begins as that language does, and has anything else of it."""
    return _score(language, probe).worth > 0 and _is_written(language, probe)


def _is_written(language: Language, probe: Probe) -> bool:
    """The lines that the language explains are no prose, whatever they read like."""
    signs = language.signs

    def mark(match: re.Match[bytes]) -> bytes:
        return b"=;" if signs[(match.lastindex or 1) - 1][0] >= _TELLING else match[0]

    return is_written_as_code(sign_pattern(language).sub(mark, probe.stripped(language.comments)))


def _named(language: Language, probe: Probe) -> Found:
    name = next((dialect.name for dialect in language.dialects if _speaks(dialect, language, probe)), language.name)
    return Found(language, name)


def _speaks(dialect: Dialect, language: Language, probe: Probe) -> bool:
    pattern = probe_pattern(dialect.pattern)
    spoken = islice(pattern.finditer(probe.stripped(language.comments)), dialect.least)
    return sum(1 for _ in spoken) == dialect.least
