"""How fast tokens are estimated, beside a tokenizer that counts them exactly."""

import time
from collections.abc import Callable

from tests.support.token_texts import token_texts

from benchmarks.rows import Row, compared
from coatcheck_core.tokens import counter, estimate_tokens

_MB = 1_000_000
_ASCII = ">= 50 MB/s"
_TEXTS = {"outline.py": _ASCII, "log with hashes": _ASCII, "english": _ASCII, "chinese": "", "german": ""}
_BYTES = 400_000
_REPEATS = 5


def counting(quick: bool) -> list[Row]:
    exactly = counter("bpe_openai:o200k_base")
    texts = dict(token_texts())
    rows = []
    for name, asked in _TEXTS.items():
        text = texts[name] * (_BYTES // len(texts[name].encode()))
        pairs = [(_rate(estimate_tokens, text), _rate(exactly, text)) for _ in range(1 if quick else 5)]
        rows.append(compared(f"estimate of tokens, {name}, beside o200k_base itself", "MB/s", pairs, asked))
    return rows


def _rate(count: Callable[[str], int], text: str) -> float:
    """The best of some, by the processor's time, since others use the machine, too."""
    return len(text.encode()) / _MB / min(_seconds(count, text) for _ in range(_REPEATS))


def _seconds(count: Callable[[str], int], text: str) -> float:
    started = time.process_time()
    count(text)
    return time.process_time() - started
