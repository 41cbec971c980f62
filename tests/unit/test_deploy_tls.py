"""deploy/tls and its like: the overlay fits what it lies over, and its certificates what the settings name."""

import shutil
import ssl
import stat
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest
import yaml
from check_jsonschema.builtin_schemas import get_builtin_schema  # type: ignore[import-untyped]
from tests.support.deploying import DEPLOY, KUBERNETES, compose, mounted, of_compose, parsed, resource, variables

from coatcheck_core.credentials.tls_files import TlsFiles, context_of
from coatcheck_core.settings import Settings, load
from coatcheck_schemas.servers import parse_servers
from coatcheck_workers.embedded import binaries

OVERLAY = DEPLOY / "tls/docker-compose.yml"
PROGRAMS = ("provision", "worker", "provision-cluster", "worker-cluster")
COMPONENT = KUBERNETES / "components/tls"


def overlay() -> dict[str, Any]:
    loaded: dict[str, Any] = parsed(OVERLAY)
    return loaded


def settings(name: str) -> Settings:
    """As compose lays one environment over the other."""
    environment = {**compose()["services"][name]["environment"], **overlay()["services"][name]["environment"]}
    return load(environ=environment)[0]


def make_certificates(folder: Path, *names: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", str(DEPLOY / "make-certificates"), str(folder), *names]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    assert make_certificates(folder, "files.example.org", "10.1.2.3").returncode == 0
    return folder / "tls"


def trusts(made: Path, host: str) -> None:
    """A handshake in memory, of a client that trusts the authority alone; raises where it does not."""
    client, server = (ssl.MemoryBIO(), ssl.MemoryBIO())
    at_server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    at_server.load_cert_chain(made / "cert.pem", made / "key.pem")
    at_client = context_of(TlsFiles(ca_file=str(made / "ca.pem"), name="{}"))
    at_client.verify_flags |= ssl.VERIFY_X509_STRICT
    ends = [
        at_client.wrap_bio(client, server, server_hostname=host),
        at_server.wrap_bio(server, client, server_side=True),
    ]
    for end in (*ends, *ends):
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            continue


def test_the_overlay_fits_the_schema_of_compose_files() -> None:
    validator = jsonschema.Draft202012Validator(get_builtin_schema("vendor.compose-spec"))
    assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(overlay())] == []


def test_the_overlay_changes_every_service_and_makes_none() -> None:
    assert set(overlay()["services"]) == set(compose()["services"])


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_tls_to_the_servers_that_it_had(name: str) -> None:
    before = load(environ=compose()["services"][name]["environment"])[0]
    now = settings(name)
    assert [url.replace("nats://", "tls://") for url in parse_servers(before.nats.url).urls] == parse_servers(
        now.nats.url
    ).urls
    for field in ("endpoint", "public_url"):
        assert getattr(now.storage, field) == getattr(before.storage, field).replace("http://", "https://")
    mounts = {target for _, target in of_compose("secrets", overlay()["services"][name])}
    assert {now.nats.tls_ca_file, now.storage.ca_file} == mounts


def test_every_secret_and_config_is_a_file_that_is_there_or_made(made: Path) -> None:
    for kind in ("configs", "secrets"):
        declared = {**compose()[kind], **overlay()[kind]}
        for service in overlay()["services"].values():
            assert {source for source, _ in of_compose(kind, service)} <= set(declared)
    for one in overlay()["secrets"].values():
        assert Path(one["file"]).parent == Path("deploy/secrets/tls")
        assert (made / Path(one["file"]).name).exists()
    for one in overlay()["configs"].values():
        assert (DEPLOY.parent / one["file"]).exists()


def test_the_certificate_bears_every_name_by_which_servers_are_reached(made: Path) -> None:
    hosts = {"localhost", "127.0.0.1", "files.example.org", "10.1.2.3"}
    for name in PROGRAMS:
        one = settings(name)
        urls = [*parse_servers(one.nats.url).urls, one.storage.endpoint, one.storage.public_url]
        hosts |= {str(urlsplit(url).hostname) for url in urls}
    for host in hosts:
        trusts(made, host)
    with pytest.raises(ssl.SSLCertVerificationError):
        trusts(made, "elsewhere.example.org")


def test_certificates_are_made_once_and_renewed_by_the_same_authority(tmp_path: Path) -> None:
    make_certificates(tmp_path)
    folder = tmp_path / "tls"
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    make_certificates(tmp_path)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    (folder / "cert.pem").unlink()
    make_certificates(tmp_path)
    after = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert {name for name in after if after[name] != before[name]} == {"cert.pem", "key.pem"}
    trusts(folder, "nats")


def test_nobody_but_their_owner_reaches_the_keys(made: Path) -> None:
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in made.iterdir()}
    assert modes == {"ca.pem": 0o444, "cert.pem": 0o444, "key.pem": 0o444, "ca-key.pem": 0o400}


@pytest.mark.parametrize("name", ["a b", "x,DNS:evil", "", "a\nb"])
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    tried = make_certificates(tmp_path, name)
    assert tried.returncode == 1
    assert "no host name and no address" in tried.stderr
    assert not (tmp_path / "tls/cert.pem").exists()


@pytest.mark.parametrize("name", ["nats", "nats-1"])
def test_the_server_takes_its_configuration(name: str, made: Path, tmp_path: Path) -> None:
    arguments = mounted(name, tmp_path)
    etc = tmp_path / "etc/nats"
    (etc / "base.conf").rename(etc / "without-tls.conf")
    text = (DEPLOY / "tls/base.conf").read_text()
    (etc / "base.conf").write_text(text.replace("/etc/nats", str(etc)))
    shutil.copytree(made, etc / "tls")
    command = [str(binaries.nats_server()), "-t", *arguments]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    (etc / "tls/cert.pem").unlink()
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize("kind", ["Deployment", "Job"])
def test_the_component_mounts_what_its_settings_name(kind: str) -> None:
    named = parsed(COMPONENT / "kustomization.yaml")
    (patch,) = named["patches"]
    one = resource(KUBERNETES / "base", kind)
    assert kind in patch["target"]["kind"].split("|")
    volume, mount = (operation["value"] for operation in yaml.safe_load(patch["patch"]))
    spec = one["spec"]["template"]["spec"]
    assert {volume["name"]}.isdisjoint(other["name"] for other in spec["volumes"])
    assert mount["name"] == volume["name"]
    found = load(environ={**variables(KUBERNETES / "base/settings.env"), **variables(COMPONENT / "tls.env")})[0]
    assert parse_servers(found.nats.url).urls[0].startswith("tls://")
    for file in (found.nats.tls_ca_file, found.storage.ca_file):
        assert str(Path(file).parent) == mount["mountPath"]
