"""The machine's own tables and trees, written by real writers into the formats of which few files lie about."""

import configparser
import csv
import io
import json
import pwd
import sysconfig
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from .texts import Label, Source

Rows = list[dict[str, Any]]
_FIRST_ROWS = 160


def converted_sources() -> Iterator[Source]:
    """Each table in each format; of every table's writing a few are long."""
    for at, (name, rows) in enumerate(_tables()):
        if not rows:
            continue
        for place, (form, (label, write)) in enumerate(_WRITERS.items()):
            part = rows[: (12, 60, _FIRST_ROWS, 1500)[(at + place) % 4]]
            data = write(part).encode()
            yield Source(
                name=f"{name} as {form}", label=Label.parse(label), data=data, key=f"{name} as {form}".encode()
            )


def _tables() -> Iterator[tuple[str, Rows]]:
    stdlib = Path(sysconfig.get_path("stdlib"))
    yield "modules", [_file_row(path) for path in sorted(stdlib.glob("*.py"))]
    yield "headers", [_file_row(path) for path in sorted(Path("/usr/include").glob("*.h"))]
    yield "programs", [_file_row(path) for path in sorted(Path("/usr/bin").glob("[a-m]*")) if path.is_file()]
    yield (
        "users",
        [
            {
                "name": user.pw_name,
                "uid": user.pw_uid,
                "gid": user.pw_gid,
                "comment": user.pw_gecos,
                "shell": user.pw_shell,
            }
            for user in pwd.getpwall()
        ],
    )
    yield (
        "characters",
        [
            {
                "code": f"U+{code:04X}",
                "char": chr(code),
                "name": unicodedata.name(chr(code), ""),
                "category": unicodedata.category(chr(code)),
            }
            for code in range(0xA1, 0x800)
            if unicodedata.name(chr(code), "")
        ],
    )
    yield (
        "distributions",
        [
            {
                "name": found.name,
                "version": found.version,
                "summary": found.metadata["Summary"],
                "requires": len(found.requires or []),
            }
            for found in sorted(metadata.distributions(), key=lambda found: found.name)
        ],
    )
    yield "words", _words(stdlib)
    yield (
        "constants",
        [
            {"name": name, "value": value}
            for name, value in sorted(sysconfig.get_config_vars().items())
            if value is not None
        ],
    )
    yield from _debian()
    yield from _iso_codes()


def _file_row(path: Path) -> dict[str, Any]:
    stat = path.stat()
    return {
        "path": str(path),
        "bytes": stat.st_size,
        "mode": oct(stat.st_mode),
        "modified": int(stat.st_mtime),
        "is_large": stat.st_size > 20_000,
    }


def _words(stdlib: Path) -> Rows:
    """Of each module what its documentation says first: values with commas, quotes and line breaks."""
    rows = []
    for path in sorted(stdlib.glob("*.py"))[:120]:
        text = path.read_text(errors="replace")
        quoted = text.split('"""')
        rows.append(
            {"module": path.stem, "says": quoted[1].strip()[:300] if len(quoted) > 1 else "", "lines": text.count("\n")}
        )
    return rows


def _debian() -> Iterator[tuple[str, Rows]]:
    status = Path("/var/lib/dpkg/status")
    if not status.is_file():
        return
    rows = []
    for stanza in status.read_text(errors="replace").split("\n\n")[:400]:
        fields = dict(line.split(": ", 1) for line in stanza.split("\n") if ": " in line and not line.startswith(" "))
        wanted = ("Package", "Version", "Section", "Installed-Size", "Architecture", "Description")
        rows.append({name.lower(): fields.get(name, "") for name in wanted})
    yield "packages", rows
    zones = Path("/usr/share/zoneinfo/zone1970.tab")
    if zones.is_file():
        lines = [line.split("\t") for line in zones.read_text().split("\n") if line and not line.startswith("#")]
        yield "zones", [{"countries": line[0], "coordinates": line[1], "zone": line[2]} for line in lines]


def _iso_codes() -> Iterator[tuple[str, Rows]]:
    for path in sorted(Path("/usr/share/iso-codes/json").glob("iso_*.json"))[:6]:
        (records,) = json.loads(path.read_text()).values()
        names = sorted({name for record in records for name in record})
        yield path.stem, [{name: record.get(name, "") for name in names} for record in records]


def _delimited(rows: Rows, **dialect: Any) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n", **dialect)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _headerless(rows: Rows) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(row.values() for row in rows)
    return out.getvalue()


def _tsv(rows: Rows) -> str:
    flat = [{name: " ".join(str(value).split()) for name, value in row.items()} for row in rows]
    return _delimited(flat, delimiter="\t", quoting=csv.QUOTE_MINIMAL)


def _headerless_tsv(rows: Rows) -> str:
    return _tsv(rows).partition("\n")[2]


def _toml(rows: Rows) -> str:
    """An array of tables; a TOML string may be written as a JSON one."""
    tables = ("\n".join(f"{name} = {json.dumps(_bare(value))}" for name, value in row.items()) for row in rows)
    return "# Written by a script.\n\n" + "\n\n".join(f"[[rows]]\n{table}" for table in tables) + "\n"


def _bare(value: object) -> object:
    return value if isinstance(value, int) else _printable(value)


def _ini(rows: Rows) -> str:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    for number, row in enumerate(rows):
        section = {name: " ".join(str(value).split()) for name, value in row.items()}
        parser[str(row[next(iter(row))]).strip("[]") or str(number)] = section
    out = io.StringIO()
    parser.write(out)
    return out.getvalue()


def _lines(rows: Rows) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _elements(rows: Rows) -> str:
    root = ElementTree.Element("rows", count=str(len(rows)))
    for row in rows:
        item = ElementTree.SubElement(root, "row")
        for name, value in row.items():
            ElementTree.SubElement(item, name).text = _printable(value)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _attributes(rows: Rows) -> str:
    root = ElementTree.Element("rows")
    for row in rows:
        ElementTree.SubElement(root, "row", {name: _printable(value) for name, value in row.items()})
    return ElementTree.tostring(root, encoding="unicode")


def _printable(value: object) -> str:
    return "".join(char for char in str(value) if char.isprintable() or char in "\n\t")


def _yaml(rows: Any, **style: Any) -> str:
    return str(yaml.dump(rows, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, **style))


def _by_name(rows: Rows) -> dict[str, Any]:
    return {str(row[next(iter(row))]): row for row in rows}


def _aligned(rows: Rows) -> str:
    """As `kubectl get` and `docker ps` print: capitals above, three blanks between the columns."""
    names = list(rows[0])
    cells = [
        [name.upper() for name in names],
        *([" ".join(str(row[name]).split())[:40] or "<none>" for name in names] for row in rows),
    ]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    return "".join(
        "   ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n"
        for line in cells
    )


def _psql(rows: Rows) -> str:
    names = list(rows[0])
    cells = [[" ".join(str(row[name]).split())[:40] for name in names] for row in rows]
    widths = [max(len(name), *(len(line[column]) for line in cells)) for column, name in enumerate(names)]
    head = " | ".join(name.center(width) for name, width in zip(names, widths, strict=True))
    rule = "-+-".join("-" * width for width in widths)
    body = (" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in cells)
    return "\n".join([f" {head}", f"-{rule}-", *(f" {line}" for line in body), f"({len(rows)} rows)", ""])


_WRITERS: dict[str, tuple[str, Callable[[Rows], str]]] = {
    "csv": ("csv", _delimited),
    "csv, all quoted": ("csv", lambda rows: _delimited(rows, quoting=csv.QUOTE_ALL)),
    "csv with semicolons": ("csv", lambda rows: _delimited(rows, delimiter=";")),
    "csv without a header": ("csv", _headerless),
    "tsv": ("tsv", _tsv),
    "tsv without a header": ("tsv", _headerless_tsv),
    "toml": ("text/toml", _toml),
    "ini": ("text/ini", _ini),
    "json": ("json", lambda rows: json.dumps(rows, indent=2)),
    "json on one line": ("json", lambda rows: json.dumps(_by_name(rows), ensure_ascii=False)),
    "ndjson": ("json/ndjson", _lines),
    "yaml list": ("yaml", _yaml),
    "yaml map": ("yaml", lambda rows: _yaml(_by_name(rows))),
    "yaml documents": ("yaml", lambda rows: "".join(f"---\n{_yaml(row)}" for row in rows)),
    "xml": ("xml", _elements),
    "xml attributes": ("xml", _attributes),
    "aligned table": ("text/table", _aligned),
    "psql table": ("text/table", _psql),
}
