"""A process that may die of what it is given: of too much processor time, which no test may measure by a clock.

The kernel ends it at a limit that is far above what any case needs, and far below what a superlinear step takes.
"""

import json
import resource
import signal
import subprocess
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from . import HOSTILE

ROOT = Path(__file__).resolve().parents[3]
SOUND_SECONDS, PEAK_SECONDS = 4, 60
"""Of the child's own time for a case: a loaded machine does not shorten it. 100 kB may take a fifth of a second."""


class CaseFailed(AssertionError):
    """What a case raised in the child, or that it did not come back within its time."""


class Child:
    """Runs cases one after another; one that kills it costs a new process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _type: type | None, _error: BaseException | None, _traceback: TracebackType | None) -> None:
        self.close()

    def sound(self, name: str, size: int) -> dict[str, Any]:
        """Checks all that must hold of that hostile input; its `kind` and `format`. Raises CaseFailed."""
        return self._run({"do": "sound", "seconds": SOUND_SECONDS, "name": name, "size": size})

    def peak(self, file: Path) -> dict[str, Any]:
        """The `peak` memory in bytes that the synopsis of a file takes beside the text, and its `kind`."""
        return self._run({"do": "peak", "seconds": PEAK_SECONDS, "file": str(file)})

    def close(self) -> None:
        """Ends the process; another would start with the next case."""
        if self._process is not None:
            self._process.communicate()
            self._process = None

    def _run(self, case: dict[str, Any]) -> dict[str, Any]:
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(case) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            self.close()
            code = process.returncode
            raise CaseFailed(f"{case}: the child ended with {code}, {-signal.SIGPROF} is for too much work")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise CaseFailed(f"{case}: {answer['error']}")
        return answer

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self._process


def _main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        case = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, case["seconds"])
        try:
            answer = _sound(case) if case["do"] == "sound" else _peak(case)
        except Exception:
            answer = {"error": traceback.format_exc()}
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps(answer), flush=True)


def _sound(case: dict[str, Any]) -> dict[str, Any]:
    from .soundness import assert_sound

    synopsis = assert_sound(HOSTILE[case["name"]](case["size"]))
    return {"kind": synopsis.kind, "format": synopsis.format}


def _peak(case: dict[str, Any]) -> dict[str, Any]:
    from coatcheck_core.synopsis import synopsize

    synopsize(b"words\n" * 1000)
    data = Path(case["file"]).read_bytes()
    before = _highest_resident()
    synopsis = synopsize(data)
    return {"peak": _highest_resident() - before, "kind": synopsis.kind, "format": synopsis.format}


def _highest_resident() -> int:
    """Bytes, since the program began: what getrusage says is never less than what its parent had."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


if __name__ == "__main__":
    _main()
