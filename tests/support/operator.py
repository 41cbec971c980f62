"""A NATS server with an operator: its accounts are tokens that the operator signed, in place of a configuration."""

import json
from pathlib import Path
from typing import Any

from nats.aio.client import Client
from nats.errors import Error as NatsError

from coatcheck_core.credentials.jwts import signed
from coatcheck_core.credentials.nkeys import KeyPair
from coatcheck_schemas.permissions import heard, services
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import NatsServer
from coatcheck_workers.embedded.files import write_private

SUBJECTS = Subjects()
UNLIMITED = {"subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "conn": -1, "leaf": -1}
JETSTREAM = {"mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1}

OPERATOR = KeyPair("operator", b"\x01" * 32)
SERVICE = KeyPair("account", b"\x02" * 32)
AGENTS = KeyPair("account", b"\x03" * 32)
SIGNING = KeyPair("account", b"\x04" * 32)
"""A signing key of the agents' account: the account's own key stays locked away."""
SYSTEM = KeyPair("account", b"\x05" * 32)


def account_token(key: KeyPair, name: str, **more: Any) -> str:
    """As `nsc` makes it: the account's own limits, exports and imports."""
    limits = {**UNLIMITED, "wildcards": True, **(JETSTREAM if name == "COATCHECK" else {})}
    nats = {"limits": limits, "type": "account", "version": 2, **more}
    return signed({"sub": key.public, "name": name, "nats": nats}, OPERATOR, issued=1_700_000_000)


def _shared() -> list[dict[str, str]]:
    named = [("service", one) for one in services(SUBJECTS)] + [("stream", one) for one in heard(SUBJECTS)]
    return [{"name": subject, "subject": subject, "type": kind} for kind, subject in named]


class OperatorServer(NatsServer):
    """As the bundled server, with tokens in place of users; `creds` are of one that may log in, to see it answer."""

    def __init__(self, data_dir: Path, creds: Any) -> None:
        super().__init__(data_dir)
        self._creds = creds

    def _write_config(self) -> Path:
        imports = [{**one, "account": SERVICE.public} for one in _shared()]
        accounts = {
            SERVICE.public: account_token(SERVICE, "COATCHECK", exports=_shared()),
            AGENTS.public: account_token(AGENTS, "AGENTS", imports=imports, signing_keys=[SIGNING.public]),
            SYSTEM.public: account_token(SYSTEM, "SYS"),
        }
        operator = signed(
            {"sub": OPERATOR.public, "name": "test", "nats": {"type": "operator", "version": 2}},
            OPERATOR,
            issued=1_700_000_000,
        )
        config = self.data_dir / "nats.conf"
        lines = [
            'listen: "127.0.0.1:-1"',
            f"ports_file_dir: {json.dumps(str(self.data_dir))}",
            f"jetstream {{ store_dir: {json.dumps(str(self.data_dir / 'data'))} }}",
            f"operator: {operator}",
            f"system_account: {SYSTEM.public}",
            "resolver: MEMORY",
            "resolver_preload: {",
            *(f"  {key}: {token}" for key, token in accounts.items()),
            "}",
        ]
        write_private(config, "\n".join(lines))
        return config

    async def _answers(self) -> bool:
        client = Client()
        try:
            await client.connect(self.address, allow_reconnect=False, error_cb=_ignore, **self._creds.options)
        except (OSError, TimeoutError, NatsError):
            return False
        await client.close()
        return True


async def _ignore(_: Exception) -> None:
    """A server that starts refuses connections."""
