"""When a stored result may no longer be had: `storage.retention_days` after its last use. Pure."""

from datetime import datetime, timedelta

from coatcheck_schemas.metadata import Metadata

FREED_AFTER_DAYS = 30
"""So much later storage frees it: until then whoever asks is told when it expired."""
FOR_EVER = 0


def last_use(metadata: Metadata) -> datetime:
    """When NATS received the result, the last time that the same call brought the same. Raises ValueError."""
    return datetime.fromisoformat(metadata.last_used_at or metadata.created_at)


def expires_at(metadata: Metadata, retention_days: int) -> datetime | None:
    """None: never. Metadata whose times cannot be read is not ours: it never expires either."""
    if retention_days == FOR_EVER:
        return None
    try:
        return last_use(metadata) + timedelta(days=retention_days)
    except (ValueError, OverflowError):
        return None


def is_expired(metadata: Metadata, retention_days: int, now: datetime) -> bool:
    """Raises nothing: a time without a zone is none of ours."""
    moment = expires_at(metadata, retention_days)
    return moment is not None and moment.tzinfo is not None and moment <= now
