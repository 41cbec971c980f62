"""The order in which `make test` deals out files: those on real servers wait much, so they go between the others.

By default pytest-xdist deals out the files of most tests first, so that the longest, of few tests on servers of their
own, come last and together.
"""

from collections.abc import Iterable
from pathlib import Path

import pytest

ON_SERVERS = frozenset({"chaos", "contract", "integration"})
ALL_SERVERS_BY = 0.85
"""Of all files that compute, how many are dealt out when the last on servers is: what comes last is short."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = _places(dict.fromkeys(item.path for item in items))
    items.sort(key=lambda item: places[item.path])


def _places(files: Iterable[Path]) -> dict[Path, float]:
    """Between 0 and 1, where each file stands; two files never share a place."""
    on_servers: list[Path] = []
    computing: list[Path] = []
    for file in files:
        (on_servers if file.parent.name in ON_SERVERS else computing).append(file)
    places = {file: ALL_SERVERS_BY * number / len(on_servers) for number, file in enumerate(on_servers)}
    return places | {file: (number + 0.5) / len(computing) for number, file in enumerate(computing)}
