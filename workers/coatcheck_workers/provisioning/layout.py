"""Look at what the servers have, tell how it differs, and lay out what is declared."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import nats.errors
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, StreamConfig
from nats.js.errors import APIError, NotFoundError

from coatcheck_core.settings import Settings

from . import declared
from .buckets import Bucket
from .comparing import Drift, differences, missing
from .errors import NotProvisioned, ProvisionError

REMEDY = "run `coatcheck provision` with the same configuration"


async def drift(js: JetStreamContext, bucket: Bucket | None, settings: Settings) -> list[Drift]:
    """How streams, consumer and bucket differ from what is declared; changes nothing. Without a bucket, streams alone.

    Raises ProvisionError where JetStream refuses to say, StoreError where object storage does.
    """
    found: list[Drift] = []
    for wanted in declared.streams(settings):
        found += _compare_stream(wanted, await _stream(js, _name(wanted)))
    found += _compare_consumer(settings, await _consumer(js, settings))
    found += await _captured(js, settings)
    if bucket is not None and not await bucket.exists():
        found.append(missing(f"bucket {bucket.name}"))
    return found


async def provision(js: JetStreamContext, bucket: Bucket | None, settings: Settings) -> list[str]:
    """Lay out what is declared, and say what was done; an empty list where nothing was to do.

    Nothing is changed where something cannot be. Raises ProvisionError, and StoreError.
    """
    _refuse_the_impossible(await drift(js, bucket, settings))
    done: list[str] = []
    for wanted in declared.streams(settings):
        done += await _lay_stream(js, wanted)
    done += await _lay_consumer(js, settings)
    if bucket is not None and not await bucket.exists():
        await bucket.create()
        done.append(f"created bucket {bucket.name}")
    return done


async def verify(js: JetStreamContext, settings: Settings) -> None:
    """Check that streams and consumer are as declared, as a worker does at its start; changes nothing.

    Raises NotProvisioned, which names all that is missing or different. A worker proves its bucket by its store.
    """
    found = await drift(js, None, settings)
    if found:
        raise NotProvisioned("; ".join(map(str, found)) + f": {REMEDY}")


def _refuse_the_impossible(found: list[Drift]) -> None:
    captured = [str(one) for one in found if one.field == "captures"]
    if captured:
        raise ProvisionError("; ".join(captured) + ": change that stream's subjects, or set another nats.prefix")
    others = [str(one) for one in found if one.field == "subjects"]
    if others:
        raise ProvisionError(
            "; ".join(others) + ": that stream belongs to something else (names of streams do not tell upper from lower"
            " case); set another nats.prefix"
        )
    fixed = [str(one) for one in found if _is_fixed(one)]
    if fixed:
        raise ProvisionError(
            "; ".join(fixed) + ": this cannot be changed in place. Let the workers finish, save what it holds,"
            " delete it (`nats stream rm` or `nats consumer rm`) and provision again"
        )


def _is_fixed(one: Drift) -> bool:
    fixed = declared.FIXED_STREAM_FIELDS if one.what.startswith("stream ") else declared.FIXED_CONSUMER_FIELDS
    return one.field in fixed


def _name(config: StreamConfig) -> str:
    return config.name or ""


def _compare_stream(wanted: StreamConfig, actual: StreamConfig | None) -> list[Drift]:
    what = f"stream {wanted.name}"
    return differences(what, wanted, actual, declared.STREAM_FIELDS) if actual else [missing(what)]


def _compare_consumer(settings: Settings, actual: ConsumerConfig | None) -> list[Drift]:
    what = f"consumer {declared.DURABLE}"
    wanted = declared.consumer(settings)
    return differences(what, wanted, actual, declared.CONSUMER_FIELDS) if actual else [missing(what)]


async def _captured(js: JetStreamContext, settings: Settings) -> list[Drift]:
    """A Drift for each request or reply subject that a stream, ours or another, would capture."""
    found: list[Drift] = []
    for subject in declared.uncaptured(settings):
        async with _translated(f"looking for a stream that captures {subject}"):
            try:
                stream = await js.find_stream_name_by_subject(subject)
            except NotFoundError:
                continue
            found.append(Drift(what=f"stream {stream}", field="captures", declared="no requests", actual=subject))
    return found


async def _stream(js: JetStreamContext, name: str) -> StreamConfig | None:
    async with _translated(f"looking at stream {name}"):
        try:
            return (await js.stream_info(name)).config
        except NotFoundError:
            return None


async def _consumer(js: JetStreamContext, settings: Settings) -> ConsumerConfig | None:
    results = _name(declared.streams(settings)[0])
    async with _translated(f"looking at consumer {declared.DURABLE} of {results}"):
        try:
            config: ConsumerConfig = (await js.consumer_info(results, declared.DURABLE)).config
        except NotFoundError:
            return None
    return config


async def _lay_stream(js: JetStreamContext, wanted: StreamConfig) -> list[str]:
    actual = await _stream(js, _name(wanted))
    if actual is None:
        async with _translated(f"creating stream {wanted.name}"):
            await js.add_stream(wanted)
        return [f"created stream {wanted.name}"]
    changes = _compare_stream(wanted, actual)
    if not changes:
        return []
    async with _translated(f"updating stream {wanted.name}"):
        await js.update_stream(actual.evolve(**{one: getattr(wanted, one) for one in declared.STREAM_FIELDS}))
    return [f"updated stream {wanted.name}: {', '.join(change.field for change in changes)}"]


async def _lay_consumer(js: JetStreamContext, settings: Settings) -> list[str]:
    results = _name(declared.streams(settings)[0])
    actual = await _consumer(js, settings)
    changes = _compare_consumer(settings, actual)
    if not changes:
        return []
    wanted = declared.consumer(settings)
    if actual is not None:
        wanted = actual.evolve(**{one: getattr(wanted, one) for one in declared.CONSUMER_FIELDS})
    async with _translated(f"laying consumer {declared.DURABLE} of {results}"):
        await js.add_consumer(results, wanted)
    if actual is None:
        return [f"created consumer {declared.DURABLE}"]
    return [f"updated consumer {declared.DURABLE}: {', '.join(change.field for change in changes)}"]


@asynccontextmanager
async def _translated(doing: str) -> AsyncIterator[None]:
    """Errors of JetStream as ours, with what was being done."""
    try:
        yield
    except APIError as error:
        raise ProvisionError(f"{doing}: {error.description or error}") from error
    except (TimeoutError, nats.errors.Error) as error:
        raise ProvisionError(f"{doing}: JetStream does not answer ({error}); is it enabled for this user?") from error
