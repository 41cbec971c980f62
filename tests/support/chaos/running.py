"""One chaos run: a seeded load over workers that die, whatever else goes wrong meanwhile, and the audit at its end."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from tests.support.chaos.audit import Allowed, assert_sound
from tests.support.chaos.evidence import Evidence, gather, listening, settled_down
from tests.support.chaos.fleet import Fleet, fleet
from tests.support.chaos.load import PINNED_TOOL, Plan
from tests.support.chaos.load_sending import Sending, patient_client

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import StubEvent

DEFAULT_SEED = 1
NOTHING_EXCUSED = Allowed()
SECTIONS: dict[str, Any] = {
    "result": {"threshold": 8000},
    "turn": {"inline_budget": 10_000, "deadline_seconds": 25},
    # Stubs so short that what is longer surely shrinks: the audit is the sharper for it.
    "stub": {"max_chars": 800, "preview_chars": 300},
    "tools": {PINNED_TOOL: {"never": True}},
    # Four workers and all their servers share a machine: no more at a time than a store answers there in time.
    "worker": {"ack_wait_seconds": 2, "grace_seconds": 2, "in_flight": 24},
    "storage": {"retry_max_seconds": 2},
}
"""Settings under which much happens in little time, for `deployed`."""


def chosen_seed() -> int:
    """That of the environment variable SEED, else the default."""
    return int(os.environ.get("SEED") or DEFAULT_SEED)


def sections(**changes: dict[str, Any]) -> dict[str, Any]:
    """The settings of a chaos run with some values changed, by section."""
    return {name: {**SECTIONS.get(name, {}), **changes.get(name, {})} for name in {**SECTIONS, **changes}}


async def nothing_else() -> None:
    """No fault but the killed workers."""


async def run_chaos(
    settings: Settings,
    plan: Plan,
    folder: Path,
    *,
    workers: int = 4,
    workers_settings: Settings | None = None,
    spread_seconds: float = 25.0,
    kill_each_seconds: float = 1.0,
    faults: Callable[[], Awaitable[None]] = nothing_else,
    allowed: Allowed = NOTHING_EXCUSED,
    quiet_seconds: float = 90.0,
) -> None:
    """Publish the plan, kill a worker each so many seconds, let `faults` happen; then wait for quiet, and audit.

    The workers have `workers_settings` where a proxy stands before their servers. Fails with all that is wrong.
    """
    async with listening(settings) as ears, fleet(workers_settings or settings, folder, workers, plan.seed) as members:
        async with patient_client(settings) as client, meanwhile(members.kill_each, kill_each_seconds):
            sending = Sending(client, plan)
            await asyncio.gather(sending.run(spread_seconds), faults())
        async with meanwhile(members.keep_up):
            await settled_down(settings, quiet_seconds)
            evidence = await gather(settings, ears, plan.seed)
    tell(plan, evidence, members, sending)
    assert_sound(plan, evidence, allowed, f"the workers' logs in {folder}")
    assert members.kills, "no worker was killed"
    if not allowed.nats_away:
        assert members.ended == [], f"SEED={plan.seed}: workers ended by themselves"


@asynccontextmanager
async def meanwhile(what: Callable[..., Awaitable[None]], *arguments: float) -> AsyncIterator[None]:
    """Let it go on until the block ends, and then finish what it is at."""
    enough = asyncio.Event()
    running = asyncio.ensure_future(what(*arguments, enough))
    try:
        yield
    finally:
        enough.set()
        await running


def behind(settings: Settings, **changes: dict[str, Any]) -> Settings:
    """The settings with some values changed, by section: those of workers behind a proxy."""
    tree = msgspec.to_builtins(settings)
    return msgspec.convert(
        {name: {**tree[name], **changes[name]} if name in changes else tree[name] for name in tree}, Settings
    )


def tell(plan: Plan, evidence: Evidence, members: Fleet, sending: Sending) -> None:
    """The run in a few lines; shown where it fails, and by `make chaos`."""
    head = f"{plan.settings.nats.prefix}.stubs."
    events = [
        msgspec.json.decode(data, type=StubEvent) for subject, data in evidence.stored if subject.startswith(head)
    ]
    outcomes = Counter(f"{event.disposition} {event.reason or ''}".strip() for event in events)
    print(f"SEED={plan.seed}: {len(plan.results)} results in {len(plan.turns)} turns, {sending.retries} retries")
    print(f"  {members.kills} workers killed, {len(members.ended)} ended by themselves {members.ended[:3]}")
    print(f"  {dict(sorted(outcomes.items()))}, {len(evidence.letters)} dead letters")
    print(f"  {evidence.messages}, held {evidence.held_ever} times in all")
