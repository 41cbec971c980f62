"""What must be there, from the settings alone. Pure."""

import msgspec
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DeliverPolicy,
    DiscardPolicy,
    ReplayPolicy,
    RePublish,
    RetentionPolicy,
    StorageType,
    StreamConfig,
    SubjectTransform,
)

from coatcheck_core.settings import Settings
from coatcheck_core.settings.inboxes import reply_prefixes
from coatcheck_schemas.subjects import VERBS, Subjects

DURABLE = "workers"
DAY_SECONDS = 24 * 60 * 60.0
STUBS_KEPT_SECONDS = 7 * DAY_SECONDS

STREAM_FIELDS = (
    "subjects",
    "subject_transform",
    "republish",
    "retention",
    "storage",
    "discard",
    "max_age",
    "max_bytes",
    "num_replicas",
    "allow_direct",
    "max_msgs",
    "max_msgs_per_subject",
    "discard_new_per_subject",
    "max_msg_size",
    "max_consumers",
    "no_ack",
    "sealed",
    "deny_delete",
    "deny_purge",
    "allow_msg_schedules",
)
"""What is compared of a stream. Whatever else an operator sets (placement, metadata, compression) is left as it is."""

FIXED_STREAM_FIELDS = ("retention", "storage")
"""What no server changes in a stream that is there."""

CONSUMER_FIELDS = (
    "ack_policy",
    "deliver_policy",
    "ack_wait",
    "max_deliver",
    "max_ack_pending",
    "backoff",
    "filter_subject",
    "filter_subjects",
    "replay_policy",
    "deliver_subject",
    "headers_only",
)

SCHEDULES_API_LEVEL = 2
LEAST_SERVER = "2.12"
"""The level of JetStream's API from which streams take `allow_msg_schedules`, and the first nats-server that has it."""

FIXED_CONSUMER_FIELDS = ("ack_policy", "deliver_policy", "replay_policy", "deliver_subject")


def streams(settings: Settings) -> tuple[StreamConfig, ...]:
    """The streams of design's table, in the order in which they are made."""
    make = (_results, _chunks, _stubs, _dlq, _ledger, _held, _deleted)
    return tuple(stream(settings) for stream in make)


def _results(settings: Settings) -> StreamConfig:
    """A work queue: what no worker has acknowledged stays, however long that takes.

    The end of a turn stands in the same queue as its results, so that it comes after those published before it.
    """
    subjects = Subjects(settings.nats.prefix)
    return _stream(
        settings,
        "results",
        [subjects.every_result, subjects.every_turn],
        settings.streams.results.max_bytes,
        retention=RetentionPolicy.WORK_QUEUE,
    )


def _chunks(settings: Settings) -> StreamConfig:
    """The pieces of results. Workers take them away; what no event ever opens goes by its age."""
    subjects = Subjects(settings.nats.prefix)
    return _stream(
        settings,
        "chunks",
        [subjects.every_chunk],
        settings.streams.chunks.max_bytes,
        max_age=30 * DAY_SECONDS,
        allow_direct=True,
    )


def _dlq(settings: Settings) -> StreamConfig:
    subjects = [f"{settings.nats.prefix}.dlq.>"]
    dlq = settings.streams.dlq
    return _stream(settings, "dlq", subjects, dlq.max_bytes, max_age=30 * DAY_SECONDS, allow_direct=True)


def _ledger(settings: Settings) -> StreamConfig:
    """What each turn has received and decided, and the failures of messages; kept as long as the stubs.

    One message a subject: a count of failures takes the place of the one before. An entry of a turn has a subject of
    its own, so that none is ever replaced.
    """
    subjects = Subjects(settings.nats.prefix)
    stream = _stream(
        settings,
        "ledger",
        [subjects.every_ledger, subjects.every_failure],
        settings.streams.ledger.max_bytes,
        max_age=STUBS_KEPT_SECONDS,
        allow_direct=True,
    )
    return stream.evolve(max_msgs_per_subject=1)


def _held(settings: Settings) -> StreamConfig:
    """What waits for its turn, as scheduled messages: each goes to the workers at its time, whoever lives."""
    subjects = Subjects(settings.nats.prefix)
    stream = _stream(
        settings,
        "held",
        [subjects.everything_held, subjects.everything_due],
        settings.streams.held.max_bytes,
        retention=RetentionPolicy.WORK_QUEUE,
        allow_direct=True,
    )
    return stream.evolve(allow_msg_schedules=True)


def _deleted(settings: Settings) -> StreamConfig:
    """What was deleted, and when: the last word on each. The oldest go first; of those the store keeps a note."""
    stream = _stream(
        settings,
        "deleted",
        [Subjects(settings.nats.prefix).every_deletion],
        settings.streams.deleted.max_bytes,
        allow_direct=True,
    )
    return stream.evolve(max_msgs_per_subject=1, discard=DiscardPolicy.OLD)


def _stubs(settings: Settings) -> StreamConfig:
    """The stream whose subjects agents hear: each message goes out once it is stored, so at most once."""
    subjects = Subjects(settings.nats.prefix)
    heard = f"{subjects.prefix}.>"
    stream = _stream(
        settings,
        "stubs",
        [subjects.outbound],
        settings.streams.stubs.max_bytes,
        max_age=STUBS_KEPT_SECONDS,
        allow_direct=True,
    )
    return stream.evolve(
        subject_transform=SubjectTransform(src=subjects.outbound, dest=heard),
        republish=RePublish(src=heard, dest=heard),
    )


class Consumer(msgspec.Struct, frozen=True):
    """A durable consumer, and the stream that it is of."""

    stream: str
    config: ConsumerConfig

    def __str__(self) -> str:
        return f"consumer {self.config.durable_name} of {self.stream}"


def consumers(settings: Settings) -> tuple[Consumer, ...]:
    """The workers' consumers: of results and turns' ends, and of what was held and is due."""
    subjects = Subjects(settings.nats.prefix)
    return (
        Consumer(subjects.stream("results"), _consumer(settings)),
        Consumer(subjects.stream("held"), _consumer(settings).evolve(filter_subject=subjects.everything_due)),
    )


def _consumer(settings: Settings) -> ConsumerConfig:
    """A durable consumer that all workers share.

    No `max_deliver`: what reaches it stays in the queue unseen. No `max_ack_pending`: what waits for a delayed retry
    counts in it, so that a full one would hold up everything else.
    """
    return ConsumerConfig(
        durable_name=DURABLE,
        ack_policy=AckPolicy.EXPLICIT,
        deliver_policy=DeliverPolicy.ALL,
        replay_policy=ReplayPolicy.INSTANT,
        ack_wait=settings.worker.ack_wait_seconds,
        max_deliver=-1,
        max_ack_pending=-1,
    )


def uncaptured(settings: Settings) -> tuple[str, ...]:
    """The subjects that no stream may capture: the stream's acknowledgement would be taken for the answer."""
    requests = (Subjects(settings.nats.prefix).request(verb, "*") for verb in VERBS)
    return (*requests, *(f"{one}>" for one in reply_prefixes(settings.requests)))


def _stream(
    settings: Settings,
    name: str,
    subjects: list[str],
    max_bytes: int,
    *,
    retention: RetentionPolicy = RetentionPolicy.LIMITS,
    max_age: float = 0,
    allow_direct: bool = False,
) -> StreamConfig:
    """A stream that refuses when it is full: evicting would lose what others have not read yet."""
    return StreamConfig(
        name=Subjects(settings.nats.prefix).stream(name),
        subjects=subjects,
        retention=retention,
        storage=StorageType.FILE,
        discard=DiscardPolicy.NEW,
        max_age=max_age,
        max_bytes=max_bytes,
        num_replicas=settings.nats.replicas,
        allow_direct=allow_direct,
        max_msgs=-1,
        max_msgs_per_subject=-1,
        max_msg_size=-1,
        max_consumers=-1,
    )
