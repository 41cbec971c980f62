"""The machine and the settings: what can be said before any server is asked."""

import os
import platform
import resource
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from coatcheck_core.credentials.secret_files import read_secret
from coatcheck_core.settings import Origin, Settings
from coatcheck_core.settings.location import locate
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.servers import parse_servers

from .finding import Finding, doubtful, failing, well

TESTED = ("linux", "darwin")
LEAST_FILES = 1024
"""Open files: a worker has some two hundred connections to the store at most, and as many pipes to its children."""
ON_THE_COMMAND_LINE = "--set"

MACHINE = "machine"
SETTINGS = "settings"
SECRETS = "secrets"


def machine() -> Finding:
    """Of this process: what a worker that is started here would have."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return machine_of(sys.platform, platform.python_version(), files)


def machine_of(system: str, python: str, files: int) -> Finding:
    """`files` may be open at a time; -1 is without limit. Pure."""
    found = f"Python {python} on {system}"
    if system not in TESTED:
        return doubtful(MACHINE, f"{found}, where workers are not tested", "run the workers on Linux")
    if 0 <= files < LEAST_FILES:
        return doubtful(MACHINE, f"{found}, {files} open files at most", f"raise the limit: ulimit -n {LEAST_FILES}")
    return well(MACHINE, found)


def settings_findings(settings: Settings, origins: Origin) -> list[Finding]:
    """What contradicts itself, or will not do what it says; else one Finding that says where the settings are from."""
    found = [*_servers(settings), *_budgets(settings), *_storage(settings)]
    if found:
        return found
    sources = sorted(set(origins.values()))
    return [well(SETTINGS, f"{len(origins)} set, from {', '.join(sources)}" if sources else "all as by default")]


def secret_findings(settings: Settings, origins: Origin) -> list[Finding]:
    """The files of secrets, and secrets that others on this machine can see; no secret is ever in a Finding."""
    named = {
        "nats.password_file": settings.nats.password_file,
        "nats.tls_key_file": settings.nats.tls_key_file,
        "nats.creds_file": settings.nats.creds_file,
        "storage.secret_key_file": settings.storage.secret_key_file,
    }
    files = {name: path for name, path in named.items() if path}
    found = [one for name, path in files.items() if (one := secret_file(name, Path(path))) is not None]
    if origins.get("storage.secret_key") == ON_THE_COMMAND_LINE:
        found.append(_seen("storage.secret_key", "storage.secret_key_file or COATCHECK_STORAGE__SECRET_KEY"))
    if origins.get("nats.url") == ON_THE_COMMAND_LINE and _has_password(settings.nats.url):
        found.append(_seen("the password in nats.url", "nats.user and nats.password_file, or COATCHECK_NATS__URL"))
    return found or [well(SECRETS, f"{', '.join(files)} can be read by this user alone" if files else "no files")]


def secret_file(name: str, path: Path) -> Finding | None:
    """What is wrong with the file of a secret."""
    try:
        text = read_secret(str(path), f"{name} {str(path)!r}")
    except InvalidInput as error:
        return failing(SECRETS, str(error), f"correct {name}, or the file's owner")
    if not text.strip():
        return failing(SECRETS, f"{name} {str(path)!r} is empty", "write the secret into it")
    found = path.stat()
    if stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and _is_open(path, found.st_mode):
        return doubtful(SECRETS, f"{name} {str(path)!r} can be read by others", f"chmod 600 {path}")
    return None


def _is_open(path: Path, mode: int) -> bool:
    """Whether others, or the group, may read the file, and come to it through all of its folders."""
    folders = [parent.stat().st_mode for parent in path.resolve().parents]
    for may_read, may_pass in ((stat.S_IRGRP, stat.S_IXGRP), (stat.S_IROTH, stat.S_IXOTH)):
        if mode & may_read and all(folder & may_pass for folder in folders):
            return True
    return False


def _servers(settings: Settings) -> Iterator[Finding]:
    nats = settings.nats
    if not nats.url:
        return
    try:
        servers = parse_servers(nats.url)
    except InvalidInput as error:
        yield failing(SETTINGS, str(error), "correct nats.url")
        return
    if nats.user and (servers.user or servers.token):
        found = "nats.user is set, and nats.url has a user or token too, which is not used"
        yield doubtful(SETTINGS, found, "take it out of nats.url")
    if nats.creds_file and nats.password_file:
        yield doubtful(
            SETTINGS, "nats.creds_file is set, and nats.password_file, which is not read", "keep one of them"
        )
    elif nats.password_file and not nats.user:
        yield failing(SETTINGS, "nats.password_file is set and nats.user is not: the file is not read", "set nats.user")
    if nats.user and not (nats.password_file or nats.creds_file):
        yield doubtful(SETTINGS, "nats.user is set without nats.password_file", "set nats.password_file")


def _budgets(settings: Settings) -> Iterator[Finding]:
    threshold, budget = settings.result.threshold, settings.turn.inline_budget
    if settings.result.offload and threshold > budget:
        found = f"result.threshold {threshold} is more than turn.inline_budget {budget}: in a turn it never counts"
        yield doubtful(SETTINGS, found, "make result.threshold the smaller")
    if settings.storage.retry_max_seconds > settings.storage.retry_seconds:
        found = "storage.retry_max_seconds is more than storage.retry_seconds: a failing result is tried once or twice"
        yield doubtful(SETTINGS, found, "make storage.retry_max_seconds the smaller")


def _storage(settings: Settings) -> Iterator[Finding]:
    storage = settings.storage
    kind = locate(storage).kind
    if kind == "endpoint" and not storage.endpoint:
        found = "neither storage.endpoint nor storage.url is set: object storage is not looked at, and no worker starts"
        mend = "where it is to be: set storage.endpoint, storage.bucket, storage.access_key and storage.secret_key_file"
        yield doubtful(SETTINGS, found, f"{mend}; or storage.url")
    if kind == "memory":
        found = "storage.url is memory://: originals are gone with the worker's process, and no other reads them"
        yield doubtful(SETTINGS, found, "name a bucket or folder but for trying it out")
    if storage.secret_key and storage.secret_key_file:
        found = "storage.secret_key and storage.secret_key_file are both set"
        yield doubtful(SETTINGS, found, "keep the file")
    if bool(storage.access_key) is not bool(storage.secret_key or storage.secret_key_file):
        yield failing(SETTINGS, "of the S3 keys only one is set", "set storage.access_key and its secret together")


def _has_password(url: str) -> bool:
    try:
        servers = parse_servers(url)
    except InvalidInput:
        return False
    return bool(servers.password or servers.token)


def _seen(what: str, instead: str) -> Finding:
    found = f"{what} was given by --set: everybody on this machine sees it in the list of processes"
    return doubtful(SECRETS, found, f"give {instead}")
