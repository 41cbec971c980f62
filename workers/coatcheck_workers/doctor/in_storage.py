"""Object storage: whether it is there as declared, and does what a worker asks of it."""

from collections.abc import AsyncGenerator

from coatcheck_core.settings import ConfigError, Settings
from coatcheck_schemas.errors import StoreError, StoreRejected
from coatcheck_schemas.keys import Keys

from ..provisioning import bucket_drift, place_of
from ..storage import open_store
from .finding import Finding, doubtful, failing
from .laid_out import BUCKET, judge_drift
from .store import STORAGE, probe_store

_KEYS = "correct what it is about: storage.endpoint, storage.ca_file, storage.bucket, storage.access_key or its secret"
_AWAY = "see that the store runs (here: `coatcheck up`), that its name resolves, and what lies between"


async def stored(settings: Settings) -> AsyncGenerator[Finding, None]:
    """Each finding as soon as it is known; what is put is deleted again."""
    storage = settings.storage
    if not (storage.endpoint or storage.url):
        return  # the settings' finding says so
    try:
        place = place_of(storage)
        try:
            drifts = await bucket_drift(place, settings)
        except StoreRejected as error:
            for one in unlooked(error, await _probe(settings, place.name), place.name):
                yield one
            return
        for one in judge_drift(BUCKET, drifts, f"{place.name} is there, with its rules"):
            yield one
        if any(not one.field and one.what == f"bucket {place.name}" for one in drifts):
            return
        yield await _probe(settings, place.name)
    except StoreRejected as error:
        yield failing(STORAGE, str(error), _KEYS)
    except (StoreError, OSError) as error:
        yield failing(STORAGE, str(error), _AWAY)
    except ConfigError as error:
        yield failing(STORAGE, str(error), "correct storage.url")


def unlooked(error: StoreRejected, probed: Finding, place: str) -> list[Finding]:
    """What it means that the rules cannot be looked at: nothing for a worker, if all that a worker does goes through.

    Only provisioning reads them, and a worker's keys rightly may not. Pure.
    """
    if probed.status == "fail":
        return [failing(STORAGE, str(error), _KEYS)]
    found = f"these credentials may not look at the rules of {place} ({str(error).partition(': ')[0]})"
    return [doubtful(BUCKET, found, "run it with the keys of provisioning to have them looked at"), probed]


async def _probe(settings: Settings, place: str) -> Finding:
    return await probe_store(open_store(settings.storage), Keys(settings.storage.prefix), place)
