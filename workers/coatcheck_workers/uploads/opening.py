"""The event that opens an upload, and what becomes of it once all has come."""

from datetime import datetime

import msgspec

from coatcheck_core.uploaded import Uploaded, ordinary_event
from coatcheck_schemas.errors import CoatcheckError, StoreError
from coatcheck_schemas.results import Received
from coatcheck_schemas.subjects import CallAddress
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.uploads.taking import Taken

NO_SEAT_SECONDS = 1.0
"""When an upload is looked at again for which there was no seat."""


class NotTaken(CoatcheckError):
    """The store failed while an upload was to be taken, which is where it was."""

    def __init__(self, cause: StoreError) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Opening(msgspec.Struct, frozen=True):
    """An event that names an upload."""

    address: CallAddress
    received: Received
    upload: str


def whole_result(
    arrived: Arrived, taken: Taken, ended_at: datetime, *, error: str | None = None, is_error: bool | None = None
) -> Arrived:
    """As one message where that can say all: then what holds it for its turn has all of it.

    `error` is why its producer gave up, `is_error` what it said at the end.
    """
    contents = taken.contents
    if contents is not None and contents.placed is None and contents.encoding == "utf-8" and error is None:
        body = ordinary_event(arrived.body, contents.data, is_error)
        if body is not None:
            return msgspec.structs.replace(arrived, body=body, received_at=ended_at)
    uploaded = Uploaded(contents=contents, blocks=taken.blocks, synopsis=taken.synopsis, error=error, is_error=is_error)
    return msgspec.structs.replace(arrived, uploaded=uploaded, received_at=ended_at)
