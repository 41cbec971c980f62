"""The short run of `make test`; `make chaos` runs the full set in full_chaos.py."""

from pathlib import Path

from tests.support.chaos.load import plan_load
from tests.support.chaos.running import chosen_seed, run_chaos, sections
from tests.support.servers import deployed

from coatcheck_workers.embedded import NatsServer, S3Server


async def test_200_results_in_20_turns_while_workers_are_killed(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    async with deployed(nats_server, s3_server, **sections(turn={"deadline_seconds": 20})) as settings:
        plan = plan_load(settings, chosen_seed(), results=200, turns=20, largest_turn=25)
        await run_chaos(settings, plan, tmp_path, workers=3, spread_seconds=5, kill_each_seconds=2)
