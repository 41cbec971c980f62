"""The words that a model is given, by language."""

from collections.abc import Mapping
from functools import cache

from . import words_en, words_zh
from .words import Language, Phrases, ToolWords


@cache
def tool_words(language: Language) -> Mapping[str, ToolWords]:
    """By the tool's key."""
    return words_zh.TOOLS if language == "zh" else words_en.TOOLS


@cache
def phrases(language: Language) -> Phrases:
    """Of answers."""
    return words_zh.PHRASES if language == "zh" else words_en.PHRASES
