"""The settings of the environment, where a caller gives none."""

import os

from coatcheck_core.settings import Settings, load


def settings_of_environment() -> Settings:
    """Raises ConfigError."""
    return load(environ=os.environ)[0]
