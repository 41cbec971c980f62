"""The secret key of the configured store."""

from coatcheck_core.credentials.secret_files import read_secret
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import InvalidInput, StoreRejected


def secret_key(storage: StorageSettings) -> str:
    """The secret key, from its file where one is named. Raises StoreRejected where that gives none."""
    file = storage.secret_key_file
    if not file:
        return storage.secret_key
    try:
        return read_secret(file, f"storage.secret_key_file {file}").strip()
    except InvalidInput as error:
        raise StoreRejected(str(error)) from None
