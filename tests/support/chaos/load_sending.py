"""Publishing a load as agents do: many at once, each until it is acknowledged, each retry under the same message id."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import nats
import nats.errors
from nats.aio.client import Client
from nats.js.errors import Error as JetStreamError
from tests.support.chaos.load import Plan, Planned, PlannedTurn

from coatcheck_core.settings import Settings
from coatcheck_schemas.anybytes import hear_any_bytes
from coatcheck_schemas.subjects import Subjects

AT_ONCE = 48
ACK_SECONDS = 2.0
GIVE_UP_SECONDS = 90.0
_LONGEST_PAUSE_SECONDS = 1.0


@asynccontextmanager
async def patient_client(settings: Settings) -> AsyncIterator[Client]:
    """A connection that outlives the server's absence, and says nothing of it."""
    client = await nats.connect(
        settings.nats.url.split(","),
        connect_timeout=5,
        max_reconnect_attempts=-1,
        reconnect_time_wait=0.1,
        error_cb=_ignore,
    )
    hear_any_bytes(client)
    try:
        yield client
    finally:
        await client.close()


class Sending:
    """One run over a plan; `retries` counts what was published again because no acknowledgement came."""

    def __init__(self, client: Client, plan: Plan) -> None:
        self.retries = 0
        self._jetstream = client.jetstream(timeout=ACK_SECONDS)
        self._plan = plan
        self._subjects = Subjects(plan.settings.nats.prefix)
        self._random = random.Random(plan.seed + 1)
        self._places = asyncio.Semaphore(AT_ONCE)

    async def run(self, spread_seconds: float) -> None:
        """Publish all of it; the turns begin at times spread over so many seconds."""
        async with asyncio.TaskGroup() as group:
            for turn in self._plan.turns:
                group.create_task(self._turn(turn, self._random.uniform(0, spread_seconds), spread_seconds))
            for number, stray in enumerate(self._plan.strays):
                subject = f"{self._subjects.prefix}.{stray.subject}"
                group.create_task(self._publish(subject, stray.body, {"Nats-Msg-Id": f"stray-{number}"}))

    async def _turn(self, turn: PlannedTurn, begin_seconds: float, spread_seconds: float) -> None:
        order = self._random.sample(turn.results, len(turn.results))
        if turn.shape == "none":  # results of no turn have nothing to do with each other
            delays = [self._random.uniform(0, spread_seconds) for _ in order]
        else:
            await asyncio.sleep(begin_seconds)
            delays = [self._random.uniform(0, 0.5) for _ in order]
        await asyncio.gather(*(self._result(result, delay) for result, delay in zip(order, delays, strict=True)))
        for number in range(turn.ends if turn.end is not None else 0):
            message_id = f"end-{turn.at.session}-{turn.at.turn}-{number}"
            await self._publish(self._subjects.turn_end(turn.at), turn.end or b"", {"Nats-Msg-Id": message_id})

    async def _result(self, result: Planned, delay_seconds: float) -> None:
        await asyncio.sleep(delay_seconds)
        unique = f"{result.at.session}/{result.at.turn}/{result.name}/{result.sha256[:8]}"
        await asyncio.gather(*(self._message(result, unique) for _ in range(result.copies)))
        for number in range(result.again):
            await self._message(result, f"{unique}/{number}")

    async def _message(self, result: Planned, message_id: str) -> None:
        await self._publish(
            self._subjects.results(result.at), result.body, {**result.headers, "Nats-Msg-Id": message_id}
        )

    async def _publish(self, subject: str, body: bytes, headers: dict[str, str]) -> None:
        """Until the stream says that it has it. A timeout means nothing, so the same goes out again."""
        loop = asyncio.get_running_loop()
        give_up = loop.time() + GIVE_UP_SECONDS
        pause = 0.05
        while True:
            try:
                async with self._places:
                    await self._jetstream.publish(subject, body, headers=headers)
                return
            except (JetStreamError, nats.errors.Error, TimeoutError) as error:
                if loop.time() > give_up:
                    raise AssertionError(f"{subject} was not taken within {GIVE_UP_SECONDS:g} s: {error!r}") from error
            self.retries += 1
            await asyncio.sleep(pause * self._random.uniform(0.5, 1))
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)


async def _ignore(_: Exception) -> None:
    """What the faults of a test bring about; nats-py would log each with its traceback."""
