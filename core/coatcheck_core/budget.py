"""The budget of one result: does it go inline, or does a stub go in its place?"""

import msgspec

from coatcheck_core.settings import Settings
from coatcheck_core.settings.model import StubSettings
from coatcheck_schemas.events import Reason


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for one tool. `threshold` is in `budget.unit`; `offload` false keeps inline what can be."""

    threshold: int
    offload: bool


def limits_of(settings: Settings, tool_name: str) -> Limits:
    """The tool's own settings where it has some, else those for every tool."""
    tool = settings.tools.get(tool_name)
    if tool is None:
        return Limits(threshold=settings.result.threshold, offload=settings.result.offload)
    threshold, offload = tool.result.threshold, tool.result.offload
    return Limits(
        threshold=settings.result.threshold if threshold is None else threshold,
        offload=not tool.never and (settings.result.offload if offload is None else offload),
    )


def stub_settings_of(settings: Settings, tool_name: str) -> StubSettings:
    """With the tool's own style, where it has one."""
    tool = settings.tools.get(tool_name)
    if tool is None or tool.stub.style is None:
        return settings.stub
    return msgspec.structs.replace(settings.stub, style=tool.stub.style)


def must_offload(
    *, is_text: bool, fits_inline: bool, is_incomplete: bool = False, is_over: bool = False
) -> Reason | None:
    """What goes before every other rule: what cannot go inline at all, and what the producer of its pieces gave up.

    Of the latter one that `is_over` its threshold gives that for the reason.
    """
    if not is_text:
        return "binary"
    if is_incomplete and is_over:
        return "single_threshold"
    return None if fits_inline and not is_incomplete else "message_limit"
