"""The budget of a turn: what its ledger holds, what follows from it. Pure."""

from .entries import (
    EndEntry,
    Entry,
    FailedEntry,
    RawEntry,
    ResultEntry,
    ResultsEntry,
    SettledEntry,
    encode_entry,
    end_entry,
    is_of_another_version,
    read_entry,
)
from .ledger import Outcome, Turn
from .manifest import manifest

__all__ = [
    "EndEntry",
    "Entry",
    "FailedEntry",
    "Outcome",
    "RawEntry",
    "ResultEntry",
    "ResultsEntry",
    "SettledEntry",
    "Turn",
    "encode_entry",
    "end_entry",
    "is_of_another_version",
    "manifest",
    "read_entry",
]
