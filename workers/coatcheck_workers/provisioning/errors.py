"""What provisioning raises."""

from coatcheck_schemas.errors import CoatcheckError


class ProvisionError(CoatcheckError):
    """The servers do not allow what is declared; the message says what to do."""


class NotProvisioned(CoatcheckError):
    """Something is missing or not as declared; the message names it and says `coatcheck provision`."""
