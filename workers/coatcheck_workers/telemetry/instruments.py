"""All by which one worker is watched, joined in one place."""

import logging
from collections.abc import Coroutine
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol

from nats.js import JetStreamContext

from coatcheck_core.settings import Settings
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.provisioning import DURABLE, declared

from .counts import Counts
from .health import Health, Linked, Stage
from .loop_lag import LoopLag
from .opening import open_tracing
from .standing import Standing
from .streams import StreamFigures, short
from .watch import Watch

if TYPE_CHECKING:
    from .serving import HttpServer

log = logging.getLogger("coatcheck.telemetry")

_CONSUMED = ("results", "held")


class Connected(Linked, Protocol):
    reconnects: int


class Telemetry:
    """Raises Unusable where tracing is asked for and cannot be had."""

    def __init__(self, settings: Settings, connection: Connected) -> None:
        self._settings = settings
        self.counts = Counts()
        self.tracing = open_tracing(settings.tracing)
        self.watch = Watch(self.counts, self.tracing, settings.nats.prefix)
        self.health = Health(connection)
        self.standing = Standing(self.health, StreamFigures())
        self.standing.reconnects = lambda: connection.reconnects
        self.health.deaf = lambda: [name for name, pull in self.standing.pulls.items() if pull.waits_for_consumer]
        self._lag = LoopLag(self.counts.loop_lag.add)
        self._server: HttpServer | None = None

    async def open(self) -> None:
        """Answer for the worker's health, already before NATS does. Raises CannotListen."""
        self._lag.start()
        if self._settings.http.port:
            self._server = await self._serving()
            log.info("health and metrics at %s", self._server.url)

    async def _serving(self) -> "HttpServer":
        # Here: a worker that nobody asks over HTTP starts sooner without h11 and the Prometheus client.
        from .exposition import Exposition, WorkerCollector
        from .pages import WorkerPages
        from .serving import HttpServer

        exposition = Exposition(WorkerCollector(self.counts, self.standing, version("coatcheck")))
        server = HttpServer(WorkerPages(self.health, exposition), self._settings.http.host, self._settings.http.port)
        await server.start()
        return server

    def polling(self, jetstream: JetStreamContext) -> list[Coroutine[Any, Any, None]]:
        """What is to run for ever beside the worker's work: nothing where nobody could read of it."""
        if self._server is None:
            return []
        subjects, prefix = Subjects(self._settings.nats.prefix), self._settings.nats.prefix
        names = [str(stream.name) for stream in declared.streams(self._settings)]
        consumers = [(subjects.stream(name), DURABLE) for name in _CONSUMED]
        return [self.standing.streams.poll_for_ever(jetstream, names, consumers, prefix)]

    def working(self) -> None:
        """All is started."""
        self.health.stage = Stage.WORKING

    def stopping(self) -> None:
        """Nothing more is taken."""
        self.health.stage = Stage.STOPPING

    async def close(self) -> None:
        """The last of all, so that whoever asks meanwhile is told that the worker stops."""
        self._lag.stop()
        if self._server is not None:
            await self._server.close()
        if self.tracing is not None:
            self.tracing.close()

    def figures(self) -> dict[str, Any]:
        """For `$SRV.STATS`: totals since the start, and what is so now; `result_seconds` as a histogram."""
        counts, pulls = self.counts, self.standing.pulls.values()
        return {
            "results": sum(counts.results.values()),
            "bytes": sum(counts.result_bytes.values()),
            "dead_letters": sum(counts.dead_letters.values()),
            "retries": sum(counts.retries.values()),
            "saved_tokens": counts.saved.tokens,
            "in_flight": sum(pull.in_flight for pull in pulls),
            "in_flight_bytes": sum(pull.in_flight_bytes for pull in pulls),
            "loop_lag_seconds": self._lag.last_seconds,
            "result_seconds": _merged(counts),
        }

    def trace_id(self) -> str | None:
        """Of the trace in hand, for lines of the log."""
        return None if self.tracing is None else self.tracing.trace_id()

    def short_name(self, stream: str) -> str:
        """Of a stream, by its name in NATS."""
        return short(stream, self._settings.nats.prefix)


def _merged(counts: Counts) -> dict[str, list[float]]:
    """From receipt to stub, of all dispositions together."""
    bounds = counts.result_seconds.bounds
    columns = zip([0] * (len(bounds) + 1), *(one.counts for one in counts.result_seconds.values()), strict=True)
    return {"bounds": list(bounds), "counts": [sum(column) for column in columns]}
