"""The index inside a compressed original, found from the object's end without anything else that is known of it."""

from coatcheck_schemas.errors import DamagedOriginal

from .frames import HEADER, OUR_INDEX, seek_table_bytes
from .index import MAX_BYTES, TRAILER, Index, decode_index

LIKELY_BYTES = 128 * 1024
"""So many of an object's last bytes hold the index of some gigabytes."""


def enough_of_end(end: bytes) -> int:
    """How many of the last bytes are sure to hold the index, told by the very last ones.

    Raises DamagedOriginal where they are no end of seekable zstd.
    """
    return _table_bytes(end) + TRAILER.size + MAX_BYTES + HEADER.size


def index_at_end(end: bytes) -> Index:
    """The index in an object's last bytes, which are all of it or as many as `enough_of_end` says.

    Raises DamagedOriginal where there is none.
    """
    before_table = len(end) - _table_bytes(end)
    trailer = end[max(0, before_table - TRAILER.size) : max(0, before_table)]
    if len(trailer) < TRAILER.size:
        raise DamagedOriginal("there is no index before the seek table")
    length, _ = TRAILER.unpack(trailer)
    begin = before_table - length
    if begin < HEADER.size or HEADER.unpack(end[begin - HEADER.size : begin]) != (OUR_INDEX, length):
        raise DamagedOriginal("there is no index before the seek table")
    index = decode_index(end[begin:before_table])
    if index.facts.form != "zstd":
        raise DamagedOriginal("the index inside is of another form")
    return index


def _table_bytes(end: bytes) -> int:
    table = seek_table_bytes(end)
    if table is None:
        raise DamagedOriginal("it does not end as seekable zstd does")
    return table
