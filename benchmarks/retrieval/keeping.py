"""Originals in a deployment of their own, stored by a worker as any result is, and removed at the end."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import msgspec
import obstore
from nats.aio.client import Client
from obstore.store import S3Store

from benchmarks.agent import new_prefix
from benchmarks.deployment import Servers, consumer, deployed
from benchmarks.large.memory import MB
from benchmarks.large.producing import publish_pieces
from benchmarks.large.running import LONGEST_SECONDS
from benchmarks.retrieval.contents import last_chars, pieces_of
from coatcheck_core.settings import Settings
from coatcheck_schemas.keys import Keys

SESSION = "s"


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A stored original. `form` is the setting that it was stored with; only with `none` are its bytes an object's."""

    kind: str
    size: int
    form: str
    ref: str
    key: str
    end: str

    def last(self, chars: int) -> str:
        return last_chars(self.kind, self.size, chars, self.end)


class Deployment(msgspec.Struct, frozen=True, kw_only=True):
    """One prefix, in NATS and in the bucket."""

    on: Servers
    client: Client
    prefix: str
    settings: Settings

    def settings_of(self, form: str) -> Settings:
        return self.on.settings(self.prefix, self.settings.worker.in_flight, storage={"compression": form})

    @property
    def bucket(self) -> S3Store:
        return S3Store(
            self.settings.storage.bucket,
            endpoint=self.on.s3.endpoint,
            region="us-east-1",
            access_key_id=self.on.s3.access_key,
            secret_access_key=self.on.s3.secret_key,
            virtual_hosted_style_request=False,
            client_options={"allow_http": True},
        )

    async def keep(self, form: str, kind: str, sizes: Iterable[int], end: str = "") -> list[Kept]:
        """Originals of so many bytes, each by pieces through a worker that stores in this form."""
        async with consumer(self.on, "ours", "requests", self.settings_of(form)):
            return [await self._keep(form, kind, size, end) for size in sizes]

    async def _keep(self, form: str, kind: str, size: int, end: str) -> Kept:
        call = f"{kind}x{size}x{form}"
        stubs = await self.client.subscribe(f"{self.prefix}.stubs.{SESSION}.>")
        subject = f"{self.prefix}.chunks.{SESSION}.=.{call}.up-{call}"
        await publish_pieces(self.client, subject, pieces_of(kind, size, end))
        event = msgspec.json.encode({"tool_name": "kubectl", "upload": f"up-{call}"})
        await self.client.jetstream(timeout=30).publish(f"{self.prefix}.results.{SESSION}.=.{call}", event)
        stub = msgspec.json.decode((await stubs.next_msg(timeout=LONGEST_SECONDS)).data)
        await stubs.unsubscribe()
        if stub["disposition"] != "offloaded":
            raise RuntimeError(f"{call} became {stub}")
        key = Keys(self.prefix).output(SESSION, stub["result_id"])
        return Kept(kind=kind, size=size, form=form, ref=stub["ref"], key=key, end=end)


@asynccontextmanager
async def deployment(on: Servers, in_flight: int = 64) -> AsyncIterator[Deployment]:
    prefix = new_prefix()
    async with deployed(on, prefix, in_flight) as (client, settings):
        one = Deployment(on=on, client=client, prefix=prefix, settings=settings)
        try:
            yield one
        finally:
            await _remove(one.bucket, f"{prefix}/")


async def _remove(bucket: S3Store, prefix: str) -> None:
    """What takes room; small objects, of which there may be thousands, go with the server."""
    async for found in obstore.list(bucket, prefix):
        if large := [one["path"] for one in found if one["size"] >= MB]:
            await obstore.delete_async(bucket, large)
