"""Asking JetStream: patient with a cluster that gathers or elects a leader, and with nothing else."""

from collections.abc import Awaitable, Callable

import nats.errors
import pytest
from nats.js.errors import APIError, NotFoundError, ServerError, ServiceUnavailableError

from coatcheck_workers.provisioning import ProvisionError
from coatcheck_workers.provisioning.asking import asked

NO_LEADER = ServiceUnavailableError(code=503, err_code=10008, description="JetStream system temporarily unavailable")
NOT_ENABLED = ServiceUnavailableError(code=503, err_code=10039, description="jetstream not enabled for account")
NOBODY_SERVES_IT = ServiceUnavailableError()
FEW_SERVERS = APIError(code=400, err_code=10005, description="no suitable peers for placement, peer offline")
OFFLINE = ServerError(code=500, err_code=10118, description="stream is offline")


def _answers(*said: Exception | str) -> tuple[Callable[[], Awaitable[str]], list[Exception | str]]:
    """A call that gives one answer after another, and what is left of them."""
    left = list(said)

    async def ask() -> str:
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return ask, left


@pytest.mark.parametrize(
    "trouble", [NO_LEADER, FEW_SERVERS, OFFLINE, nats.errors.TimeoutError(), TimeoutError()], ids=repr
)
async def test_what_an_election_ends_is_waited_for(trouble: Exception) -> None:
    ask, left = _answers(trouble, trouble, "there")
    assert await asked("looking", ask) == "there"
    assert left == []


@pytest.mark.parametrize(
    "refusal",
    [
        NOT_ENABLED,
        NOBODY_SERVES_IT,
        APIError(code=400, err_code=1, description="no"),
        nats.errors.ConnectionClosedError(),
    ],
    ids=repr,
)
async def test_a_refusal_that_no_waiting_ends_is_told_at_once(refusal: Exception) -> None:
    ask, left = _answers(refusal, "there")
    with pytest.raises(ProvisionError, match="looking at it: "):
        await asked("looking at it", ask)
    assert left == ["there"]


async def test_what_is_missing_is_the_caller_s_affair() -> None:
    ask, _ = _answers(NotFoundError(code=404, err_code=10059, description="stream not found"))
    with pytest.raises(NotFoundError):
        await asked("looking", ask)


@pytest.mark.parametrize("trouble", [NO_LEADER, TimeoutError()], ids=repr)
async def test_patience_ends(trouble: Exception) -> None:
    ask, left = _answers(trouble, "there")
    with pytest.raises(ProvisionError, match=r"temporarily unavailable|does not answer \(TimeoutError\)"):
        await asked("looking", ask, patience_seconds=0)
    assert left == ["there"]
