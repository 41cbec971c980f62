"""`python -m accuracy`: build the corpus, and tell how often the synopsis is right."""

import sys
import time
from collections.abc import Iterable
from pathlib import Path

import click

from .corpus import FOLDER, build, load
from .figures import figures, judge
from .prefixes import failures, sampled_prefixes
from .report import show, show_wrong
from .texts import KINDS, Half, Text

_ELSEWHERE = FOLDER.parent / ".corpus-elsewhere"
_TREE = click.Path(path_type=Path, exists=True)


@click.command()
@click.option("--develop", "half", flag_value="develop", help="The half that may be looked at.")
@click.option("--held", "half", flag_value="held", default="held", help="The half that nothing was tuned on (default).")
@click.option("--rebuild", is_flag=True, help="Build the corpus anew.")
@click.option("--wrong", is_flag=True, help="List the wrong ones of the develop half.")
@click.option("--kind", type=click.Choice(KINDS), help="Of those labelled, or taken for, this kind.")
@click.option("--formats", is_flag=True, help="With --wrong: those whose format alone is wrong, too.")
@click.option("--brief", is_flag=True, help="With --wrong: no heads of texts.")
@click.option("--list", "listed", is_flag=True, help="List the texts of the develop half with their labels.")
@click.option("--prefixes", "seconds", type=float, metavar="SECONDS", help="Cut the develop half's texts anywhere.")
@click.option("--root", "roots", multiple=True, type=_TREE, help="Judge the files of other trees instead.")
def main(
    half: Half,
    rebuild: bool,
    wrong: bool,
    kind: str | None,
    formats: bool,
    brief: bool,
    listed: bool,
    seconds: float | None,
    roots: tuple[Path, ...],
) -> None:
    """Exit code 1 where a figure is below its bar, or a prefix does any harm."""
    if seconds is not None:
        sys.exit(_cut_anywhere(seconds))
    folder = _ELSEWHERE if roots else FOLDER
    corpus = build(folder, roots) if rebuild or roots else load(folder)
    texts = corpus.texts if roots else corpus.half("develop" if wrong or listed else half)
    if listed:
        _list(texts)
        return
    verdicts = [judge(text, folder) for text in texts]
    if wrong:
        show_wrong(verdicts, kind, formats=formats, brief=brief, folder=folder)
    result = figures(verdicts)
    show(corpus, result, verdicts)
    below = result.below_the_bars()
    for failure in below:
        click.echo(f"BELOW THE BAR: {failure}")
    sys.exit(bool(below))


def _list(texts: Iterable[Text]) -> None:
    for text in texts:
        click.echo(f"{text.label}\t{text.cut}\t{text.sha256[:12]}\t{text.name[:150]!r}")


def _cut_anywhere(seconds: float) -> bool:
    seed = time.time_ns()
    click.echo(f"seed {seed}")
    found = 0
    for failure in failures(sampled_prefixes(seed), seconds):
        click.echo(failure)
        found += 1
    click.echo(f"{found} failures")
    return bool(found)


if __name__ == "__main__":
    main()
