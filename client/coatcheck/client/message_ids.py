"""Ids under which a stream takes a message once."""

from uuid import uuid4


def new_message_id() -> str:
    """Random, so that no other agent, who may publish under any id into the same streams, foretells it."""
    return uuid4().hex
