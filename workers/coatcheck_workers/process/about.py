"""What a line of the log is about, where that is not what is in hand: it goes with the line as `extra`."""

ABOUT = "about"
"""The record's attribute."""


def about(subject: str) -> dict[str, object]:
    """The result, the turn or the session that one of our subjects names."""
    return {ABOUT: subject}


def about_session(session: str) -> dict[str, object]:
    """A session, by its segment."""
    return {ABOUT: f".session.{session}"}
