"""Tables and descriptions as cluster and container tools print them."""

from collections.abc import Callable
from random import Random

_NAMES = ("web", "orders", "payments", "redis", "postgres", "ingress-nginx-controller", "metrics-server", "search")


def _aligned(rows: list[list[str]], gap: int = 3) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "".join(
        "".join(cell.ljust(width + gap) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
        for row in rows
    )


def _suffix(random: Random) -> str:
    return "".join(random.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(5))


def _count(random: Random) -> int:
    return random.choice((5, 30, 120))


def _pods(random: Random) -> str:
    rows = [["NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE"]]
    for _ in range(_count(random)):
        status = random.choice(("Running", "Running", "Running", "CrashLoopBackOff", "Pending", "Completed"))
        restarts = random.choice(("0", "0", "3 (4m ago)"))
        rows.append(
            [
                "default",
                f"{random.choice(_NAMES)}-{_suffix(random)}",
                "1/1",
                status,
                restarts,
                f"{random.randrange(90)}d",
            ]
        )
    return _aligned(rows)


def _nodes(random: Random) -> str:
    rows = [["NAME", "STATUS", "ROLES", "AGE", "VERSION", "INTERNAL-IP", "OS-IMAGE"]]
    for n in range(_count(random)):
        rows.append(
            [
                f"node-{n}",
                "Ready",
                "<none>",
                f"{random.randrange(400)}d",
                "v1.28.3",
                f"10.0.0.{n}",
                "Debian GNU/Linux 12 (bookworm)",
            ]
        )
    return _aligned(rows)


def _events(random: Random) -> str:
    rows = [["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]]
    for _ in range(_count(random)):
        reason, message = random.choice(
            (
                ("Pulled", "Successfully pulled image"),
                ("BackOff", "Back-off restarting failed container"),
                ("FailedScheduling", "0/3 nodes are available: insufficient memory"),
            )
        )
        rows.append(
            [
                f"{random.randrange(59)}m",
                random.choice(("Normal", "Warning")),
                reason,
                f"pod/{random.choice(_NAMES)}-{_suffix(random)}",
                message,
            ]
        )
    return _aligned(rows)


def _docker_ps(random: Random) -> str:
    rows = [["CONTAINER ID", "IMAGE", "COMMAND", "CREATED", "STATUS", "PORTS", "NAMES"]]
    for n in range(_count(random) // 3 + 3):
        rows.append(
            [
                f"{random.getrandbits(48):012x}",
                f"{random.choice(_NAMES)}:1.{n}",
                '"/docker-entrypoint.…"',
                "2 hours ago",
                "Up 2 hours (healthy)",
                "0.0.0.0:8080->80/tcp",
                f"{random.choice(_NAMES)}_{n}",
            ]
        )
    return _aligned(rows)


def _docker_images(random: Random) -> str:
    rows = [["REPOSITORY", "TAG", "IMAGE ID", "CREATED", "SIZE"]]
    for _ in range(_count(random)):
        rows.append(
            [
                random.choice(_NAMES),
                "latest",
                f"{random.getrandbits(48):012x}",
                f"{random.randrange(2, 11)} days ago",
                f"{random.randrange(900)}MB",
            ]
        )
    return _aligned(rows)


def _helm(random: Random) -> str:
    rows = [["NAME     ", "NAMESPACE", "REVISION", "STATUS  ", "CHART", "APP VERSION"]]
    for name in _NAMES:
        rows.append(
            [f"{name}  ", "default", str(random.randrange(9)), "deployed", f"{name}-1.{random.randrange(9)}.0", "2.1"]
        )
    return "".join("\t".join(row) + "\n" for row in rows)


def _describe(random: Random) -> str:
    name = f"{random.choice(_NAMES)}-{_suffix(random)}"
    containers = "".join(
        f"  {part}:\n    Container ID:  containerd://{random.getrandbits(96):x}\n    Image:         {part}:1.2\n    Port:          8080/TCP\n"
        f"    State:         Waiting\n      Reason:      CrashLoopBackOff\n    Ready:         False\n    Restart Count: {random.randrange(20)}\n"
        "    Environment:\n      LOG_LEVEL:  debug\n      DB_HOST:    db\n    Mounts:        <none>\n"
        for part in random.sample(_NAMES, random.choice((1, 3, 6)))
    )
    events = _events(random).replace("\n", "\n  ").rstrip()
    return (
        f"Name:             {name}\nNamespace:        default\nPriority:         0\nNode:             node-1/10.0.0.5\n"
        f"Start Time:       Tue, 02 Jan 2024 09:12:{random.randrange(60):02d} +0000\nLabels:           app={name}\n                  tier=backend\n"
        f"Annotations:      <none>\nStatus:           Running\nIP:               10.1.0.{random.randrange(255)}\nContainers:\n{containers}"
        "Conditions:\n  Type              Status\n  Initialized       True\n  Ready             False\nVolumes:            <none>\n"
        f"QoS Class:          BestEffort\nTolerations:        node.kubernetes.io/not-ready:NoExecute op=Exists for 300s\nEvents:\n  {events}\n"
    )


def _mysql(random: Random) -> str:
    rows = [["id", "name", "price", "note"]]
    for n in range(_count(random)):
        rows.append(
            [
                str(n),
                random.choice(_NAMES),
                f"{random.random() * 90:.2f}",
                random.choice(("NULL", "sold out", "ok, but old")),
            ]
        )
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |\n" for row in rows
    ]
    return rule + lines[0] + rule + "".join(lines[1:]) + rule + f"{len(rows) - 1} rows in set (0.01 sec)\n"


def _markdown_table(random: Random) -> str:
    rows = "".join(
        f"| {random.choice(_NAMES)} | {random.randrange(99)} | {random.choice(('yes', 'no'))} |\n"
        for _ in range(_count(random))
    )
    return f"| name | count | healthy |\n| --- | ---: | :---: |\n{rows}"


def _ansible_run(random: Random) -> str:
    tasks = "".join(
        f"TASK [{random.choice(_NAMES)} : install packages] {'*' * 40}\n"
        + "".join(f"{random.choice(('ok', 'changed'))}: [host-{n}]\n" for n in range(4))
        + "\n"
        for _ in range(_count(random))
    )
    recap = "".join(
        f"host-{n}                     : ok={random.randrange(30)}   changed=2    unreachable=0    failed={n % 2}    skipped=1\n"
        for n in range(4)
    )
    return f"PLAY [all] {'*' * 60}\n\n{tasks}PLAY RECAP {'*' * 60}\n{recap}"


def _maven(random: Random) -> str:
    lines = "".join(
        f"[INFO] Downloaded from central: https://repo.example/{random.choice(_NAMES)}-{n}.jar (12 kB at 300 kB/s)\n"
        for n in range(_count(random))
    )
    return (
        f"[INFO] Scanning for projects...\n[INFO] \n[INFO] -----------------< com.example:shop >-----------------\n[INFO] Building shop 1.0\n{lines}"
        "[ERROR] /src/main/java/Shop.java:[12,9] cannot find symbol\n[INFO] BUILD FAILURE\n[INFO] Total time:  2.310 s\n[ERROR] Failed to execute goal\n"
    )


def _jest(random: Random) -> str:
    suites = "".join(
        f"PASS src/{name}.test.js\n  {name}\n    ✓ adds ({random.randrange(9)} ms)\n    ✓ removes\n" for name in _NAMES
    )
    return (
        f"{suites}FAIL src/basket.test.js\n  basket\n    ✕ totals (5 ms)\n\n  ● basket › totals\n\n    expect(received).toBe(expected)\n\n    Expected: 4\n    Received: 5\n\n"
        "      at Object.<anonymous> (src/basket.test.js:9:21)\n\nTest Suites: 1 failed, 8 passed, 9 total\nTests:       1 failed, 17 passed, 18 total\nTime:        1.2 s\n"
    )


def _docker_build(random: Random) -> str:
    steps = "".join(
        f"#{n} [{n - 3}/9] RUN install {random.choice(_NAMES)}\n#{n} {random.random() * 9:.3f} Get:{n} http://deb.example bookworm/main\n#{n} DONE {random.random() * 20:.1f}s\n\n"
        for n in range(4, 12)
    )
    return f'#1 [internal] load build definition from Dockerfile\n#1 DONE 0.0s\n\n{steps}#12 ERROR: process "/bin/sh -c make" did not complete successfully: exit code: 2\n'


def _tsc(random: Random) -> str:
    return (
        "".join(
            f"src/{random.choice(_NAMES)}.ts({random.randrange(300)},{random.randrange(80)}): error TS2322: Type 'string' is not assignable to type 'number'.\n"
            for _ in range(_count(random))
        )
        + f"\nFound {_count(random)} errors.\n"
    )


def _dotnet_trace(random: Random) -> str:
    frames = "".join(
        f"   at Shop.{random.choice(_NAMES).title().replace('-', '')}.Run(String name) in /src/Shop.cs:line {random.randrange(300)}\n"
        for _ in range(_count(random) // 4 + 2)
    )
    return f"Unhandled exception. System.InvalidOperationException: Sequence contains no elements\n{frames}"


def _ruby_trace(random: Random) -> str:
    frames = "".join(
        f"\tfrom /srv/app/lib/{random.choice(_NAMES)}.rb:{random.randrange(300)}:in `block in run'\n"
        for _ in range(_count(random) // 4 + 2)
    )
    return f"/srv/app/lib/shop.rb:12:in `total': undefined method `price' for nil:NilClass (NoMethodError)\n{frames}"


TABLES: dict[str, tuple[str, Callable[[Random], str]]] = {
    "kubectl get pods": ("text/table", _pods),
    "kubectl get nodes": ("text/table", _nodes),
    "kubectl get events": ("text/table", _events),
    "docker ps": ("text/table", _docker_ps),
    "docker images": ("text/table", _docker_images),
    "helm list": ("tsv/*", _helm),
    "kubectl describe": ("text/*", _describe),
    "mysql table": ("text/table", _mysql),
    "markdown table": ("text/table|markdown", _markdown_table),
    "ansible-playbook": ("text/*", _ansible_run),
    "maven": ("text/*", _maven),
    "jest": ("text/*", _jest),
    "docker build": ("text/*", _docker_build),
    "tsc": ("text/*", _tsc),
    "dotnet traceback": ("text/traceback|-", _dotnet_trace),
    "ruby traceback": ("text/traceback|-", _ruby_trace),
}
