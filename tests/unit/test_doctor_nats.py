"""What the doctor says of NATS before and at the login."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import nats.errors
import pytest
from tests.support.ports import reserved_port

from coatcheck_workers.doctor.examining import heard
from coatcheck_workers.doctor.greeting import Greeting, NoGreeting, greet, judged, understood, unreached
from coatcheck_workers.doctor.logging_in import refused

URL = "nats://h:4222"
SOUND = {"version": "2.14.0", "jetstream": True, "max_payload": 1048576}


@asynccontextmanager
async def answering(line: bytes) -> AsyncIterator[str]:
    """The URL of a server that says this, and no more."""

    async def say(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(line)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(say, "127.0.0.1", 0)
    async with server:
        yield f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_a_server_is_greeted_by_its_first_line() -> None:
    async with answering(b"INFO " + msgspec.json.encode({**SOUND, "server_name": "n1", "more": [1]}) + b"\r\n") as url:
        greeting = await greet(url)
    assert greeting == Greeting(version="2.14.0", jetstream=True, max_payload=1048576, server_name="n1")


@pytest.mark.parametrize(
    "line", [b"", b"HTTP/1.1 400 Bad Request\r\n", b"INFO {\r\n", b"INFO []\r\n", b"\xff\x00" * 99_999]
)
async def test_what_is_no_nats_server_is_told_and_what_port_to_give(line: bytes) -> None:
    async with answering(line) as url:
        with pytest.raises(NoGreeting) as raised:
            await greet(url)
    assert "is no NATS server" in raised.value.found
    assert "4222" in raised.value.mend


async def test_where_nothing_listens_the_doctor_says_to_start_it() -> None:
    with pytest.raises(NoGreeting) as raised:
        await greet(f"nats://127.0.0.1:{reserved_port()}")
    assert "connection refused" in raised.value.found
    assert "coatcheck up" in raised.value.mend


async def test_a_server_that_says_nothing_is_given_up() -> None:
    release = asyncio.Event()

    async def wait(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await release.wait()
        writer.close()

    async with await asyncio.start_server(wait, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(NoGreeting, match="nothing is heard") as raised:
            await greet(f"nats://127.0.0.1:{port}", 0.05)
        assert await greet(f"tls://127.0.0.1:{port}", 0.05) is None
        release.set()
    assert "firewall" in raised.value.mend


async def test_a_name_that_no_resolver_takes_is_told_so() -> None:
    with pytest.raises(NoGreeting, match=r"'a\.\.b' is no name of a host"):
        await greet("nats://a..b:4222")


async def test_a_websocket_is_left_to_the_login() -> None:
    assert await greet("wss://h:443") is None


@pytest.mark.parametrize(
    ("error", "found", "mend"),
    [
        (socket.gaierror(-2, "Name or service not known"), "has no address", "DNS"),
        (ConnectionRefusedError(), "connection refused", "start the NATS server"),
        (TimeoutError(), "nothing is heard", "firewall"),
        (OSError(113, "No route to host"), "No route to host", "network"),
    ],
)
def test_each_way_not_to_reach_a_server_has_its_advice(error: OSError, found: str, mend: str) -> None:
    why = unreached("h", 4222, error)
    assert found in why.found
    assert mend in why.mend


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({}, "ok", "2.14.0"),
        ({"version": "2.12.1-RC.1"}, "ok", "2.12.1"),
        ({"version": "2.11.9"}, "fail", "upgrade"),
        ({"version": "3.0"}, "ok", "3.0"),
        ({"version": "dev"}, "warn", "2.12"),
        ({"version": ""}, "warn", "2.12"),
        ({"jetstream": False}, "fail", "-js"),
        ({"max_payload": 4096}, "warn", "max_payload"),
        ({"max_payload": 64 * 1024**2}, "warn", "max_payload"),
    ],
)
def test_a_server_is_judged_by_what_it_says(change: dict[str, Any], status: str, words: str) -> None:
    line = b"INFO " + msgspec.json.encode({**SOUND, **change})
    (found,) = judged(URL, understood("h", 4222, line))
    assert found.status == status
    assert words in found.found + found.mend


def test_of_a_cluster_one_server_is_enough_to_go_on() -> None:
    away = NoGreeting("nothing listens at b:1", "start it")
    found = heard(["nats://a:1", "nats://b:1"], [Greeting(version="2.14.0", jetstream=True), away])
    assert [one.status for one in found] == ["ok", "warn"]


def test_where_none_answers_each_is_a_failure() -> None:
    away = NoGreeting("nothing listens", "start it")
    assert [one.status for one in heard(["nats://a:1", "nats://b:1"], [away, away])] == ["fail", "fail"]


@pytest.mark.parametrize(
    ("error", "found", "mend"),
    [
        (nats.errors.Error("nats: 'Authorization Violation'"), "user 'ann'", "from a.yaml"),
        (nats.errors.Error("nats: 'User Authentication Expired'"), "user 'ann'", "nats.creds_file"),
        (nats.errors.Error("nats: maximum connections exceeded"), "no more connections", "max_connections"),
        (ssl.SSLError(1, "wrong version number"), "TLS cannot be agreed on", "see what the server offers"),
        (OSError("reset"), "cannot connect", "log"),
        (None, "cannot connect", "log"),
    ],
)
def test_each_way_not_to_be_let_in_has_its_advice(error: Exception | None, found: str, mend: str) -> None:
    one = refused(error, "cannot connect to NATS", user="ann", origin="a.yaml")
    assert one.status == "fail"
    assert found in one.found
    assert mend in one.mend


def test_a_certificate_that_is_not_trusted_names_the_ca() -> None:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_message = "unable to get local issuer certificate"
    one = refused(error, "", user=None, origin="")
    assert "unable to get local issuer" in one.found
    assert "nats.tls_ca_file" in one.mend
