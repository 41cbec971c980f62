"""`python -m fuzz [SECONDS]`: mutate seeds for so long, guided by which lines of the core they reach.

Seeds are the hostile inputs, the harmless documents, and the developing half of the labelled corpus where it is built.
What it finds is kept in `build/fuzz`, as the bytes of the input; `python -m fuzz.case FILE` runs one again.
"""

import os
import subprocess
import sys
from pathlib import Path

from . import case, seeds

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "fuzz"
DEFAULT_SECONDS = 60
MOST_BYTES = 16_384
BLOCK_BYTES = 1024
"""Small, so that an input of some kilobytes has borders of blocks in it."""
ONE_INPUT_SECONDS = 5
_CHILD = "--mutate"


def main(arguments: list[str]) -> int:
    if arguments[:1] == [_CHILD]:
        _mutate(arguments[1:])
        return 0
    seconds = int(arguments[0]) if arguments else DEFAULT_SECONDS
    found, corpus = BUILD / "found", BUILD / "corpus"
    found.mkdir(parents=True, exist_ok=True)
    before = set(found.iterdir())
    count = seeds.write(corpus)
    words = seeds.write_words(BUILD / "words.txt")
    print(f"{count} seeds, {seconds} s", flush=True)
    code = subprocess.call(
        [
            *(sys.executable, "-m", "fuzz", _CHILD, str(corpus)),
            *(f"-max_total_time={seconds}", f"-timeout={ONE_INPUT_SECONDS}", f"-max_len={MOST_BYTES}"),
            *(f"-dict={words}", f"-artifact_prefix={found}{os.sep}", "-print_final_stats=1", "-rss_limit_mb=1024"),
        ],
        cwd=ROOT,
    )
    for file in sorted(set(found.iterdir()) - before):
        print(f"found: {file.relative_to(ROOT)}; again: python -m fuzz.case {file.relative_to(ROOT)}")
    return code


def _mutate(arguments: list[str]) -> None:
    import atheris

    with atheris.instrument_imports(include=["coatcheck_core.synopsis", "coatcheck_core.stub"]):
        import coatcheck_core.stub
        import coatcheck_core.synopsis  # noqa: F401

    from tests.support.hostile.block_size import block_size

    with block_size(BLOCK_BYTES):
        atheris.Setup([sys.argv[0], *arguments], case.run)
        atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
