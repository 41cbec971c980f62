"""The rule of the bucket for what only passes through, on a real server."""

import minio
import msgspec
from minio.commonconfig import ENABLED, Filter
from minio.lifecycleconfig import Expiration, LifecycleConfig, Rule
from nats.js import JetStreamContext
from tests.support.servers import connected, unprovisioned

from coatcheck_core.settings import Settings
from coatcheck_schemas.keys import Keys
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.provisioning import drift, place_of, provision
from coatcheck_workers.provisioning.lifecycle import rule_id
from coatcheck_workers.storage import open_store


def client_of(server: S3Server) -> minio.Minio:
    return minio.Minio(
        server.endpoint.partition("://")[2], server.access_key, server.secret_key, secure=False, region="us-east-1"
    )


def rule_ids(client: minio.Minio, settings: Settings) -> list[str | None]:
    rules = client.get_bucket_lifecycle(settings.storage.bucket)
    return [] if rules is None else [rule.rule_id for rule in rules.rules]


def passing(settings: Settings) -> str:
    return Keys(settings.storage.prefix).passing()


def sessions(settings: Settings) -> str:
    return Keys(settings.storage.prefix).sessions()


async def test_a_bucket_gets_the_rule_once_and_keeps_its_others(nats_server: NatsServer, own_s3: S3Server) -> None:
    settings, client = unprovisioned(nats_server, own_s3), client_of(own_s3)
    client.make_bucket(settings.storage.bucket)
    other = Rule(ENABLED, rule_filter=Filter(prefix="logs/"), rule_id="logs", expiration=Expiration(days=3))
    client.set_bucket_lifecycle(settings.storage.bucket, LifecycleConfig([other]))
    async with connected(settings) as nats:
        found = [str(one) for one in await drift(nats.jetstream(), place_of(settings.storage), settings)]
        assert any(passing(settings) in one for one in found)
        done = await provision(nats.jetstream(), place_of(settings.storage), settings)
        assert any(passing(settings) in one and "8 days" in one for one in done)
        assert await provision(nats.jetstream(), place_of(settings.storage), settings) == []
        assert rule_ids(client, settings) == ["logs", rule_id(passing(settings))]
        for days in (7, 60):
            storage = msgspec.structs.replace(settings.storage, retention_days=days)
            expiring = msgspec.structs.replace(settings, storage=storage)
            (told,) = await provision(nats.jetstream(), place_of(storage), expiring)
            assert told.endswith(f"{sessions(settings)} goes after {days + 30} days")
            assert await provision(nats.jetstream(), place_of(storage), expiring) == []
            assert rule_ids(client, settings) == ["logs", rule_id(passing(settings)), rule_id(sessions(settings))]
        (told,) = await provision(nats.jetstream(), place_of(settings.storage), settings)
        assert told.endswith(f"{sessions(settings)} stays")
        await _withdraw(nats.jetstream(), settings)
    assert rule_ids(client, settings) == ["logs", rule_id(passing(settings))]


async def test_a_copy_of_what_passes_is_not_under_the_rule(nats_server: NatsServer, own_s3: S3Server) -> None:
    settings = unprovisioned(nats_server, own_s3)
    async with connected(settings) as nats:
        await provision(nats.jetstream(), place_of(settings.storage), settings)
        await _withdraw(nats.jetstream(), settings)
    store = open_store(settings.storage)
    source, target = f"{passing(settings)}a", f"{settings.storage.prefix}/v1/sessions/s/a"
    await store.put(source, b"x" * 100_000)
    await store.copy(source, target)
    told = client_of(own_s3).stat_object(settings.storage.bucket, target).metadata or {}
    assert "x-amz-expiration" not in {name.lower() for name in told}
    await store.delete(source)
    assert await store.get(target) == b"x" * 100_000


async def _withdraw(js: JetStreamContext, settings: Settings) -> None:
    for info in await js.streams_info():
        if str(info.config.name).startswith(settings.nats.prefix.upper()):
            await js.delete_stream(str(info.config.name))
