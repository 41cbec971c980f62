"""The secret key of the configured store."""

from pathlib import Path

from coatcheck_core.settings.model import StorageSettings


def secret_key(storage: StorageSettings) -> str:
    """The secret key, from its file where one is named. Raises OSError."""
    if storage.secret_key_file:
        return Path(storage.secret_key_file).read_text().strip()
    return storage.secret_key
