"""The reply to each of the requests `fs`."""

from coatcheck_schemas.filesystem import (
    EditRequest,
    FileReadRequest,
    GlobRequest,
    GrepRequest,
    LsRequest,
    WriteRequest,
)
from coatcheck_workers.retrieval.answering import Handler, answer_with, handler_of
from coatcheck_workers.retrieval.model import Answer, Retrieval

from .globbing import glob
from .grepping import grep
from .listing import ls
from .reading import read_file
from .writing import edit_file, write_file


async def answer_file(retrieval: Retrieval, operation: str, session: str, body: bytes) -> Answer:
    """`operation` is as the subject has it, `session` a checked segment. Raises nothing: every error is an answer."""
    return await answer_with(_HANDLERS, retrieval, operation, session, body)


_HANDLERS: dict[str, Handler] = {
    "ls": handler_of(LsRequest, ls),
    "read": handler_of(FileReadRequest, read_file),
    "write": handler_of(WriteRequest, write_file),
    "edit": handler_of(EditRequest, edit_file),
    "glob": handler_of(GlobRequest, glob),
    "grep": handler_of(GrepRequest, grep),
}
