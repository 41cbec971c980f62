"""Clearing old tool results, pure: from a conversation and rules to the conversation with placeholders in it."""

from .clearing import STAYS, Cleared, ClearedResult, PlaceholderFor, clear
from .deciding import Slot
from .lightening import light_of
from .placeholders import ref_in, with_ref
from .rules import PLACEHOLDER, Rules, ToolRule

__all__ = [
    "PLACEHOLDER",
    "STAYS",
    "Cleared",
    "ClearedResult",
    "PlaceholderFor",
    "Rules",
    "Slot",
    "ToolRule",
    "clear",
    "light_of",
    "ref_in",
    "with_ref",
]
