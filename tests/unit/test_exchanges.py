"""Every verb and every operation has its structs, and they are named for what they are."""

import pytest

from coatcheck_schemas.exchanges import FILE_REQUESTS, REQUESTS, Exchange
from coatcheck_schemas.filesystem import OPERATIONS
from coatcheck_schemas.subjects import VERBS


def test_every_verb_has_its_request_and_its_reply() -> None:
    assert tuple(sorted(REQUESTS)) == tuple(sorted(VERBS))


def test_every_operation_on_files_has_its_request_and_its_reply() -> None:
    assert tuple(FILE_REQUESTS) == OPERATIONS


@pytest.mark.parametrize(
    "exchange", [*REQUESTS.values(), *FILE_REQUESTS.values()], ids=lambda one: one.request.__name__
)
def test_a_request_is_strict_and_its_reply_may_grow(exchange: Exchange) -> None:
    assert exchange.request.__struct_config__.forbid_unknown_fields
    assert not exchange.reply.__struct_config__.forbid_unknown_fields
    assert exchange.request.__name__.removesuffix("Request") == exchange.reply.__name__.removesuffix("Reply")
