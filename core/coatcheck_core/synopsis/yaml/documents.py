"""The documents of a YAML stream, told by their marks, which can't stand at the start of a line for anything else."""

import re

import msgspec

from coatcheck_core.synopsis.blocks import boundary
from coatcheck_core.synopsis.bounds import clip

MAX_NAMES = 20

_NAME_CHARS = 80
_PROBED_BYTES = 4096
_MARK = re.compile(rb"^(?:---(?=[ \t\r\n]|\Z)|\.\.\.(?=[ \t\r]*$))[ \t]*+", re.MULTILINE)
_DIRECTIVE = re.compile(rb"(?:[ \t]*+(?:[%#][^\n]*+)?(?:\n|\Z))*+")
_COLLECTION = re.compile(rb"[ \t]*+(?:-(?:[ \t\r\n]|\Z)|[\[{?&!*\"'|>]|[^\n]*?:(?:[ \t\r\n]|\Z))")
_KIND = re.compile(rb"^kind:[ ]*([\w.-]+)", re.MULTILINE)
_METADATA = re.compile(
    rb"^metadata:[ \t\r]*\n([ ]+)(?:[^\n]*\n(?:\1[^\n]*\n)*?\1)??name:[ ]*[\"']?([^\s\"'#]+)", re.MULTILINE
)


class Document(msgspec.Struct, frozen=True):
    """Where its content stands, in bytes, after the mark that begins it."""

    start: int
    end: int


def split_documents(text: bytes) -> list[Document]:
    """Those that have any content."""
    documents = []
    start = 0
    for mark in _MARK.finditer(text):
        documents.append(Document(start, mark.start()))
        start = mark.end()
    documents.append(Document(start, len(text)))
    return [document for document in documents if not is_blank(text, document)]


def is_blank(text: bytes, document: Document) -> bool:
    """White space, comments and directives alone."""
    match = _DIRECTIVE.match(text, document.start, document.end)
    return match is not None and match.end() >= document.end


def begins_collection(text: bytes, document: Document) -> bool:
    """Whether its first line may be an entry, rather than a sentence."""
    blank = _DIRECTIVE.match(text, document.start, document.end)
    start = document.start if blank is None else blank.end()
    return _COLLECTION.match(text, start, min(start + _PROBED_BYTES, document.end)) is not None


def document_names(text: bytes, documents: list[Document]) -> list[str]:
    """`Deployment/web` for each of the first documents that say what they are, as those of Kubernetes do."""
    names = []
    for document in documents[: 2 * MAX_NAMES]:
        head = text[document.start : boundary(text, min(document.start + _PROBED_BYTES, document.end))]
        kind = _KIND.search(head)
        if kind is None:
            continue
        name = _METADATA.search(head)
        label = kind[1] if name is None else kind[1] + b"/" + name[2]
        names.append(clip(label.decode(errors="replace"), _NAME_CHARS))
    return names[:MAX_NAMES]
