"""What is wrong with a configuration."""

from coatcheck_schemas.errors import CoatcheckError


class ConfigError(CoatcheckError):
    """The configuration is wrong; the message names the key, its origin and what to do."""
