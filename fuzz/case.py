"""One input of the fuzzer: all that must hold of it. `python -m fuzz.case FILE...` runs found ones again."""

import sys
import time
from pathlib import Path

MIME_TYPES = (None, "application/json", "application/x-ndjson", "text/xml", "text/csv", "text/tab-separated-values")
MOST_SECONDS = 0.5
"""Of processor time, for input of some kilobytes."""


def run(data: bytes) -> None:
    """The first byte chooses a MIME type and a stub, the rest is the result. Raises AssertionError."""
    from tests.support.hostile.soundness import STUBS, assert_small, assert_stub_is_sound, subject_of

    choice, result = (data[0] if data else 0), data[1:]
    mime_type = MIME_TYPES[choice % 32] if choice % 32 < len(MIME_TYPES) else None
    before = time.process_time()
    synopsis = assert_small(result, mime_type)
    took = time.process_time() - before
    assert took < MOST_SECONDS, f"{took:.1f} s for {len(result)} bytes"
    assert assert_small(result, mime_type) == synopsis, "the same bytes have another synopsis"
    assert_stub_is_sound(subject_of(result, synopsis), STUBS[choice // 32])


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(name)
        run(Path(name).read_bytes())
