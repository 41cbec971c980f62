"""What is raised where it is too early for a message."""

from coatcheck_schemas.errors import CoatcheckError


class Later(CoatcheckError):
    """It is too early for this message: to be taken again after `seconds`. No failure."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"again in {seconds} s")
        self.seconds = seconds
