"""Which language a text is in, or that it is no code: by how its lines begin, comments left out."""

from functools import cache
from itertools import islice

import msgspec

from coatcheck_core.synopsis.seen import Seen

from .language import Dialect, Language, evidence_pattern, probe_pattern, sign_pattern
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
_HINTED_BYTES = 3_000
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
GLANCE_HEAD_BYTES = 2_400
GLANCE_MIDDLE_BYTES = 1_200
_FAR_MORE = 1.5
_OBVIOUS_PER_LINE_ALONE = 1.5
_OBVIOUS_PER_LINE = 1.0
_LIKELIEST = 4
_LINES_THAT_TELL = 20
_LEAST_PER_LINE_AT_ALL = 0.15
_LINES_AN_OBVIOUS_SIGN = 12
"""What is seen at a glance is as good as always what a longer look would find."""


class Found(msgspec.Struct, frozen=True):
    """The language, and the name of the dialect of it."""

    language: Language
    name: str


class _Score(msgspec.Struct, frozen=True):
    """`rest` are the lines that no telling sign explains; those that one does are `explained`."""

    language: Language
    worth: int
    total: int
    strong: int
    opening: int
    lines: int
    explained: int
    rest: bytes


def find_language(seen: Seen) -> Found | None:
    """None where it is no code; looks at a bounded part of the text, and at first at a small one."""
    glance = Probe(seen, GLANCE_HEAD_BYTES, GLANCE_MIDDLE_BYTES)
    proven = next((language for language in LANGUAGES if _is_proven(language, glance)), None)
    if proven is not None and (glance.firsts[0].startswith(_CERTAIN_STARTS) or _is_plausible(proven, glance)):
        return _named(proven, glance)
    scores: dict[str, _Score] = {}
    obvious = _at_a_glance(glance, scores)
    return _after_a_longer_look(seen, glance, scores) if obvious is None else _named(obvious, glance)


def _after_a_longer_look(seen: Seen, glance: Probe, known: dict[str, _Score]) -> Found | None:
    """At all languages that come into question, and do not seem hopeless."""
    probe = glance if glance.is_whole else Probe(seen)
    scores = []
    for language in _candidates(probe):
        seen.step()
        score = known.get(language.name) or _score(language, glance)
        if glance.is_whole:
            scores.append(score)
        elif not _is_hopeless(score):
            scores.append(_score(language, probe))
    best = max(scores, key=lambda score: score.worth, default=None)
    if best is None or best.total < _LEAST_TOTAL:
        return None
    return _named(best.language, probe) if _is_enough(best) else None


def _is_hopeless(score: _Score) -> bool:
    """What many lines outside comments do not speak for, none of them strongly."""
    is_telling = score.lines >= _LINES_THAT_TELL
    return is_telling and not score.strong and score.total < _LEAST_PER_LINE_AT_ALL * score.lines


def _at_a_glance(glance: Probe, scores: dict[str, _Score]) -> Language | None:
    """The language that explains nearly every line, and far more than others whose words begin lines as often.

    The scores that this took are added to `scores`.
    """
    totals = _word_totals(glance)
    likeliest = [place for place in sorted(range(len(totals)), key=lambda place: -totals[place]) if totals[place]]
    for place, rival in zip(likeliest[:_LIKELIEST], [*likeliest[1:], None], strict=False):
        scores[LANGUAGES[place].name] = _score(LANGUAGES[place], glance)
        is_alone = rival is None or totals[likeliest[0]] >= _FAR_MORE * totals[rival]
        if (is_alone or len(scores) > 1) and (obvious := _obvious(list(scores.values()))) is not None:
            return obvious.language
    return None


def _obvious(scores: list[_Score]) -> _Score | None:
    first, *others = sorted(scores, key=lambda score: -score.worth)
    least = _OBVIOUS_PER_LINE if others else _OBVIOUS_PER_LINE_ALONE
    explains = first.total >= least * first.lines and first.strong * _LINES_AN_OBVIOUS_SIGN >= first.lines
    is_far_ahead = all(first.worth >= _FAR_MORE * other.worth for other in others)
    return first if explains and is_far_ahead and first.total >= _LEAST_TOTAL and _is_enough(first) else None


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


def _word_totals(probe: Probe) -> list[float]:
    """For each language how often lines begin with its words."""
    rarities = _rarities()
    totals = [0.0] * len(LANGUAGES)
    for word, count in probe.words.items():
        for place, worth in rarities.get(word, ()):
            totals[place] += worth * min(count, _MOST_OF_A_WORD)
    return totals


def _candidates(probe: Probe) -> list[Language]:
    """The languages whose words the lines begin with most, in the order of the table."""
    totals, hinted = _word_totals(probe), probe.text[:_HINTED_BYTES]
    for place, hint in _hints():
        totals[place] += _WORTH_OF_A_HINT * min(hinted.count(hint), _MOST_OF_A_HINT)
    best = sorted(range(len(totals)), key=lambda place: -totals[place])[:_CANDIDATES]
    return [LANGUAGES[place] for place in sorted(best) if totals[place]]


def _score(language: Language, probe: Probe) -> _Score:
    text, weights = probe.stripped(language.comments), [weight for weight, _ in language.signs]
    if (evidence := evidence_pattern(language)) is not None and evidence.search(text) is None:
        weights = [0] * len(weights)
    counts = [0] * len(weights)
    opening = explained = done = 0
    rest: list[bytes] = []
    for match in sign_pattern(language).finditer(text):
        sign = (match.lastindex or 1) - 1
        counts[sign] += 1
        weight = weights[sign]
        if weight >= _TELLING:
            opening += weight >= _STRONG and match.start() < BEGINNING_BYTES
            explained += 1
            rest.append(text[done : match.start()])
            done = text.find(b"\n", match.end()) + 1 or len(text)
    weighed = [(count, weight) for count, weight in zip(counts, weights, strict=True) if count]
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
        explained=explained,
        rest=b"".join([*rest, text[done:]]),
    )


def _is_enough(score: _Score) -> bool:
    has_strong = score.opening > 0 or score.strong * _LINES_A_STRONG_SIGN >= score.lines
    signed_well = has_strong and score.total >= _LEAST_PER_LINE * score.lines
    signed_often = score.strong >= _MANY and score.strong * _LINES_A_SIGN_OF_MANY >= score.lines
    opens_well = score.opening >= _WELL_OPENED and score.total >= _LEAST_PER_LINE_AFTER * score.lines
    return (signed_well or signed_often or opens_well) and _is_written(score)


def _is_plausible(language: Language, probe: Probe) -> bool:
    """What begins as that language does, and has anything else of it."""
    score = _score(language, probe)
    return score.worth > 0 and _is_written(score)


def _is_written(score: _Score) -> bool:
    """The lines that the language explains are no prose, whatever they read like."""
    return is_written_as_code(score.rest, score.explained)


def _named(language: Language, probe: Probe) -> Found:
    name = next((dialect.name for dialect in language.dialects if _speaks(dialect, language, probe)), language.name)
    return Found(language, name)


def _speaks(dialect: Dialect, language: Language, probe: Probe) -> bool:
    pattern = probe_pattern(dialect.pattern)
    spoken = islice(pattern.finditer(probe.stripped(language.comments)), dialect.least)
    return sum(1 for _ in spoken) == dialect.least
