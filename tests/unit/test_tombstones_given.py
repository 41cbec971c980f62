"""Whatever asks about deletions is told by whom: none takes it that nothing was deleted because nobody said so."""

import inspect
from collections.abc import Callable

import pytest

from coatcheck_workers.deleting.deletions import Deletions
from coatcheck_workers.flow.edges import Edges
from coatcheck_workers.flow.left_behind import LeftBehind
from coatcheck_workers.keeping.late import Late
from coatcheck_workers.retrieval import Retrieval
from coatcheck_workers.streams.ledger import Ledger


@pytest.mark.parametrize("asking", [Edges, Edges.connect, Late, LeftBehind, Ledger, Retrieval, Deletions])
def test_what_knows_of_deletions_must_be_given(asking: Callable[..., object]) -> None:
    assert inspect.signature(asking).parameters["tombstones"].default is inspect.Parameter.empty
