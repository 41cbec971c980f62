"""What the doctor says where NATS lets a user in and not ask."""

from typing import Any

import pytest
from nats.errors import Error, NoRespondersError

from coatcheck_core.settings import Settings
from coatcheck_workers.deployment.administering import AS_ADMINISTRATOR
from coatcheck_workers.doctor import in_nats
from coatcheck_workers.doctor.finding import Finding
from coatcheck_workers.doctor.in_nats import looked_at


class JetStream:
    def __init__(self, error: Exception) -> None:
        self._error = error

    async def account_info(self) -> Any:
        raise self._error


class Client:
    """One whom nothing is answered, as `last_error` says why."""

    def __init__(self, error: Exception, last_error: Exception | None) -> None:
        self._error = error
        self.last_error = last_error

    def jetstream(self, **options: Any) -> JetStream:
        return JetStream(self._error)

    async def request(self, subject: str, payload: bytes, **options: Any) -> Any:
        raise NoRespondersError


async def found_by(monkeypatch: pytest.MonkeyPatch, client: Any) -> list[Finding]:
    async def nobody(*_: Any) -> list[Any]:
        return []

    monkeypatch.setattr(in_nats, "ask_workers", nobody)
    return [one async for one in looked_at(client, Settings())]


async def test_a_user_who_may_not_ask_is_told_to_log_in_as_another(monkeypatch: pytest.MonkeyPatch) -> None:
    denied = Error('nats: permissions violation for publish to "$srv.stats.coatcheck"')
    jetstream, workers = await found_by(monkeypatch, Client(TimeoutError(), denied))
    assert (jetstream.check, jetstream.status) == ("jetstream", "fail")
    assert jetstream.mend == AS_ADMINISTRATOR  # and nothing that opens every stream to an agent
    assert (workers.check, "administrator" in workers.mend) == ("workers", True)
    assert (workers.status, workers.found.startswith("these credentials may not look at")) == ("warn", True)


async def test_an_account_without_jetstream_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    jetstream, workers = await found_by(monkeypatch, Client(Error("jetstream not enabled for account"), None))
    assert "not enabled for account" in jetstream.found
    assert "enable JetStream for this account" in jetstream.mend
    assert "start workers" in workers.mend
