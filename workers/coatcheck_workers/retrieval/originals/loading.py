"""Getting an original: which one a ref names, its metadata, its bytes, and the proof that they are the ones stored."""

import logging

import msgspec

from coatcheck_core.block_list import decode_list, part_at
from coatcheck_core.encodings import UTF_8
from coatcheck_core.encodings.names import sort_of
from coatcheck_schemas.errors import Code, ObjectNotFound, RequestError
from coatcheck_schemas.events import BLOCKS, Part
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import Ref, parse_ref, sha256_hex

from ..missing import check_readable, lost, missing, not_found
from ..model import Retrieval
from ..telling import tell
from .indexed import Indexed
from .sections import Section, part_section, whole_section
from .stored import damaged, is_indexed, off_loop, output_key

_METADATA = msgspec.json.Decoder(Metadata)


class Original(msgspec.Struct, frozen=True, kw_only=True):
    """An original in memory, or one part of one: `data` is its bytes, `metadata` the whole result's."""

    ref: Ref
    metadata: Metadata
    data: bytes
    encoding: str | None = UTF_8

    def text(self) -> str | None:
        """The text, or None where the bytes are not text in their encoding."""
        if self.encoding is None:
            return None
        try:
            sort_of(self.encoding)
            return self.data.decode(self.encoding)
        except ValueError:
            return None


FOREIGN = "ref of another session"
_SHOWN_CHARS = 200


def resolve(retrieval: Retrieval, session: str, text: str) -> Ref:
    """The original of this session that a ref names.

    Raises InvalidRef where it is malformed, and RequestError `not_found` where it is another session's: whether that
    one exists is not for this session to know.
    """
    ref = parse_ref(text)
    if ref.session not in (None, session):
        refused = f"refused: session {session} asked for {ref} of another session"
        tell(retrieval.troubles, FOREIGN, logging.WARNING, refused)
        raise not_found(ref)
    return Ref(session, ref.result_id, ref.part)


async def load_metadata(retrieval: Retrieval, session: str, result_id: str) -> Metadata:
    """Raises ObjectNotFound where there is no such result, and RequestError `internal` where it cannot be read."""
    return (await fetch_metadata(retrieval, session, result_id))[0]


async def fetch_metadata(retrieval: Retrieval, session: str, result_id: str) -> tuple[Metadata, int]:
    """The same, and how many bytes it has as JSON."""
    key = retrieval.keys.metadata(session, result_id)
    raw = await retrieval.store.get(key)
    try:
        metadata = _METADATA.decode(raw)
        if metadata.ref != str(Ref(session, result_id)):
            raise ValueError(f"it is that of {metadata.ref[:_SHOWN_CHARS]!r}")
        return metadata, len(raw)
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        retrieval.damage.report(key, f"it is no metadata of ours: {error}")
        raise RequestError(
            Code.INTERNAL,
            f"the metadata of {result_id} is damaged; the worker's log has more: run the tool again",
            ref=str(Ref(session, result_id)),
        ) from None


async def load(retrieval: Retrieval, ref: Ref) -> Original | Section:
    """The original or the part that a resolved ref names: whole, or where it is large as a section.

    Raises RequestError `gone`, `not_found` or `unavailable`, or as `load_checked`, or `internal` where it is lost.
    """
    session, result_id = str(ref.session), ref.result_id
    try:
        metadata = await load_metadata(retrieval, session, result_id)
    except ObjectNotFound:
        raise await missing(retrieval, ref) from None
    try:
        check_readable(retrieval, session, metadata)
        if ref.part is not None:
            return await _load_part(retrieval, ref, metadata, ref.part)
        if is_indexed(metadata):
            return await whole_section(ref, Indexed(retrieval, session, metadata))
        return await load_checked(retrieval, ref, metadata)
    except ObjectNotFound as error:
        raise await lost(retrieval, ref, error) from None


async def load_checked(retrieval: Retrieval, ref: Ref, metadata: Metadata) -> Original:
    """The whole of an original that is not large.

    Raises ObjectNotFound, and RequestError `internal` where its bytes are not those stored.
    """
    key = output_key(retrieval, str(ref.session), metadata)
    data = await retrieval.store.get(key)
    if await off_loop(len(data), lambda: sha256_hex(data)) != metadata.sha256:
        retrieval.damage.report(key, "it does not have the sha256 that its metadata says")
        raise damaged(ref)
    return Original(ref=Ref(ref.session, ref.result_id), metadata=metadata, data=data, encoding=metadata.encoding)


async def _load_part(retrieval: Retrieval, ref: Ref, metadata: Metadata, index: int) -> Original | Section:
    part = await part_of(retrieval, ref, metadata, index)
    if part is None:
        raise not_found(ref)
    if part.ref is None:
        return await _load_text_part(retrieval, ref, metadata, part)
    return Original(ref=ref, metadata=metadata, data=await _part_data(retrieval, ref, part))


async def part_of(
    retrieval: Retrieval, ref: Ref, metadata: Metadata, index: int, *, is_hint: bool = False
) -> Part | None:
    """The part with this number; None where there is none.

    Of tens of thousands of texts the metadata names the first; the list of blocks, a part itself, has all. `is_hint`
    is as `Indexed` has it. Raises ObjectNotFound, and RequestError `internal` where that list is not the one stored.
    """
    part = next((part for part in metadata.parts or [] if part.index == index), None)
    return part or await _part_of_list(retrieval, ref, metadata, index, is_hint=is_hint)


async def _part_of_list(
    retrieval: Retrieval, ref: Ref, metadata: Metadata, index: int, *, is_hint: bool
) -> Part | None:
    listed = next((part for part in metadata.parts or [] if part.type == BLOCKS), None)
    if listed is None or index >= listed.index:
        return None
    name = (str(ref.session), ref.result_id, index, listed.sha256 or "")
    part = retrieval.known.listed.get(name) if listed.sha256 is not None else None
    if part is None:
        document = await _part_data(retrieval, ref, listed, is_hint=is_hint)
        part = await off_loop(len(document), lambda: part_at(decode_list(document), index, metadata.ref))
        if part is not None:
            retrieval.known.listed.put(name, part, 1)
    return part


async def _part_data(retrieval: Retrieval, ref: Ref, part: Part, *, is_hint: bool = False) -> bytes:
    """The bytes of a part that is an object of its own. Raises RequestError where they are not those stored."""
    key = retrieval.keys.part(str(ref.session), ref.result_id, part.index)
    data = await retrieval.store.get(key)
    is_changed = part.bytes is not None and part.bytes != len(data)
    if is_changed or (part.sha256 is not None and await off_loop(len(data), lambda: sha256_hex(data)) != part.sha256):
        if not is_hint:
            retrieval.damage.report(key, "it does not have the bytes and the sha256 that its metadata says")
        raise damaged(ref)
    return data


async def _load_text_part(retrieval: Retrieval, ref: Ref, metadata: Metadata, part: Part) -> Original | Section:
    """A text block is no object of its own: it lies in the original. A block kept only in its event is not found."""
    if part.start is None or part.end is None:
        raise not_found(ref)
    if is_indexed(metadata):
        section = await part_section(ref, Indexed(retrieval, str(ref.session), metadata), part.start, part.end)
        if section is None:
            raise not_found(ref)
        return section
    whole = await load_checked(retrieval, ref, metadata)
    start, end = part.start, part.end
    data = await off_loop(len(whole.data), lambda: (whole.text() or "")[start:end].encode())
    return Original(ref=ref, metadata=metadata, data=data)
