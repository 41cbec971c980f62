"""Streams, the workers' consumers and the bucket: declared in one place, laid out here, checked by every worker."""

from .comparing import Drift
from .declared import DURABLE
from .errors import NotProvisioned, ProvisionError
from .layout import bucket_drift, drift, obstacle, provision, verify
from .originals import place_of

__all__ = [
    "DURABLE",
    "Drift",
    "NotProvisioned",
    "ProvisionError",
    "bucket_drift",
    "drift",
    "obstacle",
    "place_of",
    "provision",
    "verify",
]
