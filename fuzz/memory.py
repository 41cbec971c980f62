"""`python -m fuzz.memory [MEGABYTES]`: the peak memory beside each hostile text, the worst last.

At most the text's size once more and 30 MB is allowed.
"""

import sys
import tempfile
from pathlib import Path

from tests.support.hostile import HOSTILE
from tests.support.hostile.child import CaseFailed, Child
from tests.support.hostile.documents import DOCUMENTS

MEGA = 1_000_000
DEFAULT_MEGABYTES = 50
ALLOWED_BESIDE = 30 * MEGA


def main(arguments: list[str]) -> int:
    size = int(float(arguments[0]) * MEGA) if arguments else DEFAULT_MEGABYTES * MEGA
    only = arguments[1] if len(arguments) > 1 else ""
    peaks: list[tuple[float, str]] = []
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, make in {**HOSTILE, **{f"document: {name}": make for name, make in DOCUMENTS.items()}}.items():
            if only not in name:
                continue
            file = Path(folder, "result")
            file.write_bytes(make(size))
            length = file.stat().st_size
            try:
                with Child() as child:  # a process' peak never falls again
                    peak = child.peak(file)["peak"]
            except CaseFailed as error:
                print(f"{name}: {error}", flush=True)
                failed += 1
                continue
            share = (peak - ALLOWED_BESIDE) / length
            peaks.append((share, f"{peak / MEGA:7.1f} MB beside {length / MEGA:5.1f}  {name}"))
            if share > 1:
                print(f"over: {peaks[-1][1]}", flush=True)
    for _, line in sorted(peaks)[-40:]:
        print(line)
    over = sum(share > 1 for share, _ in peaks)
    print(f"{len(peaks)} inputs, {over} over the limit, {failed} failed")
    return bool(over or failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
