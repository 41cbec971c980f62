"""What is wrong with a deployment, and how to mend it: what is found out here, and judged by pure functions."""

from .examining import examine
from .finding import Finding, worst

__all__ = ["Finding", "examine", "worst"]
