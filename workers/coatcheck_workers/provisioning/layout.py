"""Look at what the servers have, tell how it differs, and lay out what is declared."""

from contextlib import suppress
from functools import partial
from typing import cast

from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, StreamConfig
from nats.js.errors import NotFoundError

from coatcheck_core.expiry import FOR_EVER, FREED_AFTER_DAYS
from coatcheck_core.settings import Settings
from coatcheck_core.settings.location import locate
from coatcheck_schemas.keys import Keys

from . import declared
from .asking import asked
from .comparing import SEPARATOR, Drift, differences, missing
from .declared import Consumer
from .errors import NotProvisioned, ProvisionError
from .lifecycle import PASSING_DAYS
from .originals import Place

REMEDY = "run `coatcheck provision` with the same configuration"


async def drift(js: JetStreamContext, bucket: Place | None, settings: Settings) -> list[Drift]:
    """How streams, consumers and bucket differ from what is declared; changes nothing. Without a bucket, streams alone.

    Raises ProvisionError where JetStream refuses to say or is too old, StoreError where object storage refuses.
    """
    await _check_level(js)
    found: list[Drift] = []
    for wanted in declared.streams(settings):
        found += _compare_stream(wanted, await _stream(js, _name(wanted)))
    for one in declared.consumers(settings):
        found += _compare_consumer(one, await _consumer(js, one))
    found += await _captured(js, settings)
    return found if bucket is None else found + await bucket_drift(bucket, settings)


async def bucket_drift(bucket: Place, settings: Settings) -> list[Drift]:
    """How the bucket differs from what is declared; changes nothing. Raises StoreError where object storage refuses."""
    if not await bucket.exists():
        return [missing(f"bucket {bucket.name}")]
    return [
        missing(f"bucket {bucket.name}: that what lies below {prefix} {_told(days)}")
        for prefix, days in _ages(settings)
        if not await bucket.passes(prefix, days)
    ]


def obstacle(found: list[Drift]) -> tuple[list[Drift], str] | None:
    """What of this `provision` refuses to lay out, and what to do instead; None where it refuses nothing."""
    captured = [one for one in found if one.field == "captures"]
    if captured:
        return captured, "change that stream's subjects, or set another nats.prefix"
    others = [one for one in found if one.field == "subjects" and not _is_ours(one)]
    if others:
        return others, (
            "that stream belongs to something else (names of streams do not tell upper from lower case); set another"
            " nats.prefix"
        )
    fixed = [one for one in found if _is_fixed(one)]
    if fixed:
        return fixed, (
            "this cannot be changed in place. Let the workers finish, save what it holds, delete it (`nats stream rm`"
            " or `nats consumer rm`) and provision again"
        )
    return None


async def provision(js: JetStreamContext, bucket: Place | None, settings: Settings) -> list[str]:
    """Lay out what is declared, and say what was done; an empty list where nothing was to do.

    Nothing is changed where something cannot be. Raises ProvisionError, and StoreError.
    """
    _refuse_the_impossible(await drift(js, bucket, settings))
    done: list[str] = []
    for wanted in declared.streams(settings):
        done += await _lay_stream(js, wanted)
    for one in declared.consumers(settings):
        done += await _lay_consumer(js, one)
    if bucket is not None and not await bucket.exists():
        await bucket.create()
        done.append(f"created bucket {bucket.name}")
    for prefix, days in [] if bucket is None else _ages(settings):
        if bucket is not None and not await bucket.passes(prefix, days):
            await bucket.let_pass(prefix, days)
            done.append(f"bucket {bucket.name}: what lies below {prefix} {_told(days)}")
    return done


async def verify(js: JetStreamContext, settings: Settings) -> None:
    """Check that streams and consumers are as declared, as a worker does at its start; changes nothing.

    Raises NotProvisioned, which names all that is missing or different. A worker proves its bucket by its store.
    """
    found = await drift(js, None, settings)
    if found:
        raise NotProvisioned("; ".join(map(str, found)) + f": {REMEDY}")


def _ages(settings: Settings) -> list[tuple[str, int | None]]:
    """What keys begin with, in the bucket, and after how many days what lies there goes; None: never."""
    storage, keys = settings.storage, Keys(settings.storage.prefix)
    path = locate(storage).path
    head = f"{path}/" if path else ""
    expires = None if storage.retention_days == FOR_EVER else storage.retention_days + FREED_AFTER_DAYS
    return [(f"{head}{keys.passing()}", PASSING_DAYS), (f"{head}{keys.sessions()}", expires)]


def _told(days: int | None) -> str:
    return "stays" if days is None else f"goes after {days} days"


def _refuse_the_impossible(found: list[Drift]) -> None:
    if (hindered := obstacle(found)) is not None:
        drifts, remedy = hindered
        raise ProvisionError(f"{'; '.join(map(str, drifts))}: {remedy}")


def _is_ours(one: Drift) -> bool:
    """Whether a stream with other subjects than declared is one that an older version laid: it has some of them."""
    return set(one.actual.split(SEPARATOR)) <= set(one.declared.split(SEPARATOR))


def _is_fixed(one: Drift) -> bool:
    if one.field == "allow_msg_schedules":
        return one.declared == "none"  # a server lets it be turned on, never off
    fixed = declared.FIXED_STREAM_FIELDS if one.what.startswith("stream ") else declared.FIXED_CONSUMER_FIELDS
    return one.field in fixed


def _name(config: StreamConfig) -> str:
    return config.name or ""


def _compare_stream(wanted: StreamConfig, actual: StreamConfig | None) -> list[Drift]:
    what = f"stream {wanted.name}"
    return differences(what, wanted, actual, declared.STREAM_FIELDS) if actual else [missing(what)]


def _compare_consumer(wanted: Consumer, actual: ConsumerConfig | None) -> list[Drift]:
    what = str(wanted)
    return differences(what, wanted.config, actual, declared.CONSUMER_FIELDS) if actual else [missing(what)]


async def _check_level(js: JetStreamContext) -> None:
    """An older server takes a stream and leaves out what it does not know, so that held results would never come."""
    account = await asked("asking JetStream for its version", js.account_info)
    level = account.api.level or 0
    if level < declared.SCHEDULES_API_LEVEL:
        raise ProvisionError(
            f"the NATS server's JetStream is at API level {level} and cannot schedule messages (level"
            f" {declared.SCHEDULES_API_LEVEL}): upgrade every server to nats-server {declared.LEAST_SERVER} or newer"
        )


async def _captured(js: JetStreamContext, settings: Settings) -> list[Drift]:
    """A Drift for each request or reply subject that a stream, ours or another, would capture."""
    found: list[Drift] = []
    for subject in declared.uncaptured(settings):
        look = partial(js.find_stream_name_by_subject, subject)
        with suppress(NotFoundError):
            stream = await asked(f"looking for a stream that captures {subject}", look)
            found.append(Drift(what=f"stream {stream}", field="captures", declared="no requests", actual=subject))
    return found


async def _stream(js: JetStreamContext, name: str) -> StreamConfig | None:
    with suppress(NotFoundError):
        return (await asked(f"looking at stream {name}", partial(js.stream_info, name))).config
    return None


async def _consumer(js: JetStreamContext, wanted: Consumer) -> ConsumerConfig | None:
    with suppress(NotFoundError):
        info = await asked(f"looking at {wanted}", partial(js.consumer_info, wanted.stream, declared.DURABLE))
        return cast(ConsumerConfig, info.config)
    return None


async def _lay_stream(js: JetStreamContext, wanted: StreamConfig) -> list[str]:
    actual = await _stream(js, _name(wanted))
    if actual is None:
        await asked(f"creating stream {wanted.name}", partial(js.add_stream, wanted))
        return [f"created stream {wanted.name}"]
    changes = _compare_stream(wanted, actual)
    if not changes:
        return []
    config = actual.evolve(**{one: getattr(wanted, one) for one in declared.STREAM_FIELDS})
    await asked(f"updating stream {wanted.name}", partial(js.update_stream, config))
    return [f"updated stream {wanted.name}: {', '.join(change.field for change in changes)}"]


async def _lay_consumer(js: JetStreamContext, wanted: Consumer) -> list[str]:
    actual = await _consumer(js, wanted)
    changes = _compare_consumer(wanted, actual)
    if not changes:
        return []
    config = wanted.config
    if actual is not None:
        config = actual.evolve(**{one: getattr(config, one) for one in declared.CONSUMER_FIELDS})
    await asked(f"laying {wanted}", partial(js.add_consumer, wanted.stream, config))
    if actual is None:
        return [f"created {wanted}"]
    return [f"updated {wanted}: {', '.join(change.field for change in changes)}"]
