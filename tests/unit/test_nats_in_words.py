"""An error of time has no text of its own: whoever tells it says how long NATS had to answer."""

from typing import Any

import nats.errors
import pytest

from coatcheck_workers.streams.log import JetStreamLog
from coatcheck_workers.streams.publishing import PublishError
from coatcheck_workers.streams.words import in_words


class Silent:
    """A client whose server says nothing."""

    def jetstream(self, **options: Any) -> "Silent":
        return self

    def new_inbox(self) -> str:
        return "_INBOX.x"

    async def subscribe(self, subject: str, **options: Any) -> None:
        """Heard."""

    async def publish(self, subject: str, body: bytes, **options: Any) -> None:
        """Sent."""

    async def get_msg(self, stream: str, **options: Any) -> Any:
        raise TimeoutError

    async def purge_stream(self, stream: str, **options: Any) -> Any:
        raise nats.errors.TimeoutError


@pytest.mark.parametrize("asking", ["read", "first", "purge"])
async def test_a_stream_that_does_not_answer_is_said_to_be_silent_for_so_long(asking: str) -> None:
    log: Any = JetStreamLog(Silent(), "COAT_HELD", 0.01)  # type: ignore[arg-type]
    asked = {"read": lambda: log.read("held.>", 0, 1), "first": lambda: log.first("held.>")}
    with pytest.raises(PublishError, match=r"^COAT_HELD: .*: NATS did not answer within 0\.01 s$"):
        await asked.get(asking, lambda: log.purge("held.>"))()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (TimeoutError(), "NATS did not answer in time"),
        (OSError(), "OSError"),
        (ValueError("why"), "why"),
    ],
)
def test_no_error_is_without_words(error: Exception, words: str) -> None:
    assert in_words(error) == words
