"""The settings: name, unit last, default, bounds, meaning. Nothing else defines a default."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from coatcheck_schemas.clearing import DEFAULT_PLACEHOLDER, DEFAULT_RECENT_TOKENS, DEFAULT_THRESHOLD_TOKENS

from .operating import HttpSettings, LogsSettings, TracingSettings
from .section import Section as _Section

MIB = 1024 * 1024
GIB = 1024 * MIB

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
DAY_SECONDS = 86_400
Seconds = Annotated[float, Meta(gt=0, le=DAY_SECONDS)]
MOST_PLACEHOLDER_CHARS = 2000
ToolName = Annotated[str, Meta(min_length=1, max_length=200)]
InboxPrefix = Annotated[
    str,
    Meta(
        pattern=r"^[^.*>\s$][^.*>\s]*(\.[^.*>\s]+)*\.?\Z",
        description="how a subject begins, in whole segments without wildcards, as _INBOX.",
    ),
]


class NatsSettings(_Section, frozen=True):
    url: Annotated[str, Meta(description="NATS servers, comma-separated; may carry user and password")] = ""
    user: Annotated[str, Meta(description="user, where the URL has none")] = ""
    password_file: Annotated[str, Meta(description="file that holds the password")] = ""
    creds_file: Annotated[
        str, Meta(description="NATS credentials file (.creds) to log in with; read anew for each connection")
    ] = ""
    tls_ca_file: Annotated[
        str, Meta(description="PEM file of the authorities that sign the servers' certificates; empty: the system's")
    ] = ""
    tls_cert_file: Annotated[str, Meta(description="PEM file of this client's certificate, for servers that ask")] = ""
    tls_key_file: Annotated[str, Meta(description="PEM file of its key; empty: it is in nats.tls_cert_file")] = ""
    tls_first: Annotated[
        bool, Meta(description="true: TLS before the server's greeting, as its `handshake_first` wants it")
    ] = False
    inbox_prefix: Annotated[
        str,
        Meta(
            pattern=r"^([^.*>\s]+(\.[^.*>\s]+)*)?\Z",
            description="where replies go; empty: what the credentials allow, or a granted user's name says",
        ),
    ] = ""
    prefix: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9_-]+\Z",
            description="first segment of every subject, and the streams' name: letters, digits, _ and -",
        ),
    ] = "coat"
    replicas: Annotated[int, Meta(ge=1, le=5, description="copies of each stream in a cluster")] = 1


class StorageSettings(_Section, frozen=True):
    url: Annotated[
        str,
        Meta(
            description="where the originals lie, where not behind storage.endpoint: s3://BUCKET, gs://BUCKET or"
            " az://CONTAINER, each with /PATH or without, file:///PATH, memory:// or module:Class"
        ),
    ] = ""
    endpoint: Annotated[str, Meta(description="URL of an S3-compatible server; its bucket is storage.bucket")] = ""
    public_url: Annotated[
        str,
        Meta(
            pattern=r"^(https?://[^/?#@\s]+/?)?\Z",
            description="http(s)://HOST:PORT under which agents reach the S3 server, for presigned URLs; empty: as"
            " workers do",
        ),
    ] = ""
    ca_file: Annotated[
        str,
        Meta(description="PEM file of authorities to trust beside the system's, for object storage by https://"),
    ] = ""
    region: Annotated[
        str,
        Meta(
            description="S3 region; empty: us-east-1, or with an s3:// URL what AWS_REGION or AWS_DEFAULT_REGION says"
        ),
    ] = ""
    bucket: Annotated[str, Meta(min_length=3, max_length=63, description="bucket of the originals")] = "coatcheck"
    prefix: Annotated[
        str,
        Meta(
            pattern=r"^([A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*)?\Z",
            description="key prefix within the bucket: letters, digits, _ and -, parted by /",
        ),
    ] = "coatcheck"
    layout: Annotated[
        str,
        Meta(
            min_length=1,
            description="key of an original below its session's prefix: default, a template as"
            " {tool}/{date}/{result_id}.{kind} or module:function, which takes a LayoutFacts",
        ),
    ] = "default"
    access_key: Annotated[str, Meta(description="S3 access key")] = ""
    secret_key: Annotated[str, Meta(description="S3 secret key; prefer the file")] = ""
    secret_key_file: Annotated[str, Meta(description="file that holds the S3 secret key")] = ""
    timeout_seconds: Annotated[
        Seconds,
        Meta(description="limit of a request to the store that moves up to 1 MiB; one of a 5 MiB part has 20 s more"),
    ] = 5.0
    retry_max_seconds: Annotated[Seconds, Meta(description="longest delay between two tries of a result")] = 10.0
    compression: Annotated[
        Literal["zstd", "none"],
        Meta(description="how large texts are kept: in the zstd seekable format, or as they are"),
    ] = "zstd"
    large_bytes: Annotated[
        int,
        Meta(ge=64 * 1024, description="an original longer than this has an index, and is compressed if it is text"),
    ] = MIB
    retry_seconds: Annotated[
        Seconds, Meta(description="a result that the store has failed for this long goes by on_store_failure")
    ] = 120.0
    retention_days: Annotated[
        int,
        Meta(
            ge=0,
            le=36_500,
            description="a result expires so many days after its last use, 0: never; `coatcheck provision` after a"
            " change",
        ),
    ] = 0


class StreamSettings(_Section, frozen=True):
    max_bytes: Annotated[int, Meta(ge=MIB, description="a full stream refuses what is published, and evicts nothing")]


class StreamsSettings(_Section, frozen=True):
    results: StreamSettings = StreamSettings(max_bytes=4 * GIB)
    stubs: StreamSettings = StreamSettings(max_bytes=2 * GIB)
    dlq: StreamSettings = StreamSettings(max_bytes=2 * GIB)
    ledger: StreamSettings = StreamSettings(max_bytes=GIB)
    held: StreamSettings = StreamSettings(max_bytes=2 * GIB)
    chunks: StreamSettings = StreamSettings(max_bytes=8 * GIB)
    deleted: StreamSettings = StreamSettings(max_bytes=16 * MIB)


class UploadSettings(_Section, frozen=True):
    expires_seconds: Annotated[
        int,
        Meta(ge=1, le=7 * DAY_SECONDS, description="how long a URL is valid that a producer puts a result to"),
    ] = 900
    idle_seconds: Annotated[
        Seconds, Meta(description="a result in pieces of which none has come for this long has failed")
    ] = 600.0


class BudgetSettings(_Section, frozen=True):
    unit: Annotated[
        str,
        Meta(
            pattern=r"^(chars|tokens|[\w.]+:\w+)\Z",
            description="chars, tokens (an estimate), package:encoding (tiktoken:o200k_base) or module:function",
        ),
    ] = "chars"


class ResultSettings(_Section, frozen=True):
    threshold: Annotated[Count, Meta(description="a result longer than this (in budget.unit) is offloaded")] = 20000
    offload: Annotated[bool, Meta(description="false: results stay inline wherever one message carries them")] = True


class TurnSettings(_Section, frozen=True):
    inline_budget: Annotated[
        Count,
        Meta(description="what a turn puts into the context (results and stubs, in budget.unit) stays below this"),
    ] = 100_000
    deadline_seconds: Annotated[
        Seconds, Meta(description="a turn that is not complete is settled this long after its last result")
    ] = 60.0


class ToolResultSettings(_Section, frozen=True):
    """`tools.NAME.result`: what is absent is as for every tool."""

    threshold: Annotated[Count | None, Meta(description="this tool's threshold")] = None
    offload: Annotated[bool | None, Meta(description="whether this tool's results are offloaded")] = None


StubStyle = Annotated[str, Meta(pattern=r"^(typed|lines|[\w.]+:\w+)\Z")]


class ToolStubSettings(_Section, frozen=True):
    """`tools.NAME.stub`: what is absent is as for every tool."""

    style: Annotated[StubStyle | None, Meta(description="this tool's style of stub")] = None


Placeholder = Annotated[str, Meta(pattern=r"\S", max_length=MOST_PLACEHOLDER_CHARS)]


class ToolClearSettings(_Section, frozen=True):
    """`tools.NAME.clear`: what is absent is as for every tool."""

    never: Annotated[bool, Meta(description="true: this tool's results and arguments stay")] = False
    keep: Annotated[Count, Meta(description="so many of this tool's newest results stay")] = 0
    placeholder: Annotated[Placeholder | None, Meta(description="what stands for this tool's results")] = None
    clear_arguments: Annotated[bool | None, Meta(description="whether the arguments of its calls go, too")] = None


class ToolSettings(_Section, frozen=True):
    result: ToolResultSettings = ToolResultSettings()
    stub: ToolStubSettings = ToolStubSettings()
    clear: ToolClearSettings = ToolClearSettings()
    never: Annotated[bool, Meta(description="true: never offload this tool's results")] = False
    description: Annotated[
        str,
        Meta(
            max_length=4000,
            description="what the model is told of this tool, where it is one of Coatcheck's; empty: its own words",
        ),
    ] = ""


class StubSettings(_Section, frozen=True):
    style: Annotated[
        StubStyle, Meta(description="typed (facts), lines (the first of them, numbered) or module:function")
    ] = "typed"
    lines: Annotated[int, Meta(ge=0, le=1000, description="lines of the result that the style lines shows")] = 10
    line_chars: Annotated[int, Meta(ge=1, le=50_000, description="each of those lines, escaped, is cut at this")] = 1000
    preview_chars: Annotated[Count, Meta(description="head and tail sample of what has no synopsis, half each")] = 2000
    max_chars: Annotated[int, Meta(ge=500, le=50_000, description="no stub is ever longer")] = 6000
    language: Annotated[Literal["en", "zh"], Meta(description="language of the stub's own words")] = "en"


class RetrievalSettings(_Section, frozen=True):
    """The names of the agent's retrieval tools: stubs name them, and their results are never offloaded again."""

    read_tool: Annotated[ToolName, Meta(description="name of the agent's tool for `read`")] = "tool_result_read"
    search_tool: Annotated[ToolName, Meta(description="name of the agent's tool for `search`")] = "tool_result_search"
    list_tool: Annotated[ToolName, Meta(description="name of the agent's tool for `list`")] = "tool_result_list"
    enabled: Annotated[
        bool, Meta(description="false: no agent has these tools, and no stub sends it looking for them")
    ] = True
    sessions_without: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=4096)], ...],
        Meta(
            max_length=1000, description="sessions whose agents have none of these tools: ids, or patterns with * and ?"
        ),
    ] = ()
    tool_max_chars: Annotated[
        int, Meta(ge=2000, le=1_000_000, description="no answer of one of Coatcheck's tools is longer")
    ] = 20_000


class FilesystemSettings(_Section, frozen=True):
    """The names of the agent's tools for its files."""

    ls_tool: Annotated[ToolName, Meta(description="name of the agent's tool that lists a folder")] = "ls"
    read_tool: Annotated[ToolName, Meta(description="name of the agent's tool that reads a file")] = "read_file"
    write_tool: Annotated[ToolName, Meta(description="name of the agent's tool that writes a file")] = "write_file"
    edit_tool: Annotated[ToolName, Meta(description="name of the agent's tool that edits a file")] = "edit_file"
    glob_tool: Annotated[ToolName, Meta(description="name of the agent's tool that finds files by name")] = "glob"
    grep_tool: Annotated[ToolName, Meta(description="name of the agent's tool that searches in files")] = "grep"


class ClearingSettings(_Section, frozen=True):
    """The rules of `clear`, where a request does not say."""

    clearing_token_threshold: Annotated[
        Count, Meta(description="nothing is cleared unless the results have more tokens together")
    ] = DEFAULT_THRESHOLD_TOKENS
    keep_recent_tokens: Annotated[
        Count, Meta(description="messages are counted from the end: the one that passes this, and all after it, stay")
    ] = DEFAULT_RECENT_TOKENS
    clear_at_least_tokens: Annotated[Count, Meta(description="nothing is cleared where less would be gained")] = 0
    placeholder: Annotated[Placeholder, Meta(description="what stands for a result")] = DEFAULT_PLACEHOLDER
    exclude_tools: Annotated[
        tuple[str, ...], Meta(max_length=1000, description="tools whose results and arguments stay")
    ] = ()
    keep_rounds: Annotated[Count, Meta(description="newest rounds of calls and results that stay")] = 0
    clear_arguments: Annotated[bool, Meta(description="true: the arguments of the calls go, too")] = False
    offload: Annotated[bool, Meta(description="a result is stored before it is cleared")] = True


class RequestsSettings(_Section, frozen=True):
    inbox_prefixes: Annotated[
        tuple[InboxPrefix, ...],
        Meta(
            min_length=1,
            description="a reply goes only to a subject under one of these, or to another account; after a change grant"
            " the workers' and administrators' NATS users anew (`up` does so itself)",
        ),
    ] = ("_INBOX.",)
    in_flight: Annotated[
        Positive, Meta(description="requests of one kind, as read or list, that one worker answers at a time")
    ] = 64
    session_in_flight: Annotated[Positive, Meta(description="of these at most so many of one session")] = 32
    searches: Annotated[
        Positive, Meta(description="searches that one worker does at a time: each takes a processor and some MiB")
    ] = 4
    session_searches: Annotated[Positive, Meta(description="of these at most so many of one session")] = 2
    copies: Annotated[
        Positive, Meta(description="copies of originals for `link` that one worker makes at a time, sessions in turn")
    ] = 2
    copies_waiting: Annotated[
        Positive, Meta(description="copies that wait for a place, shared among sessions as requests.waiting")
    ] = 32
    waiting: Annotated[
        Positive,
        Meta(
            description="requests of one kind that wait for their turn; a session gets no more of these places than it"
            " leaves free, and the rest is answered `unavailable`"
        ),
    ] = 4096
    waiting_bytes: Annotated[int, Meta(ge=64 * 1024, description="bytes of those that wait, shared alike")] = 16 * MIB
    body_bytes: Annotated[int, Meta(ge=1024, description="a longer request is answered `too_large`")] = MIB
    patience_seconds: Annotated[
        Seconds,
        Meta(
            description="a request that has waited this long is answered `unavailable`; with requests.timeout_seconds"
            " 14.5 at most, for its reader waits 15 s"
        ),
    ] = 6.0
    timeout_seconds: Annotated[
        Seconds,
        Meta(
            description="an answer that takes longer is given up for `unavailable`; greater than"
            " requests.search_seconds"
        ),
    ] = 8.0
    search_seconds: Annotated[Seconds, Meta(description="a search answers with what it has after this")] = 5.0
    delete_seconds: Annotated[
        Seconds,
        Meta(
            description="deleting answers after this, and goes on to free what is unreadable already; 59.5 at most with"
            " requests.patience_seconds and requests.timeout_seconds"
        ),
    ] = 10.0


class WorkerSettings(_Section, frozen=True):
    in_flight: Annotated[Positive, Meta(description="results that one worker handles at a time")] = 64
    uploads: Annotated[Positive, Meta(description="results in pieces that one worker follows at a time")] = 32
    in_flight_bytes: Annotated[int, Meta(ge=MIB, description="bytes of those results")] = 64 * MIB
    ack_wait_seconds: Annotated[
        float, Meta(ge=1, le=DAY_SECONDS, description="a dead worker's results go to another after this")
    ] = 10.0
    synopsis_seconds: Annotated[
        Seconds, Meta(description="CPU that one result's synopsis may take; then its stub has size and sample alone")
    ] = 2.0
    grace_seconds: Annotated[Seconds, Meta(description="a stopping worker finishes what it holds within this")] = 8.0


OnStoreFailure = Literal["preview_only", "preserve_raw", "reject"]


class Settings(_Section, frozen=True):
    nats: NatsSettings = NatsSettings()
    storage: StorageSettings = StorageSettings()
    streams: StreamsSettings = StreamsSettings()
    upload: UploadSettings = UploadSettings()
    budget: BudgetSettings = BudgetSettings()
    result: ResultSettings = ResultSettings()
    turn: TurnSettings = TurnSettings()
    on_store_failure: Annotated[
        OnStoreFailure,
        Meta(description="after storage.retry_seconds: a stub that says so, the result itself, or a failure"),
    ] = "preview_only"
    stub: StubSettings = StubSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    filesystem: FilesystemSettings = FilesystemSettings()
    clearing: ClearingSettings = ClearingSettings()
    tools: dict[str, ToolSettings] = msgspec.field(default_factory=dict)
    requests: RequestsSettings = RequestsSettings()
    worker: WorkerSettings = WorkerSettings()
    http: HttpSettings = HttpSettings()
    logs: LogsSettings = LogsSettings()
    tracing: TracingSettings = TracingSettings()
