"""Passwords as a NATS server keeps them: bcrypt, so that who reads its configuration cannot log in."""

from Crypto.Protocol.KDF import bcrypt

COST = 5
"""The server computes a hash at each login. These passwords are random, 192 bits of them: what a dearer hash would
make slower, guessing, is out of the question, and a thousand agents that come back at once are not."""
SALT_BYTES = 16


def hashed(password: str, salt: bytes) -> str:
    """The hash; `salt` are 16 random bytes."""
    digest: bytes = bcrypt(password.encode(), COST, salt)
    return digest.decode()
