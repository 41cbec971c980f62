"""How far this machine's clock is from NATS's. Pure."""

from datetime import datetime, timedelta

from .finding import Finding, doubtful, failing, well

CLOCK = "clock"
NOTABLE = timedelta(seconds=2)
TOO_MUCH = timedelta(minutes=5)
"""S3 refuses a signature that is fifteen minutes off; a URL of minutes is no good much sooner."""
_MEND = "synchronise the clocks of all machines (NTP)"


def judge_clock(told: datetime, asked: datetime, answered: datetime) -> Finding:
    """`told` is the server's time, asked for and answered at these of ours."""
    off = (asked + (answered - asked) / 2) - told
    allowance = (answered - asked) / 2
    seconds = off.total_seconds()
    found = f"this machine is {abs(seconds):.1f} s {'ahead of' if seconds > 0 else 'behind'} NATS"
    if abs(off) - allowance > TOO_MUCH:
        return failing(CLOCK, f"{found}: signatures of S3 and URLs fail", _MEND)
    if abs(off) - allowance > NOTABLE:
        return doubtful(CLOCK, found, _MEND)
    return well(CLOCK, f"within {abs(seconds):.1f} s of NATS")
