"""What /proc tells of a process."""

from pathlib import Path


def is_alive(pid: int) -> bool:
    """Whether it runs; a zombie that nobody has reaped yet does not."""
    fields = _fields(pid)
    return bool(fields) and fields[0] != "Z"


def cpu_ticks(pid: int) -> int:
    """How long it has computed, in hundredths of a second, in user mode."""
    return int(_fields(pid)[11])


def _fields(pid: int) -> list[str]:
    """Of its state, from the third on (the second is a name that may hold anything); none where it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def peak_bytes(pid: int) -> int:
    """The most memory it has had so far (VmHWM)."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"{pid} has no memory of its own")
