"""Whether the worker in this container lives: its /healthz answers. Standard library only, so that it is quick.

It asks where COATCHECK_HTTP__HOST and COATCHECK_HTTP__PORT say; exit code 1, and why, where the answer is not 200.
For a person it asks for another path that is given, as /readyz or /metrics.
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


def main(path: str = "/healthz") -> None:
    connection = http.client.HTTPConnection(*address(), timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        said = answer.read().decode(errors="replace")
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise SystemExit(f"{path} does not answer: {error}") from None
    if answer.status != http.client.OK:
        raise SystemExit(f"{path} says {answer.status}: {said[:1000]}")
    sys.stdout.write(said)


if __name__ == "__main__":
    main(*sys.argv[1:2])
