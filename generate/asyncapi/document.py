"""The document, put together."""

import tomllib
from typing import Any

from coatcheck_core.settings import Settings
from coatcheck_workers.provisioning.declared import LEAST_SERVER, streams

from ..places import ROOT
from ..structs import components
from ..wire import MESSAGES
from .channels import CHANNELS, INBOX, PARAMETERS, SUBJECTS
from .model import Channel, Message, Operation
from .operations import OPERATIONS, TAGS
from .roles import roles_of

Part = dict[str, Any]

SPECIFICATION = "3.0.0"
_ABOUT = f"""The workers of Coatcheck, from their side: what they receive, send and answer on NATS.

They keep oversized tool results out of an LLM agent's context: a result is published as an event, kept whole in
object storage, and the agent gets a short, typed stub in its place, by whose ref it reads, searches and lists the
original. All it takes is a core NATS client.

Every subject begins with a deployment's prefix, here `{SUBJECTS.prefix}`. What lies under
`{SUBJECTS.prefix}-internal.>` is the workers' own: publish nothing there, and rely on nothing. Unknown fields are
ignored in events, and refused in requests. The contract in prose is schemas/README.md."""
_NOT_PUBLIC = ("ledger", "held", "deleted")


def document() -> Part:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {
        "asyncapi": SPECIFICATION,
        "id": "urn:coatcheck:workers",
        "info": {
            "title": "Coatcheck",
            "version": project["version"],
            "description": _ABOUT,
            "license": {"name": project["license"]},
            "tags": [{"name": name, "description": told} for name, told in TAGS.items()],
        },
        "defaultContentType": "application/json",
        "servers": _servers(),
        "channels": {channel.name: _channel(channel) for channel in CHANNELS},
        "operations": {operation.name: _operation(operation) for operation in OPERATIONS},
        "components": {
            "schemas": dict(sorted(components(MESSAGES, "#/components/schemas/{name}").items())),
            "messages": {message.name: _message(message) for message in _messages()},
            "parameters": {name: {"description": told} for name, told in PARAMETERS.items()},
            "securitySchemes": _SECURITY,
        },
        "x-nats-streams": _streams(),
        "x-internal-subjects": f"{SUBJECTS.prefix}-internal.>",
    }


def _servers() -> Part:
    return {
        "nats": {
            "host": "{host}:{port}",
            "protocol": "nats",
            "description": f"NATS with JetStream, nats-server {LEAST_SERVER} or newer; one server or a cluster, "
            "over TLS where it asks for that.",
            "variables": {
                "host": {"default": "127.0.0.1", "description": "A server's name or address."},
                "port": {"default": "4222"},
            },
            "security": [{"$ref": f"#/components/securitySchemes/{name}"} for name in _SECURITY],
        }
    }


_SECURITY: Part = {
    "password": {"type": "userPassword", "description": "A user of the server's configuration, in the URL or a file."},
    "token": {"type": "apiKey", "in": "password", "description": "The server's token."},
    "credentials": {
        "type": "asymmetricEncryption",
        "description": "An NKey, or a JWT with one: the server's nonce is signed, no secret goes over the wire.",
    },
    "certificate": {"type": "X509", "description": "A client certificate, where the server verifies them."},
}


def _channel(channel: Channel) -> Part:
    names = [name for name in PARAMETERS if f"{{{name}}}" in (channel.address or "")]
    made: Part = {
        "address": channel.address,
        "title": channel.title,
        "description": channel.description,
        "messages": {one.name: {"$ref": f"#/components/messages/{one.name}"} for one in channel.messages},
    }
    if names:
        made["parameters"] = {name: {"$ref": f"#/components/parameters/{name}"} for name in names}
    if channel.stream is not None:
        made["x-nats-stream"] = SUBJECTS.stream(channel.stream)
    return made


def _operation(operation: Operation) -> Part:
    channel = f"#/channels/{operation.channel.name}"
    made: Part = {
        "action": operation.action,
        "channel": {"$ref": channel},
        "summary": operation.summary,
        "messages": [{"$ref": f"{channel}/messages/{one.name}"} for one in operation.channel.messages],
        "tags": [{"name": operation.tag}],
    }
    if operation.queue is not None:
        made["bindings"] = {"nats": {"queue": operation.queue, "bindingVersion": "0.1.0"}}
    if operation.answers:
        inbox = f"#/channels/{INBOX.name}"
        made["reply"] = {
            "channel": {"$ref": inbox},
            "messages": [{"$ref": f"{inbox}/messages/{one.name}"} for one in operation.answers],
        }
    return made | {"x-roles": roles_of(operation)}


def _messages() -> list[Message]:
    found = {one.name: one for channel in CHANNELS for one in channel.messages}
    return sorted(found.values(), key=lambda one: one.name)


def _message(message: Message) -> Part:
    made: Part = {
        "name": message.name,
        "title": message.title,
        "summary": message.summary,
        "contentType": message.content_type,
        "payload": message.payload,
    }
    if message.headers is not None:
        made["headers"] = message.headers
    if message.examples:
        made["examples"] = list(message.examples)
    return made


def _streams() -> Part:
    """As a deployment with the defaults declares them; those of the workers alone are left out."""
    inner = [SUBJECTS.stream(name) for name in _NOT_PUBLIC]
    return {
        one.name or "": {
            "retention": one.retention,
            "discard": one.discard,
            "max_age_seconds": one.max_age or None,
            "max_bytes": one.max_bytes,
        }
        for one in streams(Settings())
        if one.name not in inner
    }
