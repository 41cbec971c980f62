"""Every subject that others than workers meet, as `coatcheck_schemas.subjects` builds it."""

from coatcheck_schemas.subjects import CallAddress, Subjects, TurnAddress
from coatcheck_workers.discovery.messages import SERVICE, VERBS, control_subjects

from . import controlled, messages
from .model import Channel, Message

SUBJECTS = Subjects()
_TURN = TurnAddress("{session}", "{turn}")
_CALL = CallAddress("{session}", "{turn}", "{call}")

PARAMETERS = {
    "session": "The session's id as a segment: A-Z a-z 0-9 _ - as they are, any other byte as = and two hex digits.",
    "turn": "The turn's id as a segment; = for a result without a turn.",
    "call": "The call's id as a segment.",
    "upload": "The upload's id, a segment that no other result has had.",
    "result_id": "The call's segment, - and the first 32 hex digits of the sha256 of the original; or CALL-failed.",
    "id": "A worker's id, as its answer to PING has it.",
}

RESULTS = Channel(
    name="results",
    address=SUBJECTS.results(_CALL),
    title="Results",
    description="Tools and agents publish each result here, with a reply subject for the acknowledgement.",
    messages=(messages.RESULT, messages.BINARY_RESULT),
    stream="results",
)
TURN_ENDS = Channel(
    name="turnEnds",
    address=SUBJECTS.turn_end(_TURN),
    title="Ends of turns",
    description="Optional: it spares the wait for the turn's deadline where fewer results came than was said.",
    messages=(messages.TURN_END,),
    stream="results",
)
CHUNKS = Channel(
    name="chunks",
    address=SUBJECTS.chunks(_CALL, "{upload}"),
    title="Pieces",
    description="The pieces of a large or streaming result, and the one last message that ends them.",
    messages=(messages.PIECE, messages.FINAL_PIECE, messages.FAILED_PIECE),
    stream="chunks",
)
STUBS = Channel(
    name="stubs",
    address=SUBJECTS.stubs("{session}", "{turn}", "{result_id}"),
    title="Stub events",
    description=f"An agent subscribes to {SUBJECTS.session_stubs('SESSION')}. The request replay has what it missed.",
    messages=(messages.STUB,),
    stream="stubs",
)
SETTLED = Channel(
    name="settled",
    address=SUBJECTS.settled(_TURN),
    title="Manifests",
    description="Each settled turn has one.",
    messages=(messages.MANIFEST,),
    stream="stubs",
)
LETTERS = Channel(
    name="deadLetters",
    address=SUBJECTS.dlq(_CALL),
    title="Dead letters",
    description="What could not be processed, and why; all three segments are = where its subject named no call.",
    messages=(messages.LETTER,),
    stream="dlq",
)


def _request(name: str, message: Message) -> Channel:
    verb, _, operation = name.partition(".")
    address = SUBJECTS.file_request("{session}", operation) if operation else SUBJECTS.request(verb, "{session}")
    return Channel(
        name=_camel(name),
        address=address,
        title=message.title,
        description="By NATS request and reply. An empty body is {}; an unknown field is an error.",
        messages=(message,),
    )


def _camel(name: str) -> str:
    first, _, second = name.partition(".")
    return first + second.capitalize()


REQUESTS = {name: _request(name, message) for name, message in messages.REQUESTED.items()}
"""By verb, or `fs.OP`."""

_ASKED = ("of every service", f"of every {SERVICE} worker", "of one worker")
_FORMS = ("All", "Workers", "Worker")
CONTROL = {
    (verb, form): Channel(
        name=f"{verb.lower()}{form}",
        address=subject,
        title=f"{verb} {asked}",
        description="NATS's services protocol, as its own tools ask it.",
        messages=(controlled.CONTROL,),
    )
    for verb in VERBS
    for form, asked, subject in zip(_FORMS, _ASKED, control_subjects(verb, "{id}"), strict=True)
}

INBOX = Channel(
    name="inbox",
    address=None,
    title="The asker's inbox",
    description="The reply subject of a request, or of what is published. A request is answered only where it begins "
    "with one of requests.inbox_prefixes, _INBOX. by default; a confined agent's is _INBOX.SESSION.>.",
    messages=(*messages.REPLIED.values(), messages.ERROR, messages.ACKNOWLEDGED, *controlled.CONTROLLED.values()),
)

CHANNELS = (RESULTS, TURN_ENDS, CHUNKS, STUBS, SETTLED, LETTERS, *REQUESTS.values(), *CONTROL.values(), INBOX)
