"""Base64 inside of a text is shown by its start alone; what only looks long is shown as it is."""

import base64
import json
import random

import pytest
from tests.support.deciding import arrived, rules

from coatcheck_core.decision import decide
from coatcheck_core.stub.encoded_runs import without_encoded_runs

DATA = random.Random(1).randbytes(60_000)
ENCODED = base64.b64encode(DATA).decode()


def stub(text: str) -> str:
    return str(decide(arrived(text), rules()).event.content)


@pytest.mark.parametrize(
    "text",
    [
        "data:image/png;base64," + ENCODED,
        ENCODED,
        base64.urlsafe_b64encode(DATA).decode(),
        base64.encodebytes(DATA).decode(),
        f"Here is the screenshot:\n![shot](data:image/png;base64,{ENCODED})\nDone.\n",
        json.dumps({"ok": True, "image": ENCODED, "more": [{"data": ENCODED}]}),
        f"<html><body><img src='data:image/png;base64,{ENCODED}'></body></html>",
    ],
    ids=["data uri", "bare", "url-safe", "in lines", "markdown", "json", "html"],
)
def test_a_sample_shows_no_base64_but_its_start(text: str) -> None:
    shown = stub(text).partition("Notable items:" if text[0] == "{" else "Sample:")[2]
    assert not any(ENCODED[start : start + 60] in shown for start in range(0, len(ENCODED) - 60, 7))
    assert ENCODED[:12] in shown


@pytest.mark.parametrize(
    "text",
    [
        "a" * 300,
        "0123456789abcdef" * 20,
        "/home/user/work/project/src/main/java/org/example/very/deep/package/of/classes/that/goes/on/and/on/Main",
        "ACGT" * 60,
        "the quick brown fox " * 20,
        "some_very_long_identifier_with_words_" * 5,
        "=" * 200,
        "A1b2" * 24,
    ],
)
def test_what_is_no_base64_stays(text: str) -> None:
    assert without_encoded_runs(text) == text


def test_what_stands_around_it_stays() -> None:
    assert without_encoded_runs(f"before {ENCODED[:400]}== after") == f"before {ENCODED[:16]}… after"
    assert without_encoded_runs(f"{ENCODED[:400]}…") == f"{ENCODED[:16]}…"
