"""`python -m accuracy`: build the corpus, and tell how often the synopsis is right."""

import sys
from collections import Counter
from pathlib import Path

import click

from .corpus import FOLDER, Corpus, build, data_of, load
from .figures import Figures, Verdict, figures, judge
from .texts import KINDS, Half

HEAD_CHARS = 300
_WORST = 25


@click.command()
@click.option("--develop", "half", flag_value="develop", help="The half that may be looked at.")
@click.option("--held", "half", flag_value="held", default="held", help="The half that nothing was tuned on (default).")
@click.option("--rebuild", is_flag=True, help="Build the corpus anew.")
@click.option("--wrong", is_flag=True, help="List the wrong ones of the develop half.")
@click.option("--kind", type=click.Choice(KINDS), help="Of those labelled, or taken for, this kind.")
@click.option("--formats", is_flag=True, help="With --wrong: those whose format alone is wrong, too.")
@click.option("--list", "listed", is_flag=True, help="List the texts of the develop half with their labels.")
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="Judge the files of other trees instead.",
)
@click.option("--brief", is_flag=True, help="With --wrong: no heads of texts.")
def main(
    half: Half,
    rebuild: bool,
    wrong: bool,
    kind: str | None,
    formats: bool,
    listed: bool,
    roots: tuple[Path, ...],
    brief: bool,
) -> None:
    """Exit code 1 where a figure is below its bar."""
    folder = FOLDER.parent / ".corpus-elsewhere" if roots else FOLDER
    corpus = build(folder, roots) if rebuild or roots else load(folder)
    texts = corpus.texts if roots else corpus.half("develop" if wrong or listed else half)
    if listed:
        for text in texts:
            click.echo(f"{text.label}\t{text.cut}\t{text.sha256[:12]}\t{text.name[:150]!r}")
        return
    verdicts = [judge(text, folder) for text in texts]
    result = figures(verdicts)
    if wrong:
        _show_wrong(verdicts, kind, formats, brief, folder)
    _show(corpus, result, verdicts)
    failures = result.below_the_bars()
    for failure in failures:
        click.echo(f"BELOW THE BAR: {failure}")
    sys.exit(bool(failures))


def _show_wrong(verdicts: list[Verdict], kind: str | None, formats: bool, brief: bool, folder: Path) -> None:
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


def _show(corpus: Corpus, result: Figures, verdicts: list[Verdict]) -> None:
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


if __name__ == "__main__":
    main()
