"""COAT_CHUNKS as a whole: how full it is, how many pieces lie under each subject, and single ones taken away."""

import msgspec
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js.errors import Error as JetStreamError
from nats.js.errors import NotFoundError

from coatcheck_workers.streams.log import JetStreamLog
from coatcheck_workers.streams.publishing import PublishError


class Filling(msgspec.Struct, frozen=True, kw_only=True):
    """`counts` are messages by subject: of all subjects, or the first 100,000 in their order, where they were asked."""

    bytes: int
    max_bytes: int
    counts: dict[str, int] = {}

    @property
    def fill(self) -> float:
        """0 to 1; 0 without a limit."""
        return self.bytes / self.max_bytes if self.max_bytes > 0 else 0.0


class _State(msgspec.Struct, frozen=True):
    bytes: int = 0
    subjects: dict[str, int] | None = None


class _Config(msgspec.Struct, frozen=True):
    max_bytes: int = -1


class _Info(msgspec.Struct, frozen=True):
    """A reply of `STREAM.INFO`; without a state it is an error."""

    state: _State | None = None
    config: _Config = _Config()


class PieceStream(JetStreamLog):
    """One stream. Any trouble is a PublishError: to try again is safe."""

    def __init__(self, client: Client, stream: str, timeout_seconds: float) -> None:
        super().__init__(client, stream, timeout_seconds)
        self._ask_filling = f"$JS.API.STREAM.INFO.{stream}"

    async def filling(self, pattern: str | None = None) -> Filling:
        """With the counts of the subjects under the pattern, where one is given."""
        request = b"" if pattern is None else msgspec.json.encode({"subjects_filter": pattern})
        try:
            reply = await self._client.request(self._ask_filling, request, timeout=self._timeout_seconds)
            info = msgspec.json.decode(reply.data, type=_Info)
        except (NatsError, TimeoutError, msgspec.MsgspecError) as error:
            raise self._trouble("its state", error) from error
        if info.state is None:
            raise PublishError(f"{self._stream}: its state: {bytes(reply.data[:300])!r}")
        return Filling(bytes=info.state.bytes, max_bytes=info.config.max_bytes, counts=info.state.subjects or {})

    async def delete(self, sequence: int) -> None:
        """One message, if it is there."""
        try:
            await self._jetstream.delete_msg(self._stream, sequence)
        except NotFoundError:
            return
        except (NatsError, JetStreamError, TimeoutError) as error:
            raise self._trouble(str(sequence), error) from error
