"""The workers by what they say of themselves. Pure."""

from collections import Counter
from collections.abc import Sequence

from ..deployment.administering import AS_ADMINISTRATOR
from ..deployment.workers import WorkerStats
from .finding import Finding, doubtful, failing, well

WORKERS = "workers"
LAGGING_SECONDS = 0.5
"""The event loop is late by 13 ms at most at full speed; a reply to a request comes as late as it is."""


def judge_workers(workers: Sequence[WorkerStats], version: str) -> list[Finding]:
    """Of those that answer, one at least; `version` is this command's."""
    found = [*_versions(workers, version), *_lags(workers)]
    if found:
        return found
    hosts = {one.host for one in workers if one.host}
    where = f" on {len(hosts)} hosts" if len(hosts) > 1 else ""
    return [well(WORKERS, f"{len(workers)} answer{'s' if len(workers) == 1 else ''}{where}, version {version}")]


def unseen(*, answered: str | None, is_denied: bool = False) -> Finding:
    """None says what it is. `answered`: how a plain request was answered, None where it was not.

    `is_denied`: NATS does not let this user ask.
    """
    if answered is None and is_denied:
        found = "these credentials may not look at the workers (permissions violation)"
        return doubtful(WORKERS, found, AS_ADMINISTRATOR)
    if answered is None:
        mend = "start workers: `coatcheck worker` with this configuration, or `coatcheck up`; then see their logs"
        return failing(WORKERS, "no worker answers", mend)
    found = f"requests are answered ({answered}), but no worker says what it is ($SRV.STATS.coatcheck)"
    return doubtful(WORKERS, found, f"upgrade the workers; or {AS_ADMINISTRATOR}")


def _versions(workers: Sequence[WorkerStats], version: str) -> list[Finding]:
    counted = Counter(one.version for one in workers)
    if len(counted) > 1:
        told = ", ".join(f"{number} of {name}" for name, number in sorted(counted.items()))
        return [
            doubtful(WORKERS, f"they are of different versions: {told}", "upgrade all, after `coatcheck provision`")
        ]
    if version not in counted:
        told = f"they are of version {next(iter(counted))}, this command is of {version}"
        return [doubtful(WORKERS, told, "use the same: a newer one may ask for what the older does not know")]
    return []


def _lags(workers: Sequence[WorkerStats]) -> list[Finding]:
    late = [one for one in workers if (one.figures.loop_lag_seconds or 0) > LAGGING_SECONDS]
    if not late:
        return []
    longest = max(one.figures.loop_lag_seconds or 0 for one in late)
    mend = (
        "give them more CPU, or lower worker.in_flight; see that no counter or style of yours blocks (module:function)"
    )
    return [doubtful(WORKERS, f"{len(late)} of {len(workers)} are late by up to {longest:.1f} s", mend)]
