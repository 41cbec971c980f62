"""Logs in the forms that servers write."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random

_PATHS = ("/", "/orders", "/orders/17", "/static/app.js", "/api/v1/users?page=2", "/login", "/health")
_AGENTS = ("Mozilla/5.0 (X11; Linux x86_64)", "curl/8.4.0", "kube-probe/1.28", "python-requests/2.31.0")
_EVENTS = (
    "Starting worker process",
    "Connection accepted from 10.1.2.3:5123",
    "Cache miss for product 17, loading from database",
    "Slow query took 2310 ms: SELECT * FROM orders",
    "Retrying request to payments, attempt 2 of 5",
    "Could not connect to db:5432: connection refused",
    "Finished batch of 500 records",
    "Configuration reloaded",
)
_LEVELS = ("INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR")


def _times(random: Random) -> list[datetime]:
    at = datetime(2024, 1 + random.randrange(12), 1 + random.randrange(28), 9, 0, tzinfo=UTC)
    times = []
    for _ in range(random.choice((12, 60, 200, 500))):
        at += timedelta(seconds=random.random() * 20)
        times.append(at)
    return times


def _lines(line: Callable[[Random, datetime], str]) -> Callable[[Random], str]:
    return lambda random: "".join(line(random, at) + "\n" for at in _times(random))


def _address(random: Random) -> str:
    return f"10.{random.randrange(256)}.{random.randrange(256)}.{random.randrange(1, 255)}"


def _access(random: Random, at: datetime) -> str:
    method, status = random.choice(("GET", "POST", "PUT")), random.choice((200, 200, 204, 301, 404, 500))
    request = f'"{method} {random.choice(_PATHS)} HTTP/1.1" {status} {random.randrange(9000)}'
    return f'{_address(random)} - - [{at:%d/%b/%Y:%H:%M:%S} +0000] {request} "-" "{random.choice(_AGENTS)}"'


def _apache_error(random: Random, at: datetime) -> str:
    where = f"[pid {random.randrange(9999)}:tid {random.randrange(10**9)}] [client {_address(random)}:5{random.randrange(999)}]"
    return f"[{at:%a %b %d %H:%M:%S.%f %Y}] [core:{random.choice(('error', 'notice', 'warn'))}] {where} AH00{random.randrange(999)}: File does not exist: /var/www{random.choice(_PATHS)}"


def _nginx_error(random: Random, at: datetime) -> str:
    return (
        f"{at:%Y/%m/%d %H:%M:%S} [{random.choice(('error', 'warn', 'crit'))}] {random.randrange(99)}#0: *{random.randrange(9999)} "
        f'open() "/srv{random.choice(_PATHS)}" failed (2: No such file or directory), client: {_address(random)}, server: shop.example'
    )


def _syslog(random: Random, at: datetime) -> str:
    program = random.choice(("systemd[1]", "sshd[812]", "kernel", "CRON[4411]", "dockerd[990]"))
    return f"{at:%b} {at.day:2d} {at:%H:%M:%S} web-1 {program}: {random.choice(_EVENTS)}"


def _syslog_iso(random: Random, at: datetime) -> str:
    return f"{at.isoformat()} db-2 postgres[{random.randrange(9999)}]: {random.choice(_EVENTS)}"


def _kernel(random: Random, at: datetime) -> str:
    device = random.choice(
        (
            "eth0: link up, 1000 Mbps",
            "EXT4-fs (sda1): mounted filesystem",
            "usb 1-1: new high-speed USB device",
            "audit: type=1400",
        )
    )
    return f"[{at.timestamp() % 100000:12.6f}] {device} {random.randrange(99)}"


def _logfmt(random: Random, at: datetime) -> str:
    level = random.choice(_LEVELS).lower()
    return f'time={at:%Y-%m-%dT%H:%M:%S.%fZ} level={level} msg="{random.choice(_EVENTS)}" component=orders duration={random.randrange(900)}ms'


def _level_logfmt(random: Random, at: datetime) -> str:
    level = random.choice(_LEVELS).lower()
    return f'level={level} ts={at:%Y-%m-%dT%H:%M:%SZ} caller=main.go:{random.randrange(400)} msg="{random.choice(_EVENTS)}"'


def _log4j(random: Random, at: datetime) -> str:
    level = random.choice(_LEVELS)
    line = f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d} {level:5} [main-{random.randrange(9)}] c.e.s.OrderService - {random.choice(_EVENTS)}"
    if level != "ERROR":
        return line
    return f"{line}\njava.lang.IllegalStateException: no stock\n\tat com.example.shop.Orders.place(Orders.java:88)\n\tat com.example.shop.Main.main(Main.java:12)"


def _spring(random: Random, at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z  {random.choice(_LEVELS):5} 1 --- [nio-8080-exec-{random.randrange(9)}] c.e.shop.web.OrderController : {random.choice(_EVENTS)}"


def _klog(random: Random, at: datetime) -> str:
    return f"{random.choice('IIIWE')}{at:%m%d %H:%M:%S.%f}       1 {random.choice(('reflector', 'controller', 'server'))}.go:{random.randrange(900)}] {random.choice(_EVENTS)}"


def _go_log(random: Random, at: datetime) -> str:
    return f"{at:%Y/%m/%d %H:%M:%S} {random.choice(_EVENTS)}"


def _docker(random: Random, at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S.%f}123Z {random.choice(_EVENTS)}"


def _compose(random: Random, at: datetime) -> str:
    service = random.choice(("web-1  ", "db-1   ", "redis-1"))
    return f"{service} | {at:%Y-%m-%d %H:%M:%S} {random.choice(_LEVELS)} {random.choice(_EVENTS)}"


def _postgres(random: Random, at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d} UTC [{random.randrange(9999)}] {random.choice(('LOG', 'ERROR', 'STATEMENT', 'DETAIL'))}:  {random.choice(_EVENTS)}"


def _redis(random: Random, at: datetime) -> str:
    return f"1:M {at:%d %b %Y %H:%M:%S}.{at.microsecond // 1000:03d} {random.choice('*#-')} {random.choice(_EVENTS)}"


def _actions(random: Random, at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S.%f}0Z {random.choice(('##[group]Run make test', '##[endgroup]', 'ok   example.org/shop 0.01s', '##[error]Process completed with exit code 1.'))}"


def _json_line(random: Random, at: datetime) -> str:
    return json.dumps(
        {
            "ts": at.isoformat(),
            "level": random.choice(_LEVELS),
            "logger": "shop.orders",
            "msg": random.choice(_EVENTS),
            "order": random.randrange(999),
        }
    )


def _level_first(random: Random, at: datetime) -> str:
    return f"{random.choice(('INFO', 'WARNING', 'ERROR', 'DEBUG')) + ':':10}{random.choice(_EVENTS)} ({at:%H:%M:%S})"


def _bracketed(random: Random, at: datetime) -> str:
    return f"[{random.choice(_LEVELS)}] {at:%H:%M:%S} {random.choice(_EVENTS)}"


LOGS: dict[str, tuple[str, Callable[[Random], str]]] = {
    "access log": ("text/log", _lines(_access)),
    "apache error log": ("text/log", _lines(_apache_error)),
    "nginx error log": ("text/log", _lines(_nginx_error)),
    "syslog": ("text/log", _lines(_syslog)),
    "journal": ("text/log", _lines(_syslog_iso)),
    "dmesg": ("text/log|-", _lines(_kernel)),
    "logfmt": ("text/log", _lines(_logfmt)),
    "logfmt, level first": ("text/log", _lines(_level_logfmt)),
    "log4j": ("text/log", _lines(_log4j)),
    "spring boot": ("text/log", _lines(_spring)),
    "klog": ("text/log", _lines(_klog)),
    "go log": ("text/log", _lines(_go_log)),
    "docker logs -t": ("text/log", _lines(_docker)),
    "docker compose logs": ("text/log", _lines(_compose)),
    "postgres log": ("text/log", _lines(_postgres)),
    "redis log": ("text/log|-", _lines(_redis)),
    "github actions log": ("text/log", _lines(_actions)),
    "json log": ("json/ndjson", _lines(_json_line)),
    "uvicorn log": ("text/log", _lines(_level_first)),
    "bracketed log": ("text/log", _lines(_bracketed)),
}
