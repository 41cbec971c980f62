"""Lists, logs, names and numbers by the hundred, made by chance from a seed: what tools print and no prose is like."""

import random
import uuid
from collections.abc import Callable, Iterator

_VOCABULARY = (
    "order user invoice payment server request error timeout session cache queue worker customer product price stock "
    "report total status region city street value count index token result query search filter"
)
_WORDS = _VOCABULARY.split()
_NAMES = ["Anna Keller", "John Smith", "Maria Garcia", "Wei Chen", "Fatima Ali", "Luca Rossi", "Emma Johansson"]
Line = Callable[[random.Random], str]


def _words(by: random.Random, least: int, most: int, between: str = " ") -> str:
    return between.join(by.choices(_WORDS, k=by.randint(least, most)))


def _humps(by: random.Random, words: int) -> str:
    return "".join(word.title() for word in by.choices(_WORDS, k=words))


def _camel(by: random.Random) -> str:
    return by.choice(_WORDS) + _humps(by, by.randint(1, 5))


def _date(by: random.Random) -> str:
    return f"2026-{by.randint(1, 12):02}-{by.randint(1, 28):02}"


def _time(by: random.Random) -> str:
    return f"{by.randrange(24):02}:{by.randrange(60):02}:{by.randrange(60):02}"


def _ip(by: random.Random) -> str:
    return ".".join(str(by.randrange(256)) for _ in range(4))


LINES: dict[str, Line] = {
    "csv of items": lambda by: f"{by.randrange(999)},item{by.randrange(999)},{by.uniform(0, 300):.2f}",
    "csv of people": lambda by: f"{by.randrange(999)},{by.choice(_NAMES).replace(' ', ',')},{by.uniform(0, 999):.2f}",
    "csv of floats": lambda by: ",".join(f"{by.gauss(0, 1):.6f}" for _ in range(8)),
    "csv of prices": lambda by: f"{_date(by)},{by.uniform(1, 300):.2f},{by.uniform(1, 300):.2f},{by.randrange(10**7)}",
    "tsv": lambda by: (
        f"{by.randrange(999)}\t{by.choice(_WORDS)}\t{by.randrange(10**5)}\t{by.random():.3f}\t{_date(by)}"
    ),
    "numbers": lambda by: str(by.randrange(10 ** by.randint(1, 9))),
    "matrix": lambda by: " ".join(f"{by.gauss(0, 3):8.4f}" for _ in range(6)),
    "names in camel case": _camel,
    "long names": lambda by: f"get{_humps(by, 7)}Impl();",
    "names with underscores": lambda by: _words(by, 2, 5, "_"),
    "constants": lambda by: _words(by, 2, 4, "_").upper(),
    "capitals": lambda by: _words(by, 4, 9).upper(),
    "words by commas": lambda by: _words(by, 8, 12, ","),
    "uuids": lambda by: str(uuid.UUID(int=by.getrandbits(128))),
    "hex": lambda by: by.randbytes(32).hex(),
    "hex dump": lambda by: f"{by.randrange(2**32):08x}  {by.randbytes(16).hex(' ')}  |................|",
    "addresses": lambda by: f"{_ip(by)} {by.randbytes(6).hex(':')}",
    "urls": lambda by: (
        f"https://api.example.com/{by.choice(_WORDS)}/{by.randrange(9999)}?page=2&key={by.randbytes(8).hex()}"
    ),
    "emails": lambda by: f"{by.choice(_NAMES)} <{by.choice(_WORDS)}{by.randrange(99)}@example.com>",
    "log of a server": lambda by: (
        f'{_ip(by)} - - [12/Mar/2026:{_time(by)} +0000] "GET /api/{by.choice(_WORDS)}/{by.randrange(9999)} HTTP/1.1" '
        f'200 {by.randrange(9999)} "-" "Mozilla/5.0 (X11; Linux x86_64)"'
    ),
    "log of java": lambda by: (
        f"{_date(by)} {_time(by)},{by.randrange(999):03} INFO [thread-{by.randrange(20)}] "
        f"com.example.{by.choice(_WORDS)}.{_humps(by, 2)} - {_words(by, 3, 8)} in {by.randrange(999)} ms"
    ),
    "log of the system": lambda by: (
        f"Mar {by.randint(1, 28):>2} {_time(by)} web01 sshd[{by.randrange(99999)}]: "
        f"session opened for {by.choice(_WORDS)}"
    ),
    "log of pairs": lambda by: (
        f"ts={_date(by)}T{_time(by)}Z level=info caller={by.choice(_WORDS)}.go:{by.randrange(999)} "
        f'msg="{_words(by, 3, 5)}"'
    ),
    "log of tests": lambda by: f"tests/unit/test_{_words(by, 2, 3, '_')}.py::test_{_words(by, 3, 6, '_')} PASSED",
    "stack of java": lambda by: (
        f"\tat com.example.{by.choice(_WORDS)}.{_humps(by, 2)}.{_camel(by)}({_humps(by, 2)}.java:{by.randrange(999)})"
    ),
    "listing": lambda by: (
        f"-rw-r--r-- 1 root root {by.randrange(10**7):>9} Oct {by.randint(1, 28):>2} {_time(by)[:5]} "
        f"{_words(by, 1, 3, '_')}.py"
    ),
    "table": lambda by: f"| {by.choice(_NAMES):<20} | {by.randrange(99999):>10} | {by.uniform(0, 99):>10.2f} |",
    "html": lambda by: (
        f'<li class="{_words(by, 2, 2, "-")}"><a href="/{by.choice(_WORDS)}/{by.randrange(99)}">'
        f"{_humps(by, 1)}</a></li>"
    ),
    "minified": lambda by: (
        f"function {by.choice('abc')}(e,t){{var n=e.{_camel(by)}||{{}};return t&&n({by.randrange(99)}),!0}}"
    ),
    "unicode marks": lambda by: f"✓ {_words(by, 2, 4)} → {by.randrange(99)} ms",
}


def token_lists() -> Iterator[tuple[str, str]]:
    """A name and a text of 80 lines, the same every time; and numbers that count up."""
    for name, line in LINES.items():
        by = random.Random(name)
        yield name, "".join(line(by) + "\n" for _ in range(80))
    yield "numbers that ascend", "".join(f"{number}\n" for number in range(2000))
    yield "lines of a file", "".join(f"{number:>6}  {_words(random.Random(number), 3, 9)}\n" for number in range(1, 80))
