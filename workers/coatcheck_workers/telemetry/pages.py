"""The pages of a worker: /healthz, /readyz, /metrics."""

from http import HTTPStatus

import msgspec

from .exposition import Exposition
from .health import Health
from .serving import Page

JSON = "application/json"


class WorkerPages:
    """Called with a path and an `Accept` header."""

    def __init__(self, health: Health, exposition: Exposition) -> None:
        self._health = health
        self._exposition = exposition

    def __call__(self, path: str, accept: str) -> Page | None:
        if path == "/healthz":
            return _state(self._health.why_not_alive())
        if path == "/readyz":
            return _state(self._health.why_not_ready())
        if path == "/metrics":
            body, content_type = self._exposition.page(accept)
            return Page(status=HTTPStatus.OK, body=body, content_type=content_type)
        return None


def _state(reasons: list[str]) -> Page:
    status = HTTPStatus.SERVICE_UNAVAILABLE if reasons else HTTPStatus.OK
    body = {"status": "unavailable", "reasons": reasons} if reasons else {"status": "ok"}
    return Page(status=status, body=msgspec.json.encode(body) + b"\n", content_type=JSON)
