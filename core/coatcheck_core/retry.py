"""How long a failed message waits before its next try."""

FIRST_SECONDS = 0.5


def retry_delay(failures: int, longest_seconds: float, jitter: float) -> float:
    """Seconds until the next try after `failures` failures of this message's own: doubling from 0.5 s to the longest.

    `jitter` in 0..1 spreads the delay over its upper half, so that what failed together does not return together.
    """
    delay = min(longest_seconds, FIRST_SECONDS * 2.0 ** min(failures - 1, 30))
    return delay * (0.5 + 0.5 * jitter)
