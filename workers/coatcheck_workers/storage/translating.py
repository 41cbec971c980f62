"""obstore's errors as the StoreErrors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    InvalidPathError,
    NotSupportedError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
    UnknownConfigurationKeyError,
)

from coatcheck_schemas.errors import ObjectChanged, ObjectExists, ObjectNotFound, StoreRejected, StoreUnavailable

from .tls import tls_fault

_NO_BUCKET = ("NoSuchBucket", "ContainerNotFound")
_DENIED_ERRORS = (PermissionDeniedError, UnauthenticatedError)
_DENIED = ("status code: 401", "status code: 403", "Permission denied")
_OUT_OF_RANGE = ("status code: 416", "StartTooLarge")
"""What a store answers to a range that begins past the end; obstore has no error of its own for it.

The number alone would do for a port or a key that has it: a dead server would be an empty object.
"""

Doing = Literal["reading", "writing", "reading a version"]


@contextmanager
def translated(place: str, key: str, doing: Doing = "reading") -> Iterator[None]:
    """Raise what obstore raises within as a StoreError; errors of a listing say what they were in their text alone.

    `place` is what holds the objects, as messages name it: `bucket 'coatcheck'`.
    """
    try:
        yield
    except (AlreadyExistsError, PreconditionError) as error:
        raise (ObjectChanged if doing == "reading a version" else ObjectExists)(key) from error
    except InvalidPathError as error:
        raise StoreRejected(f"{key!r} is no valid object key") from error
    except (NotSupportedError, NotImplementedError, UnknownConfigurationKeyError) as error:
        raise StoreRejected(f"{place} does not do what is asked: {first_line(error)}") from error
    except (BaseError, OSError) as error:
        text = str(error)
        absent = isinstance(error, FileNotFoundError)
        if any(code in text for code in _NO_BUCKET) or (absent and doing == "writing"):
            raise StoreRejected(f"{place} is missing: run `coatcheck provision`") from error
        if absent:
            raise ObjectNotFound(key) from error
        if isinstance(error, _DENIED_ERRORS) or any(status in text for status in _DENIED):
            raise StoreRejected(f"object storage denies access to {place}: check the keys") from error
        if fault := tls_fault(error):
            raise StoreRejected(fault) from error
        raise StoreUnavailable(f"object storage does not answer: {first_line(error)}") from error


def is_out_of_range(error: BaseException) -> bool:
    """Whether the range asked for begins past the object's end."""
    return any(sign in str(error) for sign in _OUT_OF_RANGE)


def first_line(error: BaseException) -> str:
    """The first line of an error's text, 300 characters at most; its name where it says nothing."""
    return str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__
