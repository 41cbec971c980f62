"""Texts of data, made by chance from a seed."""

import base64
import json
import random
import uuid
from collections.abc import Callable

_NAMES = ["Anna Keller", "Tomasz Nowak", "Priya Raman", "Luis Ortega", "Mei Tanaka", "Omar Haddad", "Grace Okafor"]
_CITIES = ["Hamburg", "Kraków", "Chennai", "Valencia", "Osaka", "Amman", "Lagos"]
_PARTS = ["payment", "inventory", "gateway", "scheduler", "search", "mailer"]
_SAID = [
    "connection to upstream timed out after 3 retries",
    "user session expired, redirecting to login",
    "wrote checkpoint to disk",
    "slow query detected",
    "certificate will expire in 12 days",
    "worker joined the group, rebalancing partitions",
]


_QUERIES = """\
CREATE TABLE invoices (
    id BIGINT PRIMARY KEY,
    customer_id BIGINT NOT NULL REFERENCES customers (id),
    issued_on DATE NOT NULL DEFAULT CURRENT_DATE,
    total NUMERIC(12, 2) CHECK (total >= 0),
    status VARCHAR(20) NOT NULL
);
CREATE INDEX invoices_by_customer ON invoices (customer_id, issued_on DESC);

SELECT c.name, COUNT(*) AS invoices, SUM(i.total) AS revenue
FROM customers c
LEFT JOIN invoices i ON i.customer_id = c.id AND i.status <> 'void'
WHERE c.created_at >= NOW() - INTERVAL '90 days'
GROUP BY c.name
HAVING SUM(i.total) > 1000
ORDER BY revenue DESC NULLS LAST
LIMIT 50;
"""


def _json() -> str:
    chosen = random.Random(11)
    people = [
        {
            "id": 48_000 + number,
            "name": chosen.choice(_NAMES),
            "email": f"{chosen.choice(_NAMES).split()[0].lower()}@example.org",
            "address": {"city": chosen.choice(_CITIES), "postalCode": str(chosen.randrange(10_000, 99_999))},
            "balance": round(chosen.uniform(-500, 9000), 2),
            "isActive": chosen.random() < 0.7,
            "tags": chosen.sample(_PARTS, 2),
            "lastLogin": None
            if number % 5 == 0
            else f"2026-10-{chosen.randint(10, 31)}T08:{chosen.randint(10, 59)}:00Z",
        }
        for number in range(16)
    ]
    return json.dumps({"total": len(people), "items": people}, indent=2, ensure_ascii=False)


def _csv_numbers() -> str:
    chosen = random.Random(12)
    rows = ["timestamp,temperature,humidity,pressure,wind_speed,battery"]
    for number in range(110):
        values = [chosen.uniform(-20, 35), chosen.uniform(10, 99), chosen.uniform(960, 1040), chosen.uniform(0, 30)]
        rows.append(
            f"{1_790_000_000 + 600 * number}," + ",".join(f"{value:.2f}" for value in values) + f",{number % 101}"
        )
    return "\n".join(rows) + "\n"


def _log() -> str:
    chosen = random.Random(13)
    lines = []
    for number in range(40):
        trace = uuid.UUID(int=chosen.getrandbits(128), version=4)
        lines.append(
            f"2026-11-03 14:{number:02}:{chosen.randrange(60):02},{chosen.randrange(1000):03} "
            f"{chosen.choice(['INFO ', 'WARN ', 'ERROR', 'DEBUG'])} [{chosen.choice(_PARTS)}-{chosen.randrange(16)}] "
            f"trace={trace} commit={chosen.randbytes(20).hex()} 10.0.{chosen.randrange(256)}.{chosen.randrange(256)} "
            f"{chosen.choice(_SAID)} ({chosen.randrange(4000)} ms)"
        )
    return "\n".join(lines) + "\n"


def _base64() -> str:
    return base64.encodebytes(random.Random(14).randbytes(2700)).decode()


def _emoji() -> str:
    chosen = random.Random(15)
    signs = "😀🎉🚀👍🔥🙏💡📦🐛🔧🤖🌍🎯🏆🍕🐙🧪🛠"
    said = [
        "shipped it",
        "who broke main?",
        "lunch at noon",
        "rolling back now",
        "nice work everyone",
        "tests are green",
    ]
    return "\n".join(
        f"{chosen.choice(_NAMES).split()[0]}: {''.join(chosen.choices(signs, k=chosen.randint(1, 6)))} "
        f"{chosen.choice(said)} {chosen.choice(signs) * chosen.randint(1, 4)}"
        for _ in range(70)
    )


def _listing() -> str:
    chosen = random.Random(16)
    lines = ["."]
    for folder in _PARTS:
        lines.append(f"├── {folder}")
        names = [f"{chosen.choice(_PARTS)}_{chosen.choice(['test', 'model', 'client', 'routes'])}.ts" for _ in range(8)]
        lines += [f"│   ├── {name}" for name in names] + [f"│   └── README.md ({chosen.randrange(9000)} bytes)"]
    for _ in range(40):
        path = "/".join(["packages", *chosen.sample(_PARTS, 2), "src", f"{chosen.choice(_PARTS).title()}View.tsx"])
        lines.append(
            f"-rw-r--r--  1 deploy  staff  {chosen.randrange(10**6):>8}  Oct {chosen.randint(1, 31):>2} 09:41  {path}"
        )
    return "\n".join(lines) + "\n"


def _yaml() -> str:
    chosen = random.Random(17)
    documents = []
    for part in _PARTS:
        documents.append(
            f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {part}\n  labels:\n"
            f"    app.kubernetes.io/name: {part}\n"
            f"spec:\n  replicas: {chosen.randint(1, 9)}\n  template:\n    spec:\n      containers:\n"
            f"        - name: {part}\n          image: registry.example.org/{part}:1.{chosen.randrange(40)}.0\n"
            f"          env:\n            - name: LOG_LEVEL\n              value: info\n          resources:\n"
            f"            limits:\n              cpu: 500m\n              memory: {chosen.choice([256, 512])}Mi\n"
        )
    return "---\n".join(documents)


def _xml() -> str:
    chosen = random.Random(18)
    orders = [
        f'  <order id="A-{chosen.randrange(10**6):06}" currency="EUR" placed="2026-0{chosen.randint(1, 9)}-14">\n'
        f"    <customer><name>{chosen.choice(_NAMES)}</name><city>{chosen.choice(_CITIES)}</city></customer>\n"
        f'    <line sku="{chosen.choice(_PARTS).upper()}-{chosen.randrange(999)}" quantity="{chosen.randint(1, 20)}">'
        f"{chosen.uniform(1, 400):.2f}</line>\n"
        "    <note>Please deliver before noon &amp; ring twice.</note>\n  </order>"
        for _ in range(14)
    ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<orders xmlns="urn:example:shop">\n'
        + "\n".join(orders)
        + "\n</orders>\n"
    )


def _sql() -> str:
    chosen = random.Random(19)
    lines = [_QUERIES]
    for number in range(24):
        lines.append(
            f"INSERT INTO invoices (id, customer_id, issued_on, total, status) VALUES ({number + 1}, "
            f"{chosen.randrange(5000)}, '2026-0{chosen.randint(1, 9)}-{chosen.randint(10, 28)}', "
            f"{chosen.uniform(5, 3000):.2f}, '{chosen.choice(['paid', 'open', 'void'])}');"
        )
    return "\n".join(lines) + "\n"


MADE: dict[str, Callable[[], str]] = {
    "json": _json,
    "csv of numbers": _csv_numbers,
    "log with hashes": _log,
    "base64": _base64,
    "emoji": _emoji,
    "listing of a repository": _listing,
    "yaml": _yaml,
    "xml": _xml,
    "sql": _sql,
}
