"""`coatcheck doctor`: what is wrong with a deployment, and how to mend it."""

import asyncio
from collections.abc import AsyncGenerator

import click

from coatcheck.cli.invocation import Invocation
from coatcheck.cli.options import examples, json_option
from coatcheck.cli.output import write_json
from coatcheck_core.settings import ConfigError

from ..doctor import Finding, examine, worst
from ..doctor.finding import failing
from ..doctor.surroundings import SETTINGS, machine
from .connecting import connected
from .doctor_probe import SESSION, probed
from .doctor_showing import show, show_summary

SOMETHING_FAILS = 1


@click.command(
    "doctor",
    short_help="Find out what is wrong with a deployment, and how to mend it.",
    epilog=examples(
        "coatcheck doctor",
        "coatcheck doctor --probe",
        "coatcheck doctor --json | jq -r '.findings[] | select(.status == \"fail\") | .mend'",
    ),
)
@click.option(
    "--probe",
    is_flag=True,
    help=f"Also publish two results in the session {SESSION}, wait for their stubs, read and delete them.",
)
@json_option
def command(probe: bool, as_json: bool) -> int:
    """Look at settings, NATS, streams, workers, dead letters and object storage, and say what to do about each fault.

    Run it as an administrator, with the configuration of the workers. It changes nothing: in object storage it puts a
    small object and deletes it. The exit code is 1 where something fails; what is only worth a look (warn) is 0.
    """
    findings = asyncio.run(_collected(click.get_current_context().obj, probe, as_json=as_json))
    status = worst(findings)
    if as_json:
        write_json({"status": status, "findings": findings})
    else:
        show_summary(findings)
    return SOMETHING_FAILS if status == "fail" else 0


async def _collected(invocation: Invocation, probe: bool, *, as_json: bool) -> list[Finding]:
    """Shown one by one, since some take seconds."""
    findings = []
    async for one in _findings(invocation, probe):
        findings.append(one)
        if not as_json:
            show(one)
    return findings


async def _findings(invocation: Invocation, probe: bool) -> AsyncGenerator[Finding, None]:
    try:
        settings, origins = invocation.settings()
    except ConfigError as error:
        yield machine()
        yield failing(SETTINGS, str(error), "correct it: `coatcheck config` shows every setting and where it is from")
        return
    async for one in examine(settings, origins, connected):
        yield one
    if probe:
        yield await probed(invocation)
