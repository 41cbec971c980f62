"""Input made to hurt, for any size: what every reader, every stub and the fuzzer have to live with."""

from .code_inputs import CODE
from .json_inputs import JSON
from .making import Maker
from .table_inputs import TABLES
from .terminal_inputs import TERMINAL
from .text_inputs import TEXTS
from .xml_inputs import XML
from .yaml_inputs import YAML

HOSTILE: dict[str, Maker] = {
    f"{of}: {name}": make
    for of, inputs in {
        "json": JSON,
        "xml": XML,
        "yaml": YAML,
        "table": TABLES,
        "terminal": TERMINAL,
        "text": TEXTS,
        "code": CODE,
    }.items()
    for name, make in inputs.items()
}
"""By name, as `json: open brackets`; `HOSTILE[name](size)` is about `size` bytes."""

__all__ = ["HOSTILE", "Maker"]
