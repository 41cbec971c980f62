"""What went wrong between us and NATS, in words: an exception without a text says nothing, least of all one of time."""


def in_words(error: object, seconds: float | None = None) -> str:
    """The error's text, or its name where it has none; `seconds` is how long NATS had to answer."""
    if isinstance(error, TimeoutError):
        return "NATS did not answer in time" if seconds is None else f"NATS did not answer within {seconds:g} s"
    return str(error) or type(error).__name__
