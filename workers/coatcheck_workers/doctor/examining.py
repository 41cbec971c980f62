"""The examination, in the order in which one thing needs another; what cannot be looked at is left out."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import click
from nats.aio.client import Client

from coatcheck_core.credentials.login import Login
from coatcheck_core.settings import Origin, Settings
from coatcheck_schemas.errors import InvalidInput

from ..login import log_in
from .finding import Finding, doubtful, failing
from .greeting import NATS, Greeting, NoGreeting, greet, judged
from .in_nats import looked_at
from .in_storage import stored
from .logging_in import LOGIN, refused
from .surroundings import machine, secret_findings, settings_findings

NAME = "coatcheck-doctor"
Connect = Callable[[Settings, str], AbstractAsyncContextManager[Client]]
"""Raises ClickException `from` what NATS said, as `commands.connecting.connected` does."""
_NAME = "name the server: --set nats.url=nats://HOST:4222, COATCHECK_NATS__URL or a --config file"
_CORRECT = "correct nats.url, nats.user, nats.password_file, nats.creds_file or nats.tls_..., whichever it names"
Findings = AsyncGenerator[Finding, None]


async def examine(settings: Settings, origins: Origin, connect: Connect) -> Findings:
    """Each finding as soon as it is known."""
    yield machine()
    for one in (*settings_findings(settings, origins), *secret_findings(settings, origins)):
        yield one
    async for one in _nats(settings, origins, connect):
        yield one
    async for one in stored(settings):
        yield one


async def _nats(settings: Settings, origins: Origin, connect: Connect) -> Findings:
    try:
        who = log_in(settings.nats)
    except InvalidInput as error:
        is_named = bool(settings.nats.url)
        yield failing(LOGIN if is_named else NATS, str(error), _CORRECT if is_named else _NAME)
        return
    greetings = await _greetings(who)
    for one in heard(who.urls, greetings):
        yield one
    if all(isinstance(greeting, BaseException) for greeting in greetings):
        return
    async with AsyncExitStack() as stack:
        try:
            client = await stack.enter_async_context(connect(settings, NAME))
        except click.ClickException as error:
            origin = origins.get("nats.url", "default")
            yield refused(
                error.__cause__,
                f"it cannot be connected to: {error.__cause__ or error.message}",
                user=_name(who),
                origin=origin,
            )
            return
        async for one in looked_at(client, settings):
            yield one


async def _greetings(who: Login) -> list[Greeting | BaseException | None]:
    if who.tls is not None and who.tls.first:
        return [None] * len(who.urls)  # they would wait for a handshake, and only logging in tells
    return await asyncio.gather(*(greet(url) for url in who.urls), return_exceptions=True)


def _name(who: Login) -> str | None:
    """As whom we log in."""
    return who.servers.user if who.creds is None else who.creds.current.claims.name


def heard(urls: list[str], greetings: list[Greeting | BaseException | None]) -> list[Finding]:
    """What each server is like, or why nothing is heard of it: one is enough to go on with. Pure."""
    is_any = any(not isinstance(greeting, BaseException) for greeting in greetings)
    found = []
    for url, greeting in zip(urls, greetings, strict=True):
        if isinstance(greeting, NoGreeting):
            found.append((doubtful if is_any else failing)(NATS, greeting.found, greeting.mend))
        elif isinstance(greeting, BaseException):
            raise greeting
        elif greeting is not None:
            found += judged(url, greeting)
    return found
