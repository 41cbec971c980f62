"""The figures, and what is wrong, as lines of text."""

from collections import Counter
from pathlib import Path

import click

from .corpus import Corpus, data_of
from .figures import Figures, Verdict
from .texts import KINDS

HEAD_CHARS = 300
_WORST = 25


def show_wrong(verdicts: list[Verdict], kind: str | None, *, formats: bool, brief: bool, folder: Path) -> None:
    """Of the half that may be looked at."""
    for verdict in verdicts:
        if verdict.is_kind_right and (verdict.is_format_right or not formats):
            continue
        if kind is not None and kind not in (verdict.kind, verdict.text.label.kind):
            continue
        text = verdict.text
        taken_for = f"{text.label} taken for {verdict.kind}/{verdict.format}"
        click.echo(f"{taken_for}: {text.name[:200]!r} ({text.cut}, {text.bytes} bytes, {text.sha256[:12]})")
        if not brief:
            click.echo(f"    {data_of(text, folder)[:HEAD_CHARS]!r}")


def show(corpus: Corpus, result: Figures, verdicts: list[Verdict]) -> None:
    commands = {verdict.text.command for verdict in verdicts} - {None}
    every = {text.command for text in corpus.texts} - {None}
    cuts = Counter(verdict.text.cut for verdict in verdicts)
    printed = f"{len(commands)} of {len(every)} kinds of command"
    click.echo(f"{len(verdicts)} of {len(corpus.texts)} texts, {printed}; left out: {len(corpus.missing)} commands")
    click.echo("cuts: " + ", ".join(f"{cut} {count}" for cut, count in cuts.most_common()))
    click.echo(f"\n{'is / taken for':>15}" + "".join(f"{kind:>8}" for kind in KINDS) + "   total  recall  precision")
    for kind, row in result.matrix.items():
        cells = "".join(f"{row[other] or '.':>8}" for other in KINDS)
        click.echo(
            f"{kind:>15}{cells}{row.total():>8}{result.recall.get(kind, 1):>8.1%}{result.precision.get(kind, 1):>11.1%}"
        )
    click.echo(f"\nkind: {result.overall:.2%} overall")
    click.echo(f"format: {result.graded:.2%} of texts with a graded format, {result.plain:.2%} of texts with none")
    click.echo(f"stub: median {result.stub_median:.0f} chars, longest {result.stub_longest}")
    if result.confusions:
        click.echo(
            "worst confusions: "
            + "; ".join(f"{label} -> {answer} {count}" for label, answer, count in result.confusions[:_WORST])
        )
