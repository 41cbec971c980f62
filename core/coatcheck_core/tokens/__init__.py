"""How long a text is, in the unit that budgets are set in: the one place that counts tokens."""

from .estimate import estimate_tokens
from .units import counter, named_counter

__all__ = ["counter", "estimate_tokens", "named_counter"]
