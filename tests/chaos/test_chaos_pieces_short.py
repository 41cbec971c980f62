"""Results in pieces under killed workers, in short; `make chaos` runs more of them in full_chaos.py."""

from pathlib import Path

from tests.support.chaos.load import plan_load
from tests.support.chaos.running import NOTHING_EXCUSED, chosen_seed, sections
from tests.support.chaos.uploads import plan_uploads
from tests.support.chaos.uploads_running import run_chaos_with_uploads
from tests.support.servers import deployed

from coatcheck_workers.embedded import NatsServer, S3Server

IDLE_SECONDS = 8


async def test_results_in_pieces_and_others_while_workers_are_killed(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    changed = sections(turn={"deadline_seconds": 20}, upload={"idle_seconds": IDLE_SECONDS})
    async with deployed(nats_server, s3_server, **changed) as settings:
        plan = plan_load(settings, chosen_seed(), results=60, turns=9, largest_turn=12)
        uploads = plan_uploads(chosen_seed(), count=10, largest=6_000_000)
        await run_chaos_with_uploads(
            settings,
            plan,
            uploads,
            tmp_path,
            workers=2,
            spread_seconds=3,
            kill_each_seconds=2,
            allowed=NOTHING_EXCUSED,
        )
