"""A NATS URL taken apart."""

import pytest

from coatcheck_core.settings.model import NatsSettings
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.servers import Servers, parse_servers
from coatcheck_workers.login import log_in


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("nats://h:4222", Servers(urls=["nats://h:4222"])),
        ("h", Servers(urls=["nats://h:4222"])),
        ("h:1", Servers(urls=["nats://h:1"])),
        ("tls://h", Servers(urls=["tls://h:4222"])),
        ("wss://h/path", Servers(urls=["wss://h/path"])),
        ("nats://[::1]:4222", Servers(urls=["nats://[::1]:4222"])),
        ("nats://u:p@h", Servers(urls=["nats://h:4222"], user="u", password="p")),
        ("nats://u%40x:p%2F%3A@h", Servers(urls=["nats://h:4222"], user="u@x", password="p/:")),
        ("nats://secret@h", Servers(urls=["nats://h:4222"], token="secret")),
        (" a:1, u:p@b:2 ,", Servers(urls=["nats://a:1", "nats://b:2"], user="u", password="p")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_servers_and_credentials_are_told_apart(text: str, wanted: Servers) -> None:
    assert parse_servers(text) == wanted


TAKEN_FOR_A_PORT = ("nats://u:hush/x@h", "nats://u:hush?x@h", "u:hush#x@h", "nats://u:hush,x@h", "nats://hush:1/x@h")
"""Passwords that were not percent-encoded."""


@pytest.mark.parametrize(
    "text", ["", " , ", "http://h", "nats://", "nats://u:hush@h:port", "nats://u:hush@h:99999", *TAKEN_FOR_A_PORT]
)
def test_a_wrong_url_is_refused_without_showing_the_password(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_servers(text)
    assert "hush" not in str(caught.value)


NO_HOSTS = ("a..b", ".", "h..", "x" * 64, "a." * 150 + "a", "a b", "a\x00b", "\ud800", "ß..de")


@pytest.mark.parametrize("host", NO_HOSTS)
@pytest.mark.parametrize("url", ["nats://{}:4222", "tls://u:hush@{}", "ws://{}", "nats://h,nats://{}"])
def test_what_is_no_name_of_a_host_is_refused_before_it_is_looked_up(host: str, url: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_servers(url.format(host))
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    "host", ["h", "h.", "1.2.3.4", "[::1]", "[fe80::1%eth0]", "bücher.example", "a_b-c.example", "x" * 63]
)
def test_what_may_be_a_host_s_name_is_left_to_the_resolver(host: str) -> None:
    assert parse_servers(f"nats://{host}:4222").urls == [f"nats://{host}:4222"]


def test_a_worker_that_is_not_configured_names_the_setting() -> None:
    with pytest.raises(InvalidInput, match=r"^nats\.url is not set"):
        log_in(NatsSettings())


def test_servers_are_shown_without_their_password() -> None:
    assert "hush" not in repr(parse_servers("nats://u:hush@h"))
