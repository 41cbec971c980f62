"""Which struct each request is, and which its answer: what stands in the `ok` of a reply."""

from typing import NamedTuple

import msgspec

from . import clearing, filesystem, requests


class Exchange(NamedTuple):
    """A request, and what its reply has as `ok`."""

    request: type[msgspec.Struct]
    reply: type[msgspec.Struct]


REQUESTS = {
    "read": Exchange(requests.ReadRequest, requests.ReadReply),
    "search": Exchange(requests.SearchRequest, requests.SearchReply),
    "list": Exchange(requests.ListRequest, requests.ListReply),
    "replay": Exchange(requests.ReplayRequest, requests.ReplayReply),
    "delete": Exchange(requests.DeleteRequest, requests.DeleteReply),
    "link": Exchange(requests.LinkRequest, requests.LinkReply),
    "upload": Exchange(requests.UploadRequest, requests.UploadReply),
    "clear": Exchange(clearing.ClearRequest, clearing.ClearReply),
}
"""By verb, on `coat.VERB.SESSION`."""
FILE_REQUESTS = {
    "ls": Exchange(filesystem.LsRequest, filesystem.LsReply),
    "read": Exchange(filesystem.FileReadRequest, filesystem.FileReadReply),
    "write": Exchange(filesystem.WriteRequest, filesystem.WriteReply),
    "edit": Exchange(filesystem.EditRequest, filesystem.EditReply),
    "glob": Exchange(filesystem.GlobRequest, filesystem.GlobReply),
    "grep": Exchange(filesystem.GrepRequest, filesystem.GrepReply),
}
"""By operation, on `coat.fs.SESSION.OP`."""
