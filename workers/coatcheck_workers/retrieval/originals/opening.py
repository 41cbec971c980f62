"""Opening an original for a page of it: by what is remembered of it, and anew where that does not hold any more."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from coatcheck_schemas.errors import Code, ObjectNotFound, RequestError
from coatcheck_schemas.events import Part
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import Ref

from ..missing import check_readable, is_readable, lost, missing, not_found
from ..model import Retrieval
from .at_hand import AtHand, NotAtHand
from .indexed import Indexed
from .loading import fetch_metadata, part_of
from .sections import Section, part_section, whole_section
from .small import PartObject, Small
from .stored import is_indexed

_T = TypeVar("_T")

_BY_WHAT_IS_STORED = frozenset({Code.NOT_FOUND, Code.GONE, Code.INTERNAL})
"""Errors that may be the fault of what is remembered; another is the request's own."""


async def using(
    retrieval: Retrieval,
    ref: Ref,
    use: Callable[[Section], Awaitable[_T]],
    *,
    is_anew: bool = False,
    keeps: bool = False,
) -> _T:
    """What `use` makes of the original or part that a resolved ref names; `is_anew`: with its metadata as it is now.

    `keeps`: what is fetched is kept for `using_at_hand`. `use` touches the stored object in any case, and what was
    deleted while it did is not given out; it may be called twice. Raises RequestError (`gone`, `not_found`,
    `unavailable`, `internal`, and what `use` raises), StoreError.
    """
    session = str(ref.session)
    known = None if is_anew else retrieval.known.get(session, ref.result_id)
    if known is not None:
        try:
            outcome = await use(await _opened(retrieval, ref, known, is_hint=True, keeps=keeps))
            check_readable(retrieval, session, known)
            return outcome
        except ObjectNotFound:
            retrieval.known.drop(session, ref.result_id)
        except RequestError as error:
            if error.code not in _BY_WHAT_IS_STORED:
                raise
            retrieval.known.drop(session, ref.result_id)
    return await _using_anew(retrieval, ref, use, keeps=keeps)


async def using_at_hand(retrieval: Retrieval, ref: Ref, use: Callable[[Section], Awaitable[_T]]) -> _T | None:
    """What `use` makes of what was kept of a whole original; None where that is not all that it needs.

    The store is asked for nothing: that the original is there still, and has not been deleted meanwhile, is for the
    caller to find out. Raises what `use` raises.
    """
    session = str(ref.session)
    known = retrieval.known.get(session, ref.result_id)
    if known is None or not is_readable(retrieval, session, known):
        return None
    with suppress(NotAtHand):
        outcome = await use(await whole_section(ref, AtHand(retrieval, session, known)))
        return outcome if is_readable(retrieval, session, known) else None
    return None


async def _using_anew(retrieval: Retrieval, ref: Ref, use: Callable[[Section], Awaitable[_T]], *, keeps: bool) -> _T:
    session = str(ref.session)
    try:
        metadata, size = await fetch_metadata(retrieval, session, ref.result_id)
    except ObjectNotFound:
        raise await missing(retrieval, ref) from None
    try:
        outcome = await use(await _opened(retrieval, ref, metadata, is_hint=False, keeps=keeps))
        check_readable(retrieval, session, metadata)
    except ObjectNotFound as error:
        raise await lost(retrieval, ref, error) from None
    retrieval.known.put(session, metadata, size)
    return outcome


async def _opened(retrieval: Retrieval, ref: Ref, metadata: Metadata, *, is_hint: bool, keeps: bool) -> Section:
    check_readable(retrieval, str(ref.session), metadata)
    kind = Indexed if is_indexed(metadata) else Small
    original = kind(retrieval, str(ref.session), metadata, is_hint=is_hint, keeps=keeps)
    if ref.part is None:
        return await whole_section(ref, original)
    part = await part_of(retrieval, ref, metadata, ref.part, is_hint=is_hint)
    section = None if part is None else await _part_section(retrieval, ref, original, part, is_hint=is_hint)
    if section is None:
        raise not_found(ref)
    return section


async def _part_section(
    retrieval: Retrieval, ref: Ref, original: Indexed, part: Part, *, is_hint: bool
) -> Section | None:
    """A text block is no object of its own: it lies in the original. A block kept only in its event is nowhere."""
    if part.ref is not None:
        own = PartObject(retrieval, str(ref.session), original.metadata, part, is_hint=is_hint)
        return await whole_section(ref, own)
    if part.start is None or part.end is None:
        return None
    return await part_section(ref, original, part.start, part.end)
