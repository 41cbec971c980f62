"""What programs print that few machines have: clusters, web servers, pipelines."""

from collections.abc import Callable, Iterator
from random import Random

from .rendered_logs import LOGS
from .rendered_tables import TABLES
from .rendered_yaml import DOCUMENTS
from .texts import Label, Source

_VARIANTS = 4

_EVERYTHING: dict[str, tuple[str, Callable[[Random], str]]] = {**LOGS, **TABLES, **DOCUMENTS}


def rendered_sources() -> Iterator[Source]:
    """Some of each, of different lengths and contents; their seeds are fixed."""
    for name, (label, render) in _EVERYTHING.items():
        for variant in range(_VARIANTS):
            random = Random(f"{name} {variant}")
            data = render(random).encode()
            yield Source(name=f"{name} {variant}", label=Label.parse(label), data=data, key=data, command=name)
