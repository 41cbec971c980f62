"""HTML that is no well-formed XML."""

import re

from coatcheck_core.synopsis.xml.html import html_details

from .probe import Format, Probe

_START = re.compile(
    r"\s*(?:<!--(?:[^-]|-(?!->))*+-->\s*)*+(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"</?(?:a|abbr|article|aside|body|br|button|div|em|fieldset|footer|form|h[1-6]|head|header|hr|html|iframe"
    r"|img|input|label|li|link"
    r"|main|meta|nav|ol|option|p|script|section|select|small|span|strong|style|table|tbody|td|th|thead|title|tr"
    r"|ul)\b[^<>]{0,400}>",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"</(?:p|td|tr|div|li|ul|ol|dd|dl|dt|table|h[1-6]|pre|body|head|section|nav"
    r"|code)>",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"className=|=>|<\?php|^[ \t]*(?:import|export|const|function|return|package|public|def|class)\b|</?[A-Z]\w+[ />]"
    r"|^#{1,6} |^```|^[ \t]*(?:///|\*)",
    re.MULTILINE,
)
_LEAST_TAGS = 8
_CHARS_A_TAG = 500
_TAGS_A_STATEMENT = 10


def matches(probe: Probe) -> bool:
    """Begins as HTML does, or with one of its tags and has more; templates of other languages begin otherwise."""
    if _START.match(probe.head):
        return True
    if "</" not in probe.head:
        return False
    if _is_part(probe):
        return True
    head = probe.head.lstrip()
    if not head.startswith("<") or head.startswith(("<?php", "<?=", "<%", "<template", "<script setup")):
        return False
    return _TAG.match(head) is not None and len(_TAG.findall(head)) >= _LEAST_TAGS


def _is_part(probe: Probe) -> bool:
    """The middle of a document, cut out of it: tags close that only HTML has, and close together.

    A document may quote a script; where such lines are many, it is a script with markup in it.
    """
    closings = len(_CLOSING.findall(probe.head))
    if closings < _LEAST_TAGS or _CHARS_A_TAG * closings < len(probe.head):
        return False
    return _TAGS_A_STATEMENT * len(_TEMPLATE.findall(probe.head)) <= closings


HTML = Format("html", matches, html_details)
