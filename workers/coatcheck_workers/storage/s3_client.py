"""minio-py's client for the configured bucket: it administers, obstore moves the objects."""

from urllib.parse import urlsplit

import minio
import urllib3
from minio.credentials.providers import ChainedProvider, EnvAWSProvider, IamAwsProvider, Provider, StaticProvider

from coatcheck_core.settings.location import Location
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import StoreRejected

from .s3_endpoint import endpoint, region
from .secret import secret_key


def minio_client(storage: StorageSettings, location: Location, pool: urllib3.PoolManager) -> minio.Minio:
    """Nothing is connected yet. Raises StoreRejected where the endpoint or the keys are none."""
    url = urlsplit(endpoint(storage, location))
    try:
        return minio.Minio(
            url.netloc,
            secure=url.scheme == "https",
            region=region(storage, location),
            http_client=pool,
            credentials=_credentials(storage, location),
        )
    except (ValueError, OSError) as error:
        raise StoreRejected(f"storage is misconfigured: {error}") from error


def _credentials(storage: StorageSettings, location: Location) -> Provider | None:
    """None signs nothing, as an endpoint without keys wants it."""
    if storage.access_key:
        return StaticProvider(storage.access_key, secret_key(storage))
    return ChainedProvider([EnvAWSProvider(), IamAwsProvider()]) if location.kind == "s3" else None
