"""Object storage."""

from .s3 import S3Store

__all__ = ["S3Store"]
