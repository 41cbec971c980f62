"""When a connection whose token expires is made anew: before that, once the credentials file has a later one. Pure."""

import math

SHARE = 0.8
"""Of the time that is left: whoever renews the file has that long, and a fifth of it remains to connect again."""
LEAST_SECONDS = 0.5
MOST_SECONDS = 3600.0
"""So often at least the file is looked at: a clock that was set, or a file that was replaced early, is seen."""


def look_after(expires: int, now: float) -> float:
    """In how many seconds to look for a token that replaces one which expires then; Unix seconds, 0 for never.

    Infinite where there is nothing to look for: it does not expire, or has expired already.
    """
    left = expires - now
    if not expires or left <= 0:
        return math.inf
    return min(max(left * SHARE, LEAST_SECONDS), MOST_SECONDS)
