"""What is stored of an original that is in memory."""

from .writing import Compression, Writing, Written

_STEP_BYTES = 1024 * 1024


def written_whole(data: bytes, encoding: str | None, compression: Compression) -> tuple[bytes, Written]:
    """The object, and what is to be known of it. A second for some 150 MB, in steps that hold no lock for long."""
    writing = Writing(mime_type=None, compression=compression, head=b"", encoding=encoding)
    view = memoryview(data)
    pieces = [writing.feed(view[at : at + _STEP_BYTES]) for at in range(0, len(data), _STEP_BYTES)]
    pieces.append(writing.finish())
    return data if writing.form == "plain" else b"".join(pieces), writing.written
