"""The `coatcheck` command. Its commands, and all they need, are imported when one of them runs."""

from .group import CommandGroup

main = CommandGroup(
    name="coatcheck",
    help="Keep oversized tool results out of an agent's context: publish them, and read, search and list them back.",
)

__all__ = ["main"]
