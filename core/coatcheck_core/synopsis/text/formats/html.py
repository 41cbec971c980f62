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
_LINE = re.compile(r"\s*(?:</?[A-Za-z][A-Za-z0-9]{0,10}\b[^<>]{0,300}>|[^<>\n]{0,300}</[A-Za-z]{1,10}>)")
_TEMPLATE = re.compile(
    r"className=|=>|<\?php|^[ \t]*(?:import|export|const|function|return|package|public|def|class)\b|</?[A-Z]\w+[ />]"
    r"|^#{1,6} |^```|^[ \t]*(?:///|\*)",
    re.MULTILINE,
)
_LEAST_TAGS = 8


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
    """The middle of a document, cut out of it: tags close that only HTML has, and most lines begin with one."""
    if len(_CLOSING.findall(probe.head)) < _LEAST_TAGS or _TEMPLATE.search(probe.head):
        return False
    return probe.share(_LINE) >= 0.4


HTML = Format("html", matches, html_details)
