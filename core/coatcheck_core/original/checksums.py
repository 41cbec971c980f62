"""The CRC-32 of two pieces one after the other, from those of either: the arithmetic of zlib's `crc32_combine`.

A CRC-32 is a remainder of polynomials over GF(2): to append n bytes is to multiply by x^(8n) and to add the remainder
of what is appended. Polynomials are integers here whose highest bit is x^0, as in zlib.
"""

from functools import lru_cache

_POLYNOMIAL = 0xEDB88320
_ONE = 1 << 31


def joined_crc32(first: int, second: int, second_bytes: int) -> int:
    """Of the join, where `second` is the CRC-32 of the `second_bytes` that come after."""
    return _product(_appending(second_bytes), first) ^ second


@lru_cache(maxsize=256)
def _appending(count: int) -> int:
    """x^(8 * count)."""
    power, base = _ONE, _ONE >> 8
    while count:
        if count & 1:
            power = _product(base, power)
        base = _product(base, base)
        count >>= 1
    return power


def _product(a: int, b: int) -> int:
    total, bit = 0, _ONE
    while a:
        if a & bit:
            total ^= b
            a ^= bit
        bit >>= 1
        b = b >> 1 ^ _POLYNOMIAL if b & 1 else b >> 1
    return total
