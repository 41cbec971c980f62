"""Object storage."""

from .gate import Gate
from .s3 import S3Store

__all__ = ["Gate", "S3Store"]
