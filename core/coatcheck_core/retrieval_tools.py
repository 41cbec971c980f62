"""Which sessions' agents have tools to read originals with: the others are not sent looking for them. Pure."""

from fnmatch import fnmatchcase

from coatcheck_core.settings.model import RetrievalSettings


def has_tools(retrieval: RetrievalSettings, session_id: str) -> bool:
    """False where nobody has the tools, or the session is one of `retrieval.sessions_without`."""
    return retrieval.enabled and not any(
        session_id == pattern or fnmatchcase(session_id, pattern) for pattern in retrieval.sessions_without
    )
