"""HTML that is no well-formed XML."""

import re

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
_LEAST_TAGS = 8


def matches(probe: Probe) -> bool:
    """Begins as HTML does, or with one of its tags and has more; templates of other languages begin otherwise."""
    if _START.match(probe.head):
        return True
    head = probe.head.lstrip()
    if not head.startswith("<") or head.startswith(("<?php", "<?=", "<%", "<template", "<script setup")):
        return False
    return _TAG.match(head) is not None and len(_TAG.findall(head)) >= _LEAST_TAGS


HTML = Format("html", matches)
