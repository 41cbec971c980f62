"""What a NATS server that lets us in has of ours: streams as declared, room in them, workers, letters, the time."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import version

import msgspec
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.js.api import AccountInfo

from coatcheck_core.settings import Settings
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import Subjects

from ..deployment.administering import AS_ADMINISTRATOR
from ..deployment.jetstream import ASK_SECONDS, JetStreamStates, oldest_of
from ..deployment.states import StreamState
from ..deployment.workers import ask_workers
from ..discovery.messages import semantic
from ..provisioning import ProvisionError, drift
from ..storage import open_store
from ..streams.letters import LettersAway
from .clocks import judge_clock
from .finding import Finding, doubtful, failing
from .laid_out import LAYOUT, judge_drift
from .streams import LETTERS, judge_account, judge_consumers, judge_held, judge_letters, judge_streams
from .workers import WORKERS, judge_workers, unseen

JETSTREAM = "jetstream"
SESSION = "coatcheck-doctor"
REQUEST_SECONDS = 3.0
_SILENT = f"see the server's log, and whether JetStream is enabled there; or {AS_ADMINISTRATOR}"

Findings = AsyncGenerator[Finding, None]


async def looked_at(client: Client, settings: Settings) -> Findings:
    """Each finding as soon as it is known. It changes nothing."""
    account = await _account(client)
    if isinstance(account, Finding):
        yield account
    else:
        for one in judge_account(account.storage, account.limits.max_storage):
            yield one
        async for one in _streams(client, settings):
            yield one
    for one in await _workers(client, settings):
        yield one


async def _account(client: Client) -> AccountInfo | Finding:
    """What JetStream says of our account, or why it cannot be asked."""
    try:
        return await client.jetstream(timeout=ASK_SECONDS).account_info()
    except (TimeoutError, NoRespondersError):
        if _is_denied(client):
            return failing(
                JETSTREAM, "these credentials may not ask JetStream (permissions violation)", AS_ADMINISTRATOR
            )
        return failing(JETSTREAM, "JetStream does not answer this user", _SILENT)
    except NatsError as error:
        told = getattr(error, "description", None) or str(error) or type(error).__name__
        mend = "enable JetStream for this account: `jetstream: enabled` in it, and a jetstream block in the server"
        return failing(JETSTREAM, f"JetStream refuses: {told}", mend)


async def _streams(client: Client, settings: Settings) -> Findings:
    states = JetStreamStates(client, settings)
    try:
        drifts = await drift(client.jetstream(timeout=ASK_SECONDS), None, settings)
        for one in judge_drift(LAYOUT, drifts, "streams and consumers are as declared"):
            yield one
        streams = await states.streams()
        told = await states.time()
        if told is not None:
            yield judge_clock(*told)
        now = datetime.now(UTC) if told is None else told[0]
        for one in judge_streams(streams.values()):
            yield one
        for one in judge_consumers(await states.consumers(), oldest_of(streams.get("results"), now)):
            yield one
        if "held" in streams:
            yield judge_held(streams["held"], now, _longest_held(settings))
        if "dlq" in streams:
            yield await _letters(states, streams["dlq"], settings)
    except ProvisionError as error:
        yield failing(JETSTREAM, str(error), _SILENT)


async def _letters(states: JetStreamStates, dlq: StreamState, settings: Settings) -> Finding:
    if not dlq.messages:
        return judge_letters(0, {})
    try:
        return judge_letters(dlq.messages, await states.reasons(partial(open_store, settings.storage)))
    except LettersAway as error:
        return doubtful(LETTERS, f"{dlq.messages} wait, and their reasons cannot be read: {error}", _SILENT)


async def _workers(client: Client, settings: Settings) -> list[Finding]:
    try:
        workers = await ask_workers(client, settings.nats.prefix)
        if workers:
            return judge_workers(workers, semantic(version("coatcheck")))
        answered = await _asked(client, settings)
        return [unseen(answered=answered, is_denied=_is_denied(client))]
    except NatsError as error:
        return [failing(WORKERS, f"they cannot be asked: {error}", AS_ADMINISTRATOR)]


def _is_denied(client: Client) -> bool:
    """Whether the server has refused what we asked; it says so beside the request, which then has no answer."""
    return "permissions violation" in str(client.last_error).lower()


async def _asked(client: Client, settings: Settings) -> str | None:
    """How a worker answers a plain request; None where none does."""
    subject = Subjects(settings.nats.prefix).request("list", encode_segment(SESSION))
    try:
        reply = await client.request(subject, b'{"limit":1}', timeout=REQUEST_SECONDS)
    except (TimeoutError, NoRespondersError):
        return None
    try:
        answer = msgspec.json.decode(reply.data, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "with what is no answer"
    return "ok" if "ok" in answer else (reply.headers or {}).get("Nats-Service-Error", "with an error")


def _longest_held(settings: Settings) -> timedelta:
    """As the workers have it: nothing is held for longer."""
    return timedelta(seconds=max(settings.turn.deadline_seconds, settings.storage.retry_max_seconds))
