"""`python -m accuracy.token_counts`: how near the estimate of tokens comes to a tokenizer's count, over the corpus."""

from collections.abc import Callable
from statistics import median

import click

from coatcheck_core.tokens import counter, estimate_tokens

from .corpus import data_of, load
from .texts import Text

_LEAST_BYTES = 2000
_MOST_CHARS = 30_000
_LEAST, _MOST = 0.85, 1.25


@click.command()
@click.option("--unit", default="bpe_openai:o200k_base", help="What counts exactly, as budget.unit names it.")
@click.option("--texts", "count", type=click.IntRange(1), default=600, help="So many at most, spread over the half.")
@click.option("--worst", type=click.IntRange(0), default=5, help="So many of the farthest on either side are named.")
def main(unit: str, count: int, worst: int) -> None:
    """Of whole texts of the held half that are UTF-8 and have 2 kB or more, up to their first 30,000 chars."""
    found = [text for text in load().half("held") if text.cut == "whole" and text.bytes >= _LEAST_BYTES]
    exactly = counter(unit)
    ratios = sorted(
        (ratio, text.name) for text in found[:: max(1, len(found) // count)] if (ratio := _ratio(text, exactly))
    )
    if not ratios:
        raise click.ClickException("the corpus has no such text: build it with `make accuracy`")
    within = sum(_LEAST <= ratio <= _MOST for ratio, _ in ratios) / len(ratios)
    middle = median(ratio for ratio, _ in ratios)
    click.echo(
        f"{len(ratios)} texts: estimate / {unit} is {middle:.2f} in the middle, for {within:.1%} {_LEAST} to {_MOST}"
    )
    for ratio, name in ratios[:worst] + ratios[len(ratios) - worst :]:
        click.echo(f"  {ratio:.2f}  {name[-100:]}")


def _ratio(text: Text, exactly: Callable[[str], int]) -> float | None:
    try:
        content = data_of(text).decode()[:_MOST_CHARS]
    except UnicodeDecodeError:
        return None
    return estimate_tokens(content) / exactly(content)


if __name__ == "__main__":
    main()
