"""What workers may do in object storage: what the store asks for is what the policy for MinIO allows, and no more."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import minio
import minio.error
import msgspec
import pytest
from minio.commonconfig import ENABLED, Filter
from minio.lifecycleconfig import Expiration, LifecycleConfig, Rule
from minio.versioningconfig import VersioningConfig
from tests.support.s3_proxy import s3_proxied
from tests.support.servers import BUCKET

from coatcheck_core.settings.model import MIB, StorageSettings
from coatcheck_schemas.errors import ObjectExists, StoreRejected
from coatcheck_schemas.store import Store
from coatcheck_workers.embedded import S3Server
from coatcheck_workers.embedded.s3 import PROBE_BUCKET
from coatcheck_workers.storage import open_store
from coatcheck_workers.storage.deleting import delete_many

POLICY = Path(__file__).parents[2] / "deploy/minio/worker-policy.json"
_COPIED = re.compile(rb"\r\nx-amz-copy-source:", re.IGNORECASE)


def actions_of(head: bytes) -> set[str]:
    """The actions that S3 wants for a request, by its method, its query and its headers (S3 API reference)."""
    method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
    url = urlsplit(target)
    query = {part.partition("=")[0] for part in url.query.split("&") if part}
    _, _, key = unquote(url.path).strip("/").partition("/")
    if not key:
        return _of_bucket(method, query)
    if method == "PUT":
        return {"s3:PutObject", "s3:GetObject"} if _COPIED.search(head) else {"s3:PutObject"}
    if method == "DELETE":
        return {"s3:AbortMultipartUpload" if "uploadId" in query else "s3:DeleteObject"}
    if method == "POST":
        return {"s3:PutObject"}  # a multipart upload begins, and ends
    return {"s3:ListMultipartUploadParts" if "uploadId" in query else "s3:GetObject"}


def _of_bucket(method: str, query: set[str]) -> set[str]:
    if method == "POST" and "delete" in query:
        return {"s3:DeleteObject"}
    for name, action in (("uploads", "s3:ListBucketMultipartUploads"), ("location", "s3:GetBucketLocation")):
        if name in query:
            return {action}
    assert method in ("GET", "HEAD"), (method, query)
    return {"s3:ListBucket"}


def allowed() -> dict[str, set[str]]:
    """The actions of the policy, by resource."""
    statements: list[dict[str, Any]] = json.loads(POLICY.read_text())["Statement"]
    assert {one["Effect"] for one in statements} == {"Allow"}
    return {resource: set(one["Action"]) for one in statements for resource in one["Resource"]}


async def pieces(size: int) -> AsyncIterator[bytes]:
    for _ in range(size // MIB):
        yield b"x" * MIB


async def breaks_off() -> AsyncIterator[bytes]:
    async for piece in pieces(12 * MIB):
        yield piece
    raise RuntimeError("the producer is gone")


async def each_method_of_a_store(store: Store, prefix: str) -> None:
    """Of one that speaks S3, each request that it ever sends: of small and large objects, some of them given up."""
    key = f"{prefix}/small"
    await store.put(key, b"x", exclusive=True)
    with pytest.raises(ObjectExists):
        await store.put(key, b"y", exclusive=True)
    await store.copy(key, f"{key}-copied")
    await store.put_stream(f"{prefix}/large", pieces(12 * MIB))
    with pytest.raises(RuntimeError, match="gone"):
        await store.put_stream(f"{prefix}/broken", breaks_off())
    await store.abandon(f"{prefix}/broken")
    assert await store.get_range(f"{prefix}/large", 5, 8) == b"xxx"
    assert await store.get(key) == b"x"
    await store.check()
    assert len([one async for one in store.list(f"{prefix}/")]) == 3
    await delete_many(store, [key, f"{key}-copied"])
    await store.delete(f"{prefix}/large")


async def test_the_store_asks_for_what_the_policy_allows_and_the_policy_for_nothing_else(
    s3_server: S3Server, storage: StorageSettings
) -> None:
    asked: set[str] = set()
    keys = s3_server.worker_credentials
    async with s3_proxied(s3_server.endpoint) as (proxy, endpoint):
        proxy.hear = lambda head: asked.update(actions_of(head))
        mine = msgspec.structs.replace(storage, endpoint=endpoint, access_key=keys.name, secret_key=keys.secret)
        await each_method_of_a_store(open_store(mine), storage.prefix)
    assert asked == set().union(*allowed().values())
    bucket = {"s3:ListBucket", "s3:ListBucketMultipartUploads"}
    assert allowed() == {"arn:aws:s3:::coatcheck": bucket, "arn:aws:s3:::coatcheck/*": asked - bucket}


async def test_the_workers_keys_reach_one_bucket_and_administer_nothing(
    s3_server: S3Server, storage: StorageSettings
) -> None:
    keys = s3_server.worker_credentials
    address = s3_server.endpoint.partition("://")[2]
    client = minio.Minio(address, keys.name, keys.secret, secure=False, region="us-east-1")
    expiring = Rule(ENABLED, rule_filter=Filter(prefix="x/"), rule_id="x", expiration=Expiration(days=3))
    for refused in (
        lambda: client.make_bucket("of-a-worker"),
        lambda: client.remove_bucket(BUCKET),
        lambda: client.get_bucket_lifecycle(BUCKET),
        lambda: client.set_bucket_lifecycle(BUCKET, LifecycleConfig([expiring])),
        lambda: client.delete_bucket_lifecycle(BUCKET),
        lambda: client.set_bucket_policy(BUCKET, "{}"),
        lambda: client.set_bucket_versioning(BUCKET, VersioningConfig("Enabled")),
        lambda: client.stat_object(PROBE_BUCKET, "probe"),
        lambda: client.remove_object(PROBE_BUCKET, "probe"),
        lambda: list(client.list_objects(PROBE_BUCKET)),
    ):
        with pytest.raises(minio.error.S3Error) as caught:
            refused()
        assert caught.value.code == "AccessDenied", caught.value
    other = msgspec.structs.replace(storage, access_key=keys.name, secret_key=keys.secret, bucket=PROBE_BUCKET)
    with pytest.raises(StoreRejected, match="denies access"):
        await open_store(other).get("probe")
