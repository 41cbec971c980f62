"""What decisions depend on, and what they are made of."""

from collections.abc import Callable

import msgspec

from coatcheck_core.contents import Placed
from coatcheck_core.layout import Layout, default_layout
from coatcheck_core.settings import Settings
from coatcheck_core.stub import Render, render_stub
from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.keys import Keys, TimeEntry
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.synopsis import Synopsis

Synopsize = Callable[[bytes, str | None], Synopsis]


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """What object storage keeps of a result, to be written in this order; `output` may be there, elsewhere.

    `index` is what comes beside an output that is here, and plain, and large.
    """

    output: bytes | Placed
    index: bytes | None = None
    parts: list[tuple[int, bytes]]
    metadata: Metadata
    entry: TimeEntry


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The event and its JSON, which is published as it is; `stored` where something is to be kept first."""

    event: StubEvent
    encoded: bytes
    stored: Stored | None


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What decisions depend on besides the result.

    `count` measures a text in `budget.unit`, `max_event_bytes` bounds an encoded stub event, `uri` names an object.
    `layout` says where originals lie.
    `render` makes a stub in whatever style is set, `synopsize` the synopsis, in bounded time where that is wanted.
    """

    settings: Settings
    keys: Keys
    count: Callable[[str], int]
    uri: Callable[[str], str]
    max_event_bytes: int
    layout: Layout = default_layout
    render: Render = render_stub
    synopsize: Synopsize = synopsize
