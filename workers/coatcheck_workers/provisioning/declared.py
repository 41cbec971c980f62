"""What must be there, from the settings alone. Pure."""

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
from coatcheck_schemas.subjects import VERBS, Subjects

DURABLE = "workers"
DAY_SECONDS = 24 * 60 * 60.0

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
    "max_msg_size",
    "max_consumers",
    "no_ack",
    "sealed",
    "deny_delete",
    "deny_purge",
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

FIXED_CONSUMER_FIELDS = ("ack_policy", "deliver_policy", "replay_policy", "deliver_subject")


def streams(settings: Settings) -> tuple[StreamConfig, ...]:
    """The streams of design's table, in the order in which they are made."""
    limits = settings.streams
    return (
        # A work queue: what no worker has acknowledged stays, however long that takes.
        _stream(settings, "results", limits.results.max_bytes, retention=RetentionPolicy.WORK_QUEUE),
        _stubs(settings),
        _stream(settings, "dlq", limits.dlq.max_bytes, max_age=30 * DAY_SECONDS),
    )


def _stubs(settings: Settings) -> StreamConfig:
    """The stream whose subjects agents hear: each message goes out once it is stored, so at most once."""
    subjects = Subjects(settings.nats.prefix)
    heard = f"{subjects.prefix}.>"
    stream = _stream(settings, "stubs", settings.streams.stubs.max_bytes, max_age=7 * DAY_SECONDS, allow_direct=True)
    return stream.evolve(
        subjects=[subjects.outbound],
        subject_transform=SubjectTransform(src=subjects.outbound, dest=heard),
        republish=RePublish(src=heard, dest=heard),
    )


def consumer(settings: Settings) -> ConsumerConfig:
    """The workers' durable consumer of results.

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
    inboxes = (f"{prefix.rstrip('.')}.>" for prefix in settings.requests.inbox_prefixes)
    return (*requests, *inboxes)


def _stream(
    settings: Settings,
    name: str,
    max_bytes: int,
    *,
    retention: RetentionPolicy = RetentionPolicy.LIMITS,
    max_age: float = 0,
    allow_direct: bool = False,
) -> StreamConfig:
    """A stream that refuses when it is full: evicting would lose what others have not read yet."""
    return StreamConfig(
        name=Subjects(settings.nats.prefix).stream(name),
        subjects=[f"{settings.nats.prefix}.{name}.>"],
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
