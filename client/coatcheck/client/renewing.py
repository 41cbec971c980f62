"""A connection that outlives its token: made anew before that expires, once its file has a later one."""

import asyncio
import logging
import time

from nats.aio.client import Client as Nats

from coatcheck_core.credentials.login import RenewedCredentials
from coatcheck_core.credentials.renewing import look_after

logger = logging.getLogger("coatcheck")


async def renew_for_ever(nats: Nats, creds: RenewedCredentials) -> None:
    """Until the token does not expire, or has expired unrenewed: then the server ends the connection."""
    while True:
        seconds = look_after(creds.current.claims.expires, time.time())
        if seconds == float("inf"):
            return
        await asyncio.sleep(seconds)
        if creds.read_again() and look_after(creds.current.claims.expires, time.time()) > seconds:
            logger.info("the credentials were renewed; connecting anew with them")
            await nats.force_reconnect()
