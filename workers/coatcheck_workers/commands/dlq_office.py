"""What `coatcheck dlq` works with: the letters, the object storage of their bodies, and the way back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, partial

import msgspec

from coatcheck.cli.invocation import Invocation
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.streams.letters import TIMEOUT_SECONDS, Letters
from coatcheck_workers.streams.publishing import Publisher
from coatcheck_workers.streams.retrying import Retrying

from ..storage import open_store
from .permitted import permitted


class Office(msgspec.Struct, frozen=True):
    """Where dead letters are handled."""

    letters: Letters
    retrying: Retrying


@asynccontextmanager
async def opened(invocation: Invocation) -> AsyncIterator[Office]:
    """On the configured servers; a store is wanted only by a letter whose body lies in it."""
    settings, _ = invocation.settings()
    async with permitted(settings, "coatcheck-dlq") as client:
        subjects = Subjects(settings.nats.prefix)
        store = cache(partial(open_store, settings.storage))
        letters = Letters(client, subjects, store)
        publisher = Publisher(client, subjects, TIMEOUT_SECONDS)
        yield Office(letters, Retrying(client, subjects, letters, publisher))
