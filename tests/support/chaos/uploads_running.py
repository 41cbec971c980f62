"""A chaos run with results in pieces among the others, and both audits at its end."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import minio
from nats.js.api import StreamInfo
from tests.support.chaos.audit import Allowed, assert_sound
from tests.support.chaos.evidence import gather, listening, settled_down
from tests.support.chaos.fleet import Fleet, fleet
from tests.support.chaos.load import Plan
from tests.support.chaos.load_sending import patient_client
from tests.support.chaos.running import meanwhile, nothing_else, tell
from tests.support.chaos.uploads import PlannedUpload, expected
from tests.support.chaos.uploads_audit import Left, apart, find_upload_faults
from tests.support.chaos.uploads_sending import SendingUploads

from coatcheck_core.settings import Settings
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.subjects import Subjects

MOST_WORKER_BYTES = 450_000_000
"""What a worker has when it idles, and what eight large results at once may take of it on top."""


async def run_chaos_with_uploads(
    settings: Settings,
    plan: Plan,
    uploads: list[PlannedUpload],
    folder: Path,
    *,
    workers: int,
    workers_settings: Settings | None = None,
    spread_seconds: float,
    kill_each_seconds: float,
    faults: Callable[[], Awaitable[None]] = nothing_else,
    allowed: Allowed,
    quiet_seconds: float = 120.0,
) -> None:
    """As `run_chaos`, with these uploads beside the plan."""
    async with listening(settings) as ears, fleet(workers_settings or settings, folder, workers, plan.seed) as members:
        async with patient_client(settings) as client, meanwhile(members.kill_each, kill_each_seconds):
            sending = SendingUploads(client, plan, uploads)
            await asyncio.gather(sending.run(spread_seconds), faults())
        async with meanwhile(members.keep_up):
            await settled_down(settings, quiet_seconds)
            evidence = await gather(settings, ears, plan.seed)
            left = await _left(settings, members)
    ordinary, of_pieces = apart(evidence)
    tell(plan, evidence, members, sending)
    print(f"  {len(uploads)} in pieces, {sum(one.size for one in uploads)} bytes; a worker took {left.worker_bytes}")
    wanted = [await asyncio.to_thread(expected, one) for one in uploads]
    found = find_upload_faults(wanted, of_pieces, left, Subjects(settings.nats.prefix), MOST_WORKER_BYTES)
    shown = "\n- ".join(["", *found])
    assert not found, f"SEED={plan.seed}: {len(found)} faults of results in pieces{shown}\nThe workers' logs: {folder}"
    assert_sound(plan, ordinary, allowed, f"the workers' logs in {folder}")
    assert members.kills, "no worker was killed"
    assert members.ended == [], f"SEED={plan.seed}: workers ended by themselves"


async def _left(settings: Settings, members: Fleet) -> Left:
    """Of pieces those with a body: the message that ended them stays, so that a redelivery knows."""
    subjects, keys = Subjects(settings.nats.prefix), Keys(settings.storage.prefix)
    async with patient_client(settings) as client:
        manage, stream = client.jetstream(), subjects.stream("chunks")
        info: StreamInfo = await manage.stream_info(stream, subjects_filter=subjects.every_chunk)
        counts = info.state.subjects or {}
        pieces = []
        for subject, count in sorted(counts.items()):
            last = await manage.get_last_msg(stream, subject)
            if count > 1 or last.data:
                pieces.append(f"{subject} ({count} messages)")
    storage = settings.storage
    bucket = minio.Minio(
        storage.endpoint.partition("://")[2], storage.access_key, storage.secret_key, secure=False, region="us-east-1"
    )
    passing, multiparts = await asyncio.to_thread(_in_store, bucket, storage.bucket, keys.passing(), storage.prefix)
    return Left(pieces=pieces, passing=passing, multiparts=multiparts, worker_bytes=members.most_bytes())


def _in_store(bucket: minio.Minio, name: str, passing: str, prefix: str) -> tuple[list[str], list[str]]:
    """minio-py has no public name for listing multipart uploads."""
    objects = [one.object_name or "" for one in bucket.list_objects(name, prefix=passing, recursive=True)]
    found = bucket._list_multipart_uploads(name, prefix=prefix)
    return objects, [one.object_name for one in found.uploads]
