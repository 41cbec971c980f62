"""Isolated deployments on real servers: settings with a prefix of their own, provisioned, taken away afterwards."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

import minio
import minio.error
import msgspec
import nats
import urllib3
from minio.lifecycleconfig import LifecycleConfig
from nats.aio.client import Client
from nats.js.errors import NotFoundError

from coatcheck_core.settings import Settings
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import S3Server
from coatcheck_workers.provisioning import Bucket, provision
from coatcheck_workers.provisioning.lifecycle import rule_id

MIB = 1024 * 1024
BUCKET = "coatcheck-tests"
STREAMS = ("results", "chunks", "stubs", "dlq", "ledger", "held", "deleted")


class Reachable(Protocol):
    """A NATS server, or a cluster of them with its URLs comma-separated."""

    @property
    def url(self) -> str: ...


def unprovisioned(nats_server: Reachable, s3_server: S3Server, **sections: Any) -> Settings:
    """Settings for these servers under a prefix that nothing else uses; nothing is laid out yet.

    A keyword is a section with the values that differ, as `result={"threshold": 40}`.
    """
    unique = f"t{secrets.token_hex(6)}"
    tree: dict[str, Any] = {
        "nats": {"url": nats_server.url, "prefix": unique},
        "storage": {
            "endpoint": s3_server.endpoint,
            "access_key": s3_server.access_key,
            "secret_key": s3_server.secret_key,
            "bucket": BUCKET,
            "prefix": unique,
        },
        "streams": {name: {"max_bytes": 512 * MIB} for name in STREAMS},
    }
    for section, values in sections.items():
        tree[section] = {**tree.get(section, {}), **values} if isinstance(values, dict) else values
    return msgspec.convert(tree, Settings)


@asynccontextmanager
async def connected(settings: Settings) -> AsyncIterator[Client]:
    """An administrator's connection, closed afterwards."""
    client = await nats.connect(settings.nats.url.split(","), connect_timeout=5)
    try:
        yield client
    finally:
        await client.close()


@asynccontextmanager
async def deployed(nats_server: Reachable, s3_server: S3Server, **sections: Any) -> AsyncIterator[Settings]:
    """As `unprovisioned`, with streams, consumer and bucket laid out; the streams are deleted afterwards."""
    settings = unprovisioned(nats_server, s3_server, **sections)
    async with connected(settings) as client:
        await provision(client.jetstream(), Bucket(settings.storage), settings)
    try:
        yield settings
    finally:
        await withdraw(settings)


async def withdraw(settings: Settings) -> None:
    """Delete a deployment's streams, and its rule: a bucket has room for so many only."""
    await asyncio.to_thread(_drop_rule, settings)
    async with connected(settings) as client:
        for name in STREAMS:
            try:
                await client.jetstream().delete_stream(Subjects(settings.nats.prefix).stream(name))
            except NotFoundError:
                continue


def _drop_rule(settings: Settings) -> None:
    storage = settings.storage
    client = minio.Minio(
        storage.endpoint.partition("://")[2], storage.access_key, storage.secret_key, secure=False, region="us-east-1"
    )
    with suppress(minio.error.MinioException, urllib3.exceptions.HTTPError):
        rules = client.get_bucket_lifecycle(storage.bucket)
        others = [] if rules is None else [rule for rule in rules.rules if rule.rule_id != _rule_id(settings)]
        if others:
            client.set_bucket_lifecycle(storage.bucket, LifecycleConfig(others))
        else:
            client.delete_bucket_lifecycle(storage.bucket)


def _rule_id(settings: Settings) -> str:
    return rule_id(Keys(settings.storage.prefix).passing())
