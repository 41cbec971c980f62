"""What each role is refused, on NATS: the subjects that it may not publish to, and those that it may not hear."""

from coatcheck_schemas.permissions import Role
from coatcheck_schemas.subjects import VERBS

API = (
    *("INFO", "STREAM.NAMES", "STREAM.LIST", "STREAM.CREATE.EVIL", "STREAM.CREATE.COAT_STUBS"),
    *(f"STREAM.{verb}.COAT_STUBS" for verb in ("INFO", "UPDATE", "DELETE", "PURGE", "SNAPSHOT", "RESTORE", "MSG.GET")),
    *("STREAM.MSG.DELETE.COAT_STUBS", "DIRECT.GET.COAT_STUBS", "DIRECT.GET.COAT_STUBS.coat.stubs.s2.t.r"),
    *("CONSUMER.CREATE.COAT_STUBS", "CONSUMER.CREATE.COAT_STUBS.x.coat.stubs.s1.>", "CONSUMER.NAMES.COAT_STUBS"),
    *("CONSUMER.DURABLE.CREATE.COAT_STUBS.x", "CONSUMER.DELETE.COAT_RESULTS.workers", "CONSUMER.LIST.COAT_STUBS"),
    *("CONSUMER.INFO.COAT_RESULTS.workers", "CONSUMER.MSG.NEXT.COAT_RESULTS.workers", "ACCOUNT.PURGE.COATCHECK"),
)
JETSTREAM = tuple(f"$JS.API.{one}" for one in API)
INNER = tuple(
    f"coat-internal.{one}"
    for one in (
        *("out.stubs.s1.t.r", "out.settled.s1.t", "ledger.s1.t.result.r", "failures.COAT_RESULTS.1"),
        *("held.s1.t.turn.=", "due.s1.t.turn.=", "due.s1.t.letter.1", "deleted.s1.session", "anything"),
    )
)
WORDS_OF_WORKERS = (
    "coat.stubs.s1.t.r",
    "coat.stubs.s2.t.r",
    "coat.settled.s1.t",
    "coat.settled.s2.t",
    "coat.dlq.s1.t.c",
)
PUBLISHED = ("coat.results.{}.t.c", "coat.chunks.{}.t.c.u", "coat.turns.{}.t.end")
REQUESTS = (*(f"coat.{verb}.{{}}" for verb in VERBS), "coat.fs.{}.read")
SERVERS = (
    "$SRV.PING",
    "$SRV.INFO.coatcheck",
    "$SYS.REQ.USER.INFO",
    "$SYS.REQ.SERVER.PING",
    "$SYS.REQ.ACCOUNT.PING.CONNZ",
)
INBOXES = ("_INBOX.s1.x", "_INBOX.s2.x", "_INBOX.=tool.s1.x", "_INBOX.=worker.x", "_INBOX.x", "_R_.x")
ACKS = ("$JS.ACK.COAT_RESULTS.workers.1.1.1.1.0", "$JS.ACK.COAT_STUBS.x.1.1.1.1.0")
WILD = (
    "coat.>",
    "coat.*.s1",
    "coat.stubs.>",
    "coat.stubs.*.>",
    "coat.stubs.*.t.r",
    "coat.settled.*.*",
    "coat.results.>",
)
WIDER = (
    ">",
    "*",
    "*.>",
    "_INBOX.>",
    "_INBOX.*.x",
    "_INBOX.s2.>",
    "coat-internal.>",
    "$JS.>",
    "$SYS.>",
    "$SRV.>",
    "_R_.>",
)


def filled(patterns: tuple[str, ...], session: str) -> tuple[str, ...]:
    return tuple(one.format(session) for one in patterns)


NEVER_BY_A_SESSION = (
    *(*JETSTREAM, *INNER, *WORDS_OF_WORKERS, *SERVERS, *INBOXES, *ACKS),
    *(subject for session in ("s2", "*") for subject in filled((*PUBLISHED, *REQUESTS), session)),
)
FORBIDDEN: dict[Role, tuple[str, ...]] = {
    "agent": NEVER_BY_A_SESSION,
    "tool": (*NEVER_BY_A_SESSION, *(one for one in filled(REQUESTS, "s1") if one != "coat.upload.s1")),
    "admin": (*WORDS_OF_WORKERS, *(one for one in INNER if ".letter." not in one), *ACKS, *INBOXES),
    "provisioner": (*WORDS_OF_WORKERS, *INNER, *ACKS, *INBOXES, *filled((*PUBLISHED, *REQUESTS), "s1")),
    "worker": (
        *(
            *filled((*PUBLISHED, *REQUESTS), "s1"),
            "coat.stubs.s1.t.r",
            "coat.settled.s1.t",
            "$JS.API.STREAM.DELETE.COAT_DLQ",
        ),
        *(f"$JS.API.{one}" for one in API if "CREATE" in one or "UPDATE" in one or "RESTORE" in one),
    ),
}
UNHEARD: dict[Role, tuple[str, ...]] = {
    "agent": (*NEVER_BY_A_SESSION, *filled((*PUBLISHED, *REQUESTS), "s1"), *WILD, *WIDER),
    "tool": (
        *NEVER_BY_A_SESSION,
        *filled((*PUBLISHED, *REQUESTS), "s1"),
        *WILD,
        *WIDER,
        "coat.stubs.s1.>",
        "_INBOX.s1.>",
    ),
    "admin": (">", "coat.>", "coat-internal.>", *INNER, "coat.results.>", *filled(REQUESTS, "s1"), "$JS.>", "$SYS.>"),
    "provisioner": (
        ">",
        "coat.>",
        *INNER,
        *WORDS_OF_WORKERS,
        *filled((*PUBLISHED, *REQUESTS), "s1"),
        "$JS.>",
        "$SRV.>",
    ),
    "worker": (
        ">",
        "coat.>",
        *WORDS_OF_WORKERS,
        *filled(PUBLISHED, "s1"),
        "_INBOX.>",
        "_INBOX.s1.>",
        "$JS.>",
        "$SYS.>",
    ),
}
"""Of an agent's own inbox and stubs `s1` is its own: what it may hear is taken out below."""
MAY_HEAR: dict[Role, set[str]] = {"agent": {"coat.stubs.s1.t.r", "coat.settled.s1.t", "_INBOX.s1.x"}}
MAY_HEAR["tool"] = {"_INBOX.=tool.s1.x"}
