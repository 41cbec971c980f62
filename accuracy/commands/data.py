"""What `jq`, `sqlite3` and other data tools print, on tables made of the machine's own files."""

from .running import Command, lines_of

_DATABASE = """
python3 - <<'end' 2>&1
import csv, os, sqlite3, sys
base = sqlite3.connect(f"shop{os.getppid()}.db")
base.execute("create table files (path text, bytes integer, mode text, lines integer)")
base.execute("create table users (name text, uid integer, home text, shell text)")
for folder, _, names in os.walk("."):
    for name in names[:60]:
        path = os.path.join(folder, name)
        if name.endswith((".py", ".c", ".go", ".java", ".js", ".txt", ".rs", ".toml")):
            data = open(path, "rb").read()
            base.execute("insert into files values (?, ?, ?, ?)", (path, len(data), oct(os.stat(path).st_mode), data.count(b"\\n")))
for line in open("/etc/passwd"):
    fields = line.strip().split(":")
    base.execute("insert into users values (?, ?, ?, ?)", (fields[0], int(fields[2]), fields[5], fields[6]))
base.commit()
end
"""
_FILES = "/usr/share/iso-codes/json"


def commands() -> list[Command]:
    return [*_sqlite(), *_jq(), *_columns()]


def _sqlite() -> list[Command]:
    there = ("sqlite3", "python3")

    def query(mode: str, sql: str) -> str:
        return f'{_DATABASE}sqlite3 {mode} shop$$.db "{sql}"'

    files, users = "select * from files order by bytes", "select * from users"
    joined = "select u.name, f.path, f.bytes from users u, files f where f.bytes % 7 = u.uid % 7"
    asked = (files, users, joined)
    return [
        *lines_of("sqlite3 -csv", "csv", [query("-csv -header", sql) for sql in asked], there),
        *lines_of("sqlite3 -json", "json", [query("-json", sql) for sql in asked], there),
        *lines_of("sqlite3 -table", "text/table", [query("-table", sql) for sql in asked], there),
        *lines_of("sqlite3 -box", "text/table", [query("-box", sql) for sql in asked], there),
        *lines_of("sqlite3 -column", "text/table", [query("-column -header", sql) for sql in asked], there),
        *lines_of("sqlite3 -markdown", "text/table|markdown", [query("-markdown", sql) for sql in asked], there),
        *lines_of("sqlite3 -line", "text/*", [query("-line", sql) for sql in asked], there),
        *lines_of("sqlite3 -tabs", "tsv", [query("-tabs -header", sql) for sql in asked], there),
        *lines_of("sqlite3 list", "csv", [query("-header", sql) for sql in asked], there),
        *lines_of("sqlite3 -html", "text/*", [query("-html -header", users)], there),
        *lines_of(
            "sqlite3 .dump",
            "code/sql",
            [f"{_DATABASE}sqlite3 shop$$.db .dump", f"{_DATABASE}sqlite3 shop$$.db .schema"],
            there,
        ),
        *lines_of("sqlite3 -quote", "csv", [query("-quote -header", joined)], there),
    ]


def _jq() -> list[Command]:
    there = ("jq",)
    country = f"{_FILES}/iso_3166-1.json"
    return [
        *lines_of(
            "jq",
            "json",
            [f"jq . {country}", f"jq '.[\"4217\"]' {_FILES}/iso_4217.json", f"jq -c . {_FILES}/iso_15924.json"],
            there,
        ),
        *lines_of(
            "jq records",
            "json/ndjson",
            [f"jq -c '.[][]' {_FILES}/iso_{n}.json" for n in ("3166-1", "3166-2", "4217", "639-5")],
            there,
        ),
        *lines_of("jq several", "json/*", [f"jq '.[][]' {_FILES}/iso_{n}.json" for n in ("4217", "15924")], there),
        *lines_of("jq @csv", "csv", [f"jq -r '.[][] | [.alpha_2, .name, .numeric] | @csv' {country}"], there),
        *lines_of("jq @tsv", "tsv", [f"jq -r '.[][] | [.alpha_2, .name, .numeric] | @tsv' {country}"], there),
        *lines_of(
            "jq -r",
            "text/*",
            [f"jq -r '.[][].name' {country}", f"jq -C . {_FILES}/iso_639-5.json | head -0; jq --help"],
            there,
        ),
        *lines_of(
            "jq coloured", "json", [f"jq -C . {_FILES}/iso_639-5.json", f"jq -C -c . {_FILES}/iso_15924.json"], there
        ),
    ]


def _columns() -> list[Command]:
    return [
        *lines_of(
            "column -t",
            "text/table",
            [
                "column -t -s : /etc/passwd",
                "(echo NAME UID SHELL; cut -d: -f1,3,7 --output-delimiter=' ' /etc/passwd) | column -t",
            ],
        ),
        *lines_of(
            "sort | uniq -c",
            "text/*",
            ["cut -d: -f7 /etc/passwd | sort | uniq -c; cat c/*.c py/*.py | tr -s ' ' '\\n' | sort | uniq -c"],
            ("sort",),
        ),
        *lines_of(
            "paste", "tsv", ["(printf 'name\\tshell\\n'; paste <(cut -d: -f1 /etc/passwd) <(cut -d: -f7 /etc/passwd))"]
        ),
        *lines_of("awk", "text/*", ["awk -F: '{printf \"%-20s %6d %s\\n\", $1, $3, $7}' /etc/passwd"]),
        *lines_of(
            "awk csv", "csv", ['(echo user,uid,gid,home; awk -F: \'{print $1","$3","$4","$6}\' /etc/passwd)'], ("awk",)
        ),
    ]
