"""Object storage: whether it is there as declared, and does what a worker asks of it."""

from collections.abc import AsyncGenerator

from coatcheck_core.settings import ConfigError, Settings
from coatcheck_schemas.errors import StoreError, StoreRejected
from coatcheck_schemas.keys import Keys

from ..provisioning import bucket_drift, place_of
from ..storage import open_store
from .finding import Finding, failing
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
        drifts = await bucket_drift(place, settings)
        for one in judge_drift(BUCKET, drifts, f"{place.name} is there, with its rules"):
            yield one
        if any(not one.field and one.what == f"bucket {place.name}" for one in drifts):
            return
        yield await probe_store(open_store(storage), Keys(storage.prefix), place.name)
    except StoreRejected as error:
        yield failing(STORAGE, str(error), _KEYS)
    except (StoreError, OSError) as error:
        yield failing(STORAGE, str(error), _AWAY)
    except ConfigError as error:
        yield failing(STORAGE, str(error), "correct storage.url")
