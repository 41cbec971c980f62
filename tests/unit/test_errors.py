"""The tree of errors, and the numbers that go on the wire."""

import inspect

import msgspec
import pytest

from coatcheck_schemas import errors
from coatcheck_schemas.errors import CoatcheckError, Code, InvalidInput, InvalidResult, RequestError

CODES = {
    "invalid_argument": 400,
    "not_found": 404,
    "conflict": 409,
    "gone": 410,
    "too_large": 413,
    "unavailable": 503,
    "internal": 500,
}


def test_the_codes_and_their_numbers_are_those_of_the_contract() -> None:
    assert {str(code): code.number for code in Code} == CODES


@pytest.mark.parametrize("code", Code)
def test_a_code_goes_on_the_wire_as_its_word(code: Code) -> None:
    assert msgspec.json.decode(msgspec.json.encode(code), type=Code) is code


def test_every_error_has_its_place_in_the_drawn_tree() -> None:
    drawn = errors.__doc__ or ""
    found = [name for name, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, CoatcheckError)]
    assert len(found) > 10
    assert [name for name in found if name not in drawn] == []


def test_an_invalid_result_bears_the_reason_of_its_dead_letter() -> None:
    error = InvalidResult("invalid_json", "the body is not JSON")
    assert isinstance(error, InvalidInput)
    assert (error.reason, str(error)) == ("invalid_json", "the body is not JSON")


def test_a_request_error_keeps_its_facts() -> None:
    error = RequestError(Code.TOO_LARGE, "ask for less", limit=3)
    assert (error.code, error.message, error.details) == (Code.TOO_LARGE, "ask for less", {"limit": 3})
