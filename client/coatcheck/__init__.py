"""Coatcheck keeps oversized tool results out of an agent's context: this is the client.

A tool's result is published; what comes back is a stub event, whose `content` goes into the agent's tool message: the
result itself where it is small, else a short typed stub with a reference by which the original is read back. With
`coatcheck up` running on this machine:

    import asyncio
    import coatcheck

    async def main() -> None:
        async with coatcheck.connect() as client:
            log = "\\n".join(f"step {n} done" for n in range(5000))
            event = await client.submit("my-session", log, tool_name="build")
            print(event.content)
            if event.ref is not None:
                page = await client.read("my-session", event.ref, offset=-5, unit="lines")
                print(page.content)

    asyncio.run(main())

`client.pages`, `matches` and `results` go on to the end by themselves; `client.delete` takes a result back for good.
`coatcheck.clear` and `client.clear` put placeholders in place of a conversation's old results.

The names below are imported when they are first used, so that importing the package costs next to nothing.
`coatcheck.tools` has the tools for an agent's model, `coatcheck.testing` stores for tests, `coatcheck.cli` the command.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coatcheck_schemas.clearing import ClearReply
    from coatcheck_schemas.errors import CoatcheckError, Code, InvalidInput, RequestError
    from coatcheck_schemas.events import StubEvent, TurnSettled
    from coatcheck_schemas.metadata import Metadata
    from coatcheck_schemas.requests import (
        DeleteReply,
        LinkReply,
        ListReply,
        Match,
        ReadReply,
        ReplayReply,
        SearchReply,
    )

    from .client import (
        CallFields,
        Client,
        Content,
        Published,
        ResultFields,
        ResultStream,
        Segment,
        StubStream,
        Turn,
        connect,
    )
    from .client.clearing import clear
    from .tools import ToolAnswer

__all__ = [
    "CallFields",
    "ClearReply",
    "Client",
    "CoatcheckError",
    "Code",
    "Content",
    "DeleteReply",
    "InvalidInput",
    "LinkReply",
    "ListReply",
    "Match",
    "Metadata",
    "Published",
    "ReadReply",
    "ReplayReply",
    "RequestError",
    "ResultFields",
    "ResultStream",
    "SearchReply",
    "Segment",
    "StubEvent",
    "StubStream",
    "ToolAnswer",
    "Turn",
    "TurnSettled",
    "clear",
    "connect",
]

_HOMES = {
    **dict.fromkeys(("CoatcheckError", "Code", "InvalidInput", "RequestError"), "coatcheck_schemas.errors"),
    **dict.fromkeys(("StubEvent", "TurnSettled"), "coatcheck_schemas.events"),
    "ClearReply": "coatcheck_schemas.clearing",
    "clear": "coatcheck.client.clearing",
    "Metadata": "coatcheck_schemas.metadata",
    "ToolAnswer": "coatcheck.tools",
    **dict.fromkeys(
        ("DeleteReply", "LinkReply", "ListReply", "Match", "ReadReply", "ReplayReply", "SearchReply"),
        "coatcheck_schemas.requests",
    ),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'coatcheck' has no attribute {name!r}")
    value = getattr(import_module(_HOMES.get(name, "coatcheck.client")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
