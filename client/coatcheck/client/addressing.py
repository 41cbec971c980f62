"""Whom a request asks: a session and what of it, or a full reference, which names both."""

from typing import NamedTuple

from coatcheck_schemas.errors import InvalidInput, InvalidRef
from coatcheck_schemas.refs import SCHEME, parse_ref

from .encoding import Segment


class Asked(NamedTuple):
    """The session, an id or a `Segment`, and the reference in it; None is all of the session."""

    session: str
    ref: str | None


class Addressed(NamedTuple):
    """The session, an id or a `Segment`, and the reference in it."""

    session: str
    ref: str


def one_original(session: str, ref: str | None) -> Addressed:
    """What `read(session, ref)` means, or `read(ref)`, where the reference is a full one.

    Raises InvalidRef where it is none.
    """
    if ref is not None:
        return Addressed(session, ref)
    named = parse_ref(session)
    if named.session is None:
        raise InvalidRef(f"{session[:200]!r} names no session: give that first, or the whole {SCHEME}SESSION/RESULT_ID")
    return Addressed(Segment(named.session), session)


def what_to_search(session: str, ref: str | None) -> Asked:
    """What `search(session, query)`, `search(session, query, ref=ref)` and `search(ref, query)` mean.

    An id that begins with `coat://` is taken for a reference; a session of that name is given as a `Segment`. Raises
    InvalidInput where it is none.
    """
    if ref is not None or isinstance(session, Segment) or not session.lstrip().startswith(SCHEME):
        return Asked(session, ref)
    try:
        return Asked(*one_original(session, None))
    except InvalidRef as error:
        raise InvalidInput(f"{error}; a session of that name is given as its Segment") from None
