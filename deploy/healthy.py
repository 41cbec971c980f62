"""Whether the worker in this container lives: its /healthz answers. Standard library only, so that it is quick.

It asks where COATCHECK_HTTP__HOST and COATCHECK_HTTP__PORT say; exit code 1, and why, where the answer is not 200.
"""

import http.client
import os
import sys

TIMEOUT_SECONDS = 4.0


def address() -> tuple[str, int]:
    """The host and the port to ask; what listens everywhere answers on loopback too."""
    host = os.environ.get("COATCHECK_HTTP__HOST", "")
    port = os.environ.get("COATCHECK_HTTP__PORT", "")
    if not port.isdecimal() or port == "0":
        raise SystemExit("COATCHECK_HTTP__PORT is not set: this worker does not say whether it lives")
    return {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), int(port)  # noqa: S104


def main() -> None:
    connection = http.client.HTTPConnection(*address(), timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        said = answer.read(1000).decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise SystemExit(f"/healthz does not answer: {error}") from None
    if answer.status != http.client.OK:
        raise SystemExit(f"/healthz says {answer.status}: {said}")
    sys.stdout.write(said)


if __name__ == "__main__":
    main()
