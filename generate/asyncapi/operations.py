"""What the workers do on each channel."""

from coatcheck_workers.subscribers import QUEUE

from . import channels, controlled, messages
from .model import Operation

_KEPT = (messages.ACKNOWLEDGED,)

PUBLISHED = (
    Operation(
        name="receiveResult",
        action="receive",
        channel=channels.RESULTS,
        summary="A result leads to exactly one stub event, however often it is published or delivered.",
        answers=_KEPT,
        tag="results",
    ),
    Operation(
        name="receiveTurnEnd",
        action="receive",
        channel=channels.TURN_ENDS,
        summary="Settle the turn with what is there.",
        answers=_KEPT,
        tag="results",
    ),
    Operation(
        name="receivePiece",
        action="receive",
        channel=channels.CHUNKS,
        summary="Put a result together of its pieces.",
        answers=_KEPT,
        tag="results",
    ),
)
SENT = (
    Operation(
        name="sendStub",
        action="send",
        channel=channels.STUBS,
        summary="Tell the agent's session what goes into its context in place of a result.",
        tag="results",
    ),
    Operation(
        name="sendManifest",
        action="send",
        channel=channels.SETTLED,
        summary="Tell the agent's session what was decided of a turn.",
        tag="results",
    ),
    Operation(
        name="sendDeadLetter",
        action="send",
        channel=channels.LETTERS,
        summary="Set aside what could not be processed.",
        tag="operating",
    ),
)
ANSWERED = tuple(
    Operation(
        name=f"answer{channel.name[0].upper()}{channel.name[1:]}",
        action="receive",
        channel=channel,
        summary=messages.REQUESTED[name].summary,
        answers=(messages.REPLIED[name], messages.ERROR),
        queue=QUEUE,
        tag="files" if name.startswith("fs.") else "retrieval",
    )
    for name, channel in channels.REQUESTS.items()
)
CONTROLLED = tuple(
    Operation(
        name=f"answer{channel.name[0].upper()}{channel.name[1:]}",
        action="receive",
        channel=channel,
        summary=controlled.CONTROLLED[verb].title,
        answers=(controlled.CONTROLLED[verb],),
        tag="operating",
    )
    for (verb, _), channel in channels.CONTROL.items()
)

OPERATIONS = (*PUBLISHED, *SENT, *ANSWERED, *CONTROLLED)
TAGS = {
    "results": "Publishing results, and hearing what becomes of them.",
    "retrieval": "Reading what was kept, and clearing old results out of a conversation.",
    "files": "A session's files, and its results as if they were files.",
    "operating": "For who runs a deployment.",
}
