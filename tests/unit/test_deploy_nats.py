"""NATS as docker-compose.yml runs it: the real server takes the configuration that the containers would see."""

import os
import re
import stat
import subprocess
from pathlib import Path

import pytest
from tests.support.deploying import DEPLOY, coatchecks, compose, make_secrets, mounted, services

from coatcheck_core.settings import load
from coatcheck_workers.embedded import binaries
from coatcheck_workers.provisioning import declared


@pytest.mark.parametrize("name", ["nats", "nats-1", "nats-2", "nats-3"])
def test_the_server_takes_its_configuration(name: str, tmp_path: Path) -> None:
    command = [str(binaries.nats_server()), "-t", *mounted(name, tmp_path)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_the_server_is_new_enough_for_the_streams() -> None:
    image = re.fullmatch(r"nats:(\d+)\.(\d+)\..*", services()["nats"]["image"])
    assert image is not None
    assert tuple(map(int, image.groups())) >= tuple(map(int, declared.LEAST_SERVER.split(".")))


def test_the_server_s_store_holds_all_streams_when_full() -> None:
    limit = re.search(r"^\s*max_file_store: (\d+)GB$", (DEPLOY / "nats/base.conf").read_text(), re.MULTILINE)
    assert limit is not None
    assert sum(stream.max_bytes or 0 for stream in declared.streams(load()[0])) <= int(limit[1]) * 10**9


def test_the_servers_know_the_users_that_log_in() -> None:
    known = re.findall(r'user"?: "(\w+)"', (DEPLOY / "nats/authorization.conf").read_text())
    assert {settings.nats.user for settings in coatchecks().values()} <= set(known)


def test_the_routes_of_the_cluster_are_its_services(tmp_path: Path) -> None:
    make_secrets(tmp_path)
    routes = re.findall(r"@([\w-]+):(\d+)", (tmp_path / "nats_routes.conf").read_text())
    listened = re.search(r'listen: "0.0.0.0:(\d+)"', (DEPLOY / "nats/cluster.conf").read_text())
    assert listened is not None
    servers = {name for name in services("nats:") if name != "nats"}
    assert {host for host, _ in routes} == servers
    assert {port for _, port in routes} == {listened[1]}
    for name in servers:
        assert services()[name]["command"][-2:] == ["--name", name]


def test_secrets_are_made_once_and_only_their_owner_reaches_them(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    make_secrets(folder)
    before = {file.name: file.read_text() for file in folder.iterdir() if file.is_file()}
    make_secrets(folder)
    assert {file.name: file.read_text() for file in folder.iterdir() if file.is_file()} == before
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    passwords = [text for name, text in before.items() if not name.endswith(".conf")]
    assert len(set(passwords)) == len(passwords) == 7
    assert all(re.fullmatch("k[0-9a-f]{48}", password) for password in passwords)


def test_what_containers_have_can_be_read_there_and_nothing_else(tmp_path: Path) -> None:
    make_secrets(tmp_path)
    mounted = {Path(secret["file"]).name for secret in compose()["secrets"].values()}
    for file in (file for file in tmp_path.iterdir() if file.is_file()):
        mode = stat.S_IMODE(file.stat().st_mode)
        assert mode == (0o444 if file.name in mounted else 0o400), file.name


def test_agents_that_were_granted_stay(tmp_path: Path) -> None:
    make_secrets(tmp_path)
    agents = tmp_path / "agents/agents.conf"
    assert agents.read_text() == "users: [\n]\n"
    agents.write_text("users: [\n{ user: a }\n]\n")
    make_secrets(tmp_path)
    assert "{ user: a }" in agents.read_text()


def test_a_secret_that_was_deleted_is_made_anew_wherever_it_stands(tmp_path: Path) -> None:
    make_secrets(tmp_path)
    old = (tmp_path / "nats_worker_password").read_text()
    (tmp_path / "nats_worker_password").unlink()
    make_secrets(tmp_path)
    conf = (tmp_path / "nats_passwords.conf").read_text()
    assert old not in conf
    assert (tmp_path / "nats_worker_password").read_text() in conf


def test_a_secret_that_could_break_the_configuration_is_refused(tmp_path: Path) -> None:
    (tmp_path / "nats_worker_password").write_text('x" } ] }')
    made = subprocess.run(["sh", DEPLOY / "make-secrets", tmp_path], capture_output=True, text=True, check=False)
    assert made.returncode == 1
    assert "nats_worker_password: letters, digits and _ alone" in made.stderr
    assert "x" + '"' not in made.stderr


def test_users_of_object_storage_get_their_keys_where_no_list_of_processes_shows_them(tmp_path: Path) -> None:
    make_secrets(tmp_path / "secrets")
    log = tmp_path / "log"
    client = tmp_path / "bin/mc"
    client.parent.mkdir()
    client.write_text(f'#!/bin/sh\necho "$*" >>{log}\n[ "$2" != user ] || sed "s/^/stdin /" >>{log}\n')
    client.chmod(0o755)
    script = (DEPLOY / "minio/make-users").read_text().replace("/run/secrets", str(tmp_path / "secrets"))
    environment = {"PATH": f"{client.parent}:{os.defpath}", "MINIO_ROOT_USER": "root"}
    subprocess.run(["sh", "-c", script], env=environment, check=True)
    secret = (tmp_path / "secrets/s3_worker_secret_key").read_text()
    said = log.read_text().splitlines()
    assert [line for line in said if "worker" in line] == [
        "stdin coatcheck-worker",
        "admin policy create store coatcheck-worker /etc/coatcheck/worker-policy.json",
        "admin policy attach store coatcheck-worker --user coatcheck-worker",
    ]
    assert [line for line in said if secret in line] == [f"stdin {secret}"]
