"""The bucket's rules for what only passes through, and for what expires, among those that others have put there. Pure.

The configuration is handled as the XML that it is: read into a library's classes and written again, another's rule
could lose a condition that these do not know, and delete more than it should.
"""

import hashlib
from xml.etree import ElementTree

PASSING_DAYS = 8
"""Of what only passes through: a day more than the longest that a URL is valid, for links are made by the day."""
_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"


def has_rule(configuration: bytes | None, prefix: str, days: int | None = PASSING_DAYS) -> bool:
    """Whether what lies below the prefix goes by our rule after so many days, or stays for want of one where `days` is
    None; None is a bucket without any.

    A server that frees unfinished uploads by itself may leave that part out of what it gives back.
    """
    rule = None if configuration is None else _find(_parsed(configuration), prefix)
    if rule is None or days is None:
        return rule is None and days is None
    said = rule.findtext(".//{*}Expiration/{*}Days")
    unfinished = rule.findtext(".//{*}DaysAfterInitiation", default=str(PASSING_DAYS))
    told = (rule.findtext("{*}Status"), rule.findtext(".//{*}Prefix"), said, unfinished)
    return told == ("Enabled", prefix, str(days), str(PASSING_DAYS))


def with_rule(configuration: bytes | None, prefix: str, days: int | None = PASSING_DAYS) -> bytes:
    """The configuration with our rule as it is to be, or without it where `days` is None, and every other as it was."""
    root = ElementTree.Element(f"{{{_NAMESPACE}}}LifecycleConfiguration")
    if configuration is not None:
        root = _parsed(configuration)
        if (stale := _find(root, prefix)) is not None:
            root.remove(stale)
    if days is None:
        return ElementTree.tostring(root)
    namespace = root.tag.rpartition("}")[0] + "}" if root.tag.startswith("{") else ""
    rule = ElementTree.SubElement(root, f"{namespace}Rule")

    def add(above: ElementTree.Element, name: str, text: str | None = None) -> ElementTree.Element:
        below = ElementTree.SubElement(above, f"{namespace}{name}")
        below.text = text
        return below

    add(rule, "ID", rule_id(prefix))
    add(rule, "Status", "Enabled")
    add(add(rule, "Filter"), "Prefix", prefix)
    add(add(rule, "Expiration"), "Days", str(days))
    add(add(rule, "AbortIncompleteMultipartUpload"), "DaysAfterInitiation", str(PASSING_DAYS))
    if namespace:
        ElementTree.register_namespace("", namespace[1:-1])
    return ElementTree.tostring(root)


def rule_id(prefix: str) -> str:
    """Deployments that share a bucket have rules each."""
    kind = "passing" if prefix.endswith("/passing/") else "sessions"
    return f"coatcheck-{kind}-{hashlib.sha256(prefix.encode()).hexdigest()[:16]}"


def _parsed(configuration: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(configuration)  # noqa: S314 - the configured server's own answer


def _find(root: ElementTree.Element, prefix: str) -> ElementTree.Element | None:
    return next((rule for rule in root.findall("{*}Rule") if rule.findtext("{*}ID") == rule_id(prefix)), None)
