"""Which format a text has: the first of them, in this order, that matches."""

from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

from .diff import DIFF
from .fielded import HEXDUMP, HTTP, MAIL, NUMBERED, PEM, REQUIREMENTS, SESSION, STRACE
from .gitlog import GIT_BLAME, GIT_LOG, GIT_ONE_LINE
from .html import HTML
from .listings import FOLDERS, GREP, PATHS, TREE
from .log import LOG
from .manuals import HELP, MAN, POD, ROFF
from .markdown import MARKDOWN, RST
from .probe import Format, Probe
from .reports import BUILD, TEST_REPORT
from .settings import ENVIRONMENT, INI, PKG_CONFIG, PROPERTIES, TOML
from .table import TABLE
from .traceback import TRACEBACK, within

FORMATS: tuple[Format, ...] = (
    HTML,
    PEM,
    DIFF,
    GIT_LOG,
    GIT_BLAME,
    HTTP,
    MAN,
    ROFF,
    POD,
    HEXDUMP,
    NUMBERED,
    TEST_REPORT,
    LOG,
    TRACEBACK,
    BUILD,
    GREP,
    TREE,
    STRACE,
    HELP,
    TABLE,
    TOML,
    INI,
    MAIL,
    MARKDOWN,
    RST,
    GIT_ONE_LINE,
    SESSION,
    PATHS,
    FOLDERS,
    PKG_CONFIG,
    ENVIRONMENT,
    REQUIREMENTS,
    PROPERTIES,
)
_BY_NAME = {format_.name: format_ for format_ in reversed(FORMATS)}
_OUTPUTS = frozenset({"log", "build", "test-report", "shell-session"})
_UNHEADED = frozenset({"json-truncated", "ndjson-truncated", "xml-truncated"})


def text_format(seen: Seen) -> str | None:
    """By its first lines, and of some its last; None where it is just text."""
    probe = Probe(seen)
    if not probe.bare:
        return None
    return next((format_.name for format_ in FORMATS if format_.matches(probe)), None)


def decides(name: str | None) -> bool:
    """Whether a text of that format is neither YAML nor code, whatever it looks like to their readers."""
    return name is not None and name in _BY_NAME and _BY_NAME[name].decides


def has_headers(name: str | None) -> bool:
    """Whether a text of that format has section headers."""
    return name not in _UNHEADED and (name not in _BY_NAME or _BY_NAME[name].has_headers)


def details_of(seen: Seen, name: str | None) -> list[Detail]:
    """What the format tells of the whole text, and the last traceback in an output; empty where neither tells any."""
    known = _BY_NAME.get(name or "")
    told = [] if known is None or known.details is None else known.details(seen)
    if name is not None and name not in _OUTPUTS:
        return told
    return [*told, *within(seen, is_output=name is not None)]
