"""The confusion matrix and what follows from it."""

import statistics
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from coatcheck_core.settings.model import RetrievalSettings, StubSettings
from coatcheck_core.stub import StubSubject, render_stub
from coatcheck_core.synopsis import synopsize
from coatcheck_core.synopsis.binary import is_utf8
from coatcheck_core.synopsis.measures import measure
from coatcheck_schemas.refs import Ref, result_id, sha256_hex
from coatcheck_schemas.synopsis import Synopsis

from .corpus import FOLDER, data_of
from .texts import ANY, KINDS, NONE, Text, shown_format

OVERALL, EACH_KIND, FORMAT, MEDIAN_STUB = 0.98, 0.95, 0.90, 1500


class Verdict(msgspec.Struct, frozen=True):
    """What the synopsis said of a text."""

    text: Text
    kind: str
    format: str | None
    stub_chars: int

    @property
    def is_kind_right(self) -> bool:
        return self.kind == self.text.label.kind

    @property
    def is_format_right(self) -> bool:
        """One of the label's; a format that is not graded is as good as none."""
        formats = self.text.label.formats
        return self.is_kind_right and (ANY in formats or shown_format(self.format) in formats)


class Figures(msgspec.Struct, frozen=True):
    """Shares are 0..1. `graded` is the format's, of texts that have a graded one, `plain` of texts that have none."""

    matrix: dict[str, Counter[str]]
    overall: float
    recall: dict[str, float]
    precision: dict[str, float]
    graded: float
    plain: float
    confusions: list[tuple[str, str, int]]
    stub_median: float
    stub_longest: int

    def below_the_bars(self) -> list[str]:
        """What fails, in words; empty where all is well."""
        cap = StubSettings().max_chars
        failures = [
            f"{kind}: recall {share:.1%} < {EACH_KIND:.0%}" for kind, share in self.recall.items() if share < EACH_KIND
        ]
        if self.overall < OVERALL:
            failures.append(f"overall {self.overall:.2%} < {OVERALL:.0%}")
        for name, share in (("format", self.graded), ("format where there is none", self.plain)):
            if share < FORMAT:
                failures.append(f"{name} {share:.1%} < {FORMAT:.0%}")
        if self.stub_median >= MEDIAN_STUB:
            failures.append(f"median stub {self.stub_median:.0f} >= {MEDIAN_STUB} chars")
        if self.stub_longest > cap:
            failures.append(f"longest stub {self.stub_longest} > {cap} chars")
        return failures


def judge(text: Text, folder: Path = FOLDER) -> Verdict:
    data = data_of(text, folder)
    synopsis = synopsize(data, text.mime_type)
    return Verdict(text, synopsis.kind, synopsis.format, len(stub_of(data, synopsis)))


def stub_of(data: bytes, synopsis: Synopsis) -> str:
    """The stub that an agent would see in the default settings."""
    digest = sha256_hex(data)
    is_text = is_utf8(data)
    subject = StubSubject(
        tool_name="run_command",
        ref=str(Ref("local", result_id("call_1", digest))),
        sha256=digest,
        reason="single_threshold" if is_text else "binary",
        original_chars=measure(data).chars if is_text else None,
        original_bytes=len(data),
        data=data,
        synopsis=synopsis,
    )
    return render_stub(subject, StubSettings(), RetrievalSettings())


def figures(verdicts: Iterable[Verdict]) -> Figures:
    verdicts = list(verdicts)
    matrix: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for verdict in verdicts:
        matrix[verdict.text.label.kind][verdict.kind] += 1
    said: Counter[str] = Counter(verdict.kind for verdict in verdicts)
    graded = [verdict for verdict in verdicts if verdict.text.label.graded is not None]
    plain = [verdict for verdict in verdicts if verdict.text.label.formats[0] == NONE]
    confusions = Counter(
        (str(verdict.text.label), f"{verdict.kind}/{shown_format(verdict.format)}")
        for verdict in verdicts
        if not verdict.is_format_right
    )
    lengths = [verdict.stub_chars for verdict in verdicts]
    return Figures(
        matrix=matrix,
        overall=_share(verdict.is_kind_right for verdict in verdicts),
        recall={kind: row[kind] / row.total() for kind, row in matrix.items() if row},
        precision={kind: matrix[kind][kind] / said[kind] for kind in KINDS if said[kind]},
        graded=_share(verdict.is_format_right for verdict in graded),
        plain=_share(verdict.is_format_right for verdict in plain),
        confusions=[(label, answer, count) for (label, answer), count in confusions.most_common()],
        stub_median=statistics.median(lengths) if lengths else 0,
        stub_longest=max(lengths, default=0),
    )


def _share(answers: Iterable[bool]) -> float:
    counted = list(answers)
    return sum(counted) / len(counted) if counted else 1.0
