"""A worker tells what it did, and whether it works, over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest
from tests.support.agents import Agent, agent
from tests.support.http import Scraped, get
from tests.support.ports import reserved_port
from tests.support.servers import connected, unprovisioned
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_core.settings.operating import HttpSettings
from coatcheck_workers.embedded import S3Server
from coatcheck_workers.telemetry import streams
from coatcheck_workers.telemetry.serving import CannotListen


def watched(settings: Settings) -> tuple[Settings, str]:
    """The settings with an HTTP server, and where it will answer."""
    port = reserved_port()
    return msgspec.structs.replace(settings, http=HttpSettings(port=port)), f"http://127.0.0.1:{port}"


@asynccontextmanager
async def worked(deployment: Settings) -> AsyncIterator[tuple[str, Agent]]:
    """A worker after a known load: an inline result, an offloaded one, a bad one, and four requests."""
    settings, url = watched(deployment)
    async with worker_here(settings), agent(settings) as it:
        await it.offload("small", "x" * 100)
        large = await it.offload("large", "word " * 8000)
        await it.publish_raw(it.subjects.results(it.address("bad")), b"not json")
        await it.stub("bad")
        assert "ok" in await it.request("read", {"ref": large.ref})
        assert "error" in await it.request("read", {"ref": str(large.ref).replace("large", "other")})
        assert "ok" in await it.request("list", {})
        assert "error" in await it.request("list", {"nonsense": 1})
        yield url, it


async def scraped(url: str) -> Scraped:
    answer = await get(url, "/metrics")
    assert answer.status == 200
    return Scraped(answer.body)


async def test_metrics_are_those_of_the_load(deployment: Settings) -> None:
    async with worked(deployment) as (url, _):
        await eventually(lambda: _is_settled(url), expecting="all three messages are through")
        metrics = await scraped(url)
    results = "coatcheck_results_total"
    assert metrics.value(results, disposition="inline", reason="none") == 1
    assert metrics.value(results, disposition="offloaded", reason="single_threshold", kind="text") == 1
    assert metrics.value(results, disposition="failed", reason="invalid") == 1
    assert metrics.value("coatcheck_result_bytes_total") == 40_100
    assert 30_000 < metrics.value("coatcheck_context_saved_chars_total") < 40_000
    assert 6_000 < metrics.value("coatcheck_context_saved_tokens_total") < 12_000
    assert metrics.value("coatcheck_dead_letters_total", reason="invalid_json") == 1
    assert metrics.value("coatcheck_result_duration_seconds_count") == 3
    assert metrics.value("coatcheck_requests_total", verb="read", code="ok") == 1
    assert metrics.value("coatcheck_requests_total", verb="read", code="not_found") == 1
    assert metrics.value("coatcheck_requests_total", verb="list", code="invalid_argument") == 1
    assert metrics.value("coatcheck_request_duration_seconds_count", verb="list") == 2
    assert metrics.value("coatcheck_store_requests_total", operation="put", outcome="ok") >= 3
    assert metrics.value("coatcheck_publish_duration_seconds_count", operation="stub") == 3
    assert metrics.value("coatcheck_ready") == 1


async def _is_settled(url: str) -> bool:
    """Each is counted a moment after its stub or its reply went out."""
    metrics = await scraped(url)
    handled = metrics.value("coatcheck_handling_duration_seconds_count")
    return handled == 3 and metrics.value("coatcheck_requests_total") == 4


async def test_no_label_bears_an_id(deployment: Settings) -> None:
    async with worked(deployment) as (url, it):
        page = (await get(url, "/metrics")).body
    for identifier in (it.session, "small", "large", "cat"):
        assert f'="{identifier}'.encode() not in page


async def test_streams_say_how_full_they_are(deployment: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "EVERY_SECONDS", 0.05)
    async with worked(deployment) as (url, _):

        async def has_letters() -> bool:
            return (await scraped(url)).value("coatcheck_stream_messages", stream="dlq") == 1

        await eventually(has_letters, expecting="the dead letter is counted")
        metrics = await scraped(url)
    assert metrics.value("coatcheck_stream_max_bytes", stream="results") == deployment.streams.results.max_bytes
    assert {labels["stream"] for labels in metrics.labels("coatcheck_backlog_messages")} == {"results", "held"}


async def test_a_worker_is_ready_until_it_is_to_stop(deployment: Settings) -> None:
    settings, url = watched(deployment)
    async with worker_here(settings) as worker:
        assert (await get(url, "/readyz")).status == (await get(url, "/healthz")).status == 200
        worker.telemetry.stopping()
        answer = await get(url, "/readyz")
    assert answer.status == 503
    assert msgspec.json.decode(answer.body) == {"status": "unavailable", "reasons": ["the worker is stopping"]}


async def test_a_worker_that_nats_has_not_answered_lives_and_is_not_ready(s3_server: S3Server) -> None:
    nobody = f"nats://127.0.0.1:{reserved_port()}"
    settings, url = watched(unprovisioned(_At(nobody), s3_server))
    starting = asyncio.ensure_future(_start(settings))
    try:
        await eventually(lambda: _answers(url), expecting="the worker answers for its health")
        ready = await get(url, "/readyz")
        assert (await get(url, "/healthz")).status == 200
    finally:
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
    assert ready.status == 503
    assert b"the worker is starting" in ready.body


async def test_a_worker_whose_stream_has_gone_is_not_ready(deployment: Settings) -> None:
    settings, url = watched(deployment)
    async with worker_here(settings) as worker, connected(settings) as client:
        await client.jetstream().delete_consumer(f"{settings.nats.prefix}_RESULTS".upper(), "workers")
        await eventually(lambda: _is_unready(url), expecting="nothing can be taken")
        answer = await get(url, "/readyz")
        assert worker.telemetry.health.why_not_alive() == []
    assert b"nothing can be taken from results" in answer.body


async def test_a_port_that_is_taken_is_named(deployment: Settings) -> None:
    settings, _ = watched(deployment)
    async with worker_here(settings):
        with pytest.raises(CannotListen, match=rf"http.port {settings.http.port} cannot be listened on"):
            async with worker_here(settings):
                raise AssertionError("two workers listen on one port")


class _At:
    def __init__(self, url: str) -> None:
        self.url = url


async def _start(settings: Settings) -> None:
    async with worker_here(settings):
        raise AssertionError("there is no server")


async def _answers(url: str) -> bool:
    try:
        return (await get(url, "/healthz")).status > 0
    except OSError:
        return False


async def _is_unready(url: str) -> bool:
    return (await get(url, "/readyz")).status == 503
