"""URLs as they can be shown: in a list of settings, in an error, in a log."""

import re

SECRET = "********"  # noqa: S105 - what stands in for one

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def redact_url(url: str) -> str:
    """The URL without the password (or the token) in it; a scheme may be missing, as NATS allows."""
    scheme = _SCHEME.match(url)
    start = scheme.end() if scheme else 0
    user, at, host = url[start:].rpartition("@")
    if not at:
        return url
    name, colon, _ = user.partition(":")
    return f"{url[:start]}{name if colon else ''}{colon}{SECRET}@{host}"


def redact_urls(urls: str) -> str:
    """As `redact_url`, of a comma-separated list; where a comma may be of a password, too much is hidden."""
    whole: list[str] = []
    for piece in urls.split(","):
        if whole and "@" in piece and "@" not in whole[-1] and not _SCHEME.match(piece.strip()):
            whole[-1] = f"{whole[-1]},{piece}"
        else:
            whole.append(piece)
    return ",".join(map(redact_url, whole))
