"""`python -m generate` writes the files, `--check` says which of them are stale."""

import sys

from .files import stale, write


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        for name in (found := stale()):
            print(f"{name} is stale: run make schemas", file=sys.stderr)
        return 1 if found else 0
    if arguments:
        print("usage: python -m generate [--check]", file=sys.stderr)
        return 2
    for name in write():
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
