"""One table of settings, and how their layers are laid over each other."""

from .errors import ConfigError
from .layers import Origin, load, redact
from .model import Settings

__all__ = ["ConfigError", "Origin", "Settings", "load", "redact"]
