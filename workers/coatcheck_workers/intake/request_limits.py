"""The limits of one kind of request, and what is told to whom they strike."""

import msgspec

from coatcheck_core.fairness import Bounds, Measure
from coatcheck_core.settings.model import RequestsSettings
from coatcheck_schemas.errors import Code, RequestError


class RequestLimits(msgspec.Struct, frozen=True, kw_only=True):
    """`body_bytes` is of one request with its headers, `patience_seconds` of waiting, `work_seconds` of answering.

    `own_seconds` is what this kind of request may take besides `timeout_seconds`. `goes_on`: what was asked for is done
    all the same where the answer is given up.
    """

    bounds: Bounds
    body_bytes: int
    patience_seconds: float
    timeout_seconds: float
    own_seconds: float = 0.0
    goes_on: bool = False

    @property
    def work_seconds(self) -> float:
        return self.timeout_seconds + self.own_seconds


def limits_of(settings: RequestsSettings, verb: str) -> RequestLimits:
    at_work, of_session = settings.in_flight, settings.session_in_flight
    if verb == "search":
        at_work, of_session = settings.searches, settings.session_searches
    return RequestLimits(
        bounds=Bounds(
            at_work=at_work,
            session_at_work=of_session,
            waiting=settings.waiting,
            waiting_bytes=settings.waiting_bytes,
        ),
        body_bytes=settings.body_bytes,
        patience_seconds=settings.patience_seconds,
        timeout_seconds=settings.timeout_seconds,
        # A deletion answers by itself once these are over, and has only to say so then.
        own_seconds=settings.delete_seconds if verb == "delete" else 0.0,
        goes_on=verb == "delete",
    )


def no_room(measure: Measure, limits: RequestLimits) -> RequestError:
    """For one that comes where the session, or all of them, have too many waiting."""
    value = getattr(limits.bounds, measure)
    return RequestError(
        Code.UNAVAILABLE,
        f"too many requests wait for this worker (requests.{measure} is {value}, and a session gets no more of it than"
        " it leaves free): ask for less at a time, and again later",
        limit=f"requests.{measure}",
        value=value,
    )


def waited_too_long(limits: RequestLimits) -> RequestError:
    """For one whose turn did not come."""
    return RequestError(
        Code.UNAVAILABLE,
        f"its turn did not come within {limits.patience_seconds:g} s (requests.patience_seconds): the worker, or this"
        " session, has too much to answer; ask again later",
        limit="requests.patience_seconds",
        value=limits.patience_seconds,
    )


def took_too_long(limits: RequestLimits) -> RequestError:
    """For one whose answer is given up."""
    advice = (
        "what it began goes on, and asking again later tells whether it is done"
        if limits.goes_on
        else "ask for less at a time, or again later"
    )
    return RequestError(
        Code.UNAVAILABLE,
        f"the answer was not there after {limits.work_seconds:g} s (requests.timeout_seconds): the store may be slow;"
        f" {advice}",
        limit="requests.timeout_seconds",
        value=limits.timeout_seconds,
    )


def too_large(size: int, limits: RequestLimits) -> RequestError:
    """For one that is longer than any has to be."""
    return RequestError(
        Code.TOO_LARGE,
        f"the request has {size} bytes with its headers, more than {limits.body_bytes} (requests.body_bytes): ask with"
        " less",
        limit="requests.body_bytes",
        value=limits.body_bytes,
    )


def stopping() -> RequestError:
    """For what a stopping worker has no time to answer."""
    return RequestError(Code.UNAVAILABLE, "this worker is stopping: ask again, another may answer")
