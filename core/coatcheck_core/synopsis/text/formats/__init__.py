"""Finer formats of a text. They never change its kind, but what is surely one of them is neither YAML nor code."""

from .choosing import decides, details_of, has_headers, text_format

__all__ = ["decides", "details_of", "has_headers", "text_format"]
