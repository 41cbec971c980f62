"""`python -m coatcheck` is the `coatcheck` command."""

from coatcheck.cli import main

main(prog_name="coatcheck")
