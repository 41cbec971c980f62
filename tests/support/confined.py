"""A deployment with a user for each role of two sessions, and raw connections that note what they are refused."""

import os
import re
import signal
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg

from coatcheck_core.credentials.server_users import ServerUser, user_entry
from coatcheck_schemas.permissions import SESSION_ROLES, Role, inbox_of, user_name
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.commands.granting import Wanted, add_user, by_password
from coatcheck_workers.embedded import NatsServer

from .wait import eventually

SESSIONS = ("s1", "s2")
SUBJECTS = Subjects()
_DENIED = re.compile(r'permissions violation for (publish|subscription) to "([^"]*)"')


class Deployment:
    """A server whose users were made as `coatcheck grant` makes them; `url` is of a role, of a session where it has
    one."""

    def __init__(self, server: NatsServer, sessions: tuple[str, ...] = SESSIONS) -> None:
        self.server = server
        self._sessions = sessions
        self._passwords: dict[str, str] = {}

    async def grant(self) -> None:
        for role in SESSION_ROLES:
            for session in self._sessions:
                add_user(self.server.agents_file, self._user(role, session))
        config = self.server.data_dir / "nats.conf"
        serving: tuple[Role, ...] = ("admin", "provisioner")
        entries = "\n".join(user_entry(self._user(role)) for role in serving)
        # The bundled server's own administrator may do all; this one is as others' servers have it.
        entries = entries.replace('user: "admin"', 'user: "operator"')
        config.write_text(config.read_text().replace("users: [", f"users: [\n{entries}\n", 1))
        os.kill(self.server.child.pid, signal.SIGHUP)
        await eventually(lambda: "Reloaded server configuration" in self.server.log.read_text(), expecting="the reload")

    def _user(self, role: Role, session: str = "") -> ServerUser:
        user, password = by_password(Wanted(role=role, session=session, subjects=SUBJECTS))
        self._passwords[user_name(role, session)] = password
        return user

    def url(self, role: Role, session: str = "") -> str:
        if role == "worker":
            return self.server.worker_url
        user, password = self.login(role, session)
        return f"nats://{user}:{password}@{self.server.address.removeprefix('nats://')}"

    def login(self, role: Role, session: str = "") -> tuple[str, str]:
        """Name and password."""
        name = user_name(role, session)
        return "operator" if role == "admin" else name, self._passwords[name]


class Refused:
    """A raw connection; `publish` and `subscribe` are what the server has said no to, in lower case as nats-py gives
    them."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.publish: set[str] = set()
        self.subscribe: set[str] = set()
        self.heard: list[str] = []

    async def hear(self, message: Msg) -> None:
        self.heard.append(message.subject)

    def note(self, error: Exception) -> None:
        found = _DENIED.search(str(error).lower())
        if found is not None:
            (self.publish if found[1] == "publish" else self.subscribe).add(found[2])

    async def try_all(self, publish: Iterable[str] = (), subscribe: Iterable[str] = (), reply: str = "") -> None:
        """Publish to each, subscribe to each, and wait until the server has had it and said what it has to say."""
        for subject in subscribe:
            await self.client.subscribe(subject, cb=self.hear)
        for subject in publish:
            await self.client.publish(subject, b'{"forged": true}', reply=reply)
        for _ in range(2):
            await self.client.flush()


@asynccontextmanager
async def raw_with(url: str, options: dict[str, Any]) -> AsyncIterator[Refused]:
    """A connection without our client's manners."""
    client = Client()
    refused = Refused(client)

    async def on_error(error: Exception) -> None:
        refused.note(error)

    await client.connect(url, error_cb=on_error, allow_reconnect=False, **options)
    try:
        yield refused
    finally:
        await client.close()


@asynccontextmanager
async def raw(url: str, inbox: str) -> AsyncIterator[Refused]:
    """As `raw_with`, by a URL with user and password."""
    async with raw_with(url, {"inbox_prefix": inbox}) as refused:
        yield refused


@asynccontextmanager
async def as_role(deployment: Deployment, role: Role, session: str = "") -> AsyncIterator[Refused]:
    async with raw(deployment.url(role, session), inbox_of(role, session)) as connection:
        yield connection


async def stored(server: NatsServer) -> dict[str, int]:
    """How many messages the streams have, by subject."""
    client = await nats.connect(server.url, connect_timeout=30)
    try:
        found: dict[str, int] = {}
        for info in await client.jetstream().streams_info():
            one = await client.jetstream().stream_info(str(info.config.name), subjects_filter=">")
            found |= one.state.subjects or {}
        return found
    finally:
        await client.close()
