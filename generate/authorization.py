"""`deploy/nats/authorization.conf`: who may log in to the servers of docker-compose.yml and Kubernetes, and do what."""

from coatcheck_core.credentials.server_users import ServerUser, accounts_block
from coatcheck_schemas.permissions import Role, permissions
from coatcheck_schemas.subjects import Subjects

SERVING: tuple[Role, ...] = ("admin", "provisioner", "worker")
_HEAD = """\
# Made by `make schemas` from coatcheck_schemas/permissions.py, for the prefix `coat`: see "Roles" in schemas/README.md.

# NATS_ADMIN_PASSWORD, NATS_PROVISIONER_PASSWORD, NATS_WORKER_PASSWORD
include "passwords.conf"

# Agents and tools have an account of their own: JetStream answers a publisher wherever its reply subject says, in its
# own account. What they share with the workers' is exported there and imported here; `coatcheck grant` adds users.
"""


def authorization() -> str:
    """The text of the file."""
    subjects = Subjects()
    users = [
        ServerUser(name=role, password=f"$NATS_{role.upper()}_PASSWORD", permissions=permissions(role, subjects))
        for role in SERVING
    ]
    return _HEAD + accounts_block(subjects, users, "agents/agents.conf")
