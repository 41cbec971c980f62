"""docs/errors.md has every reason of a letter, every code of an error, every exit code and every line of the log."""

import re

import pytest
from generate.places import PROSE, ROOT
from tests.support.log_texts import log_texts

from coatcheck_schemas.errors import Code
from coatcheck_workers.connection import EXIT_CONNECTION_LOST
from coatcheck_workers.process.vital import EXIT_TASK_DIED
from coatcheck_workers.process.watchdog import EXIT_STUCK

PAGE = (ROOT / "docs" / "errors.md").read_text()


def first_cells(heading: str) -> set[str]:
    """What stands as code in the first column below a heading."""
    section = re.split(r"^## ", PAGE.split(f"\n## {heading}\n", 1)[1], flags=re.MULTILINE)[0]
    rows = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| ")]
    return {text for row in rows for text in re.findall(r"`([^`]+)`", row)}


def test_every_reason_of_a_dead_letter_has_a_row() -> None:
    told = re.search(r"^\| `Coat-Reason` \| a word: (.*) \|$", PROSE.read_text(), re.MULTILINE)
    assert told is not None
    assert first_cells("Dead letters") == set(re.findall(r"`(\w+)`", told[1]))


def test_every_code_of_an_error_has_a_row() -> None:
    assert first_cells("Errors of requests") == {code.value for code in Code}


@pytest.mark.parametrize("code", [EXIT_CONNECTION_LOST, EXIT_TASK_DIED, EXIT_STUCK])
def test_every_exit_code_of_the_service_s_own_has_a_row(code: int) -> None:
    assert f"\n| {code} | " in PAGE


def test_every_warning_and_error_of_the_log_has_a_row_and_no_row_is_of_none() -> None:
    there, told = log_texts(), first_cells("The log")
    assert len(there) > 50
    assert {text: file for text, file in there.items() if text not in told} == {}
    assert told - set(there) == set()
