"""What is there beside what is declared. Pure."""

from collections.abc import Sequence

from ..provisioning import Drift, obstacle
from .finding import Finding, failing, well

LAYOUT = "layout"
BUCKET = "bucket"
PROVISION = "run `coatcheck provision` with the same configuration"


def judge_drift(check: str, found: Sequence[Drift], as_declared: str) -> list[Finding]:
    """A Finding for each stream, consumer or bucket that differs, which names every field of it."""
    if not found:
        return [well(check, as_declared)]
    findings = []
    for what in dict.fromkeys(one.what for one in found):
        of_it = [one for one in found if one.what == what]
        findings.append(failing(check, "; ".join(map(str, of_it)), _mend(of_it)))
    return findings


def _mend(found: list[Drift]) -> str:
    hindered = obstacle(found)
    return PROVISION if hindered is None else hindered[1]
