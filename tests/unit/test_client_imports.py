"""What importing the client and the command loads: only what they need."""

import subprocess
import sys

import pytest

import coatcheck

SERVER = ("faststream", "obstore", "minio", "uvloop", "pydantic", "zstandard", "coatcheck_workers", "opentelemetry")
COMMAND = ("click", "rich")


def loaded(code: str) -> set[str]:
    """The top-level modules of a fresh interpreter that has run the code."""
    script = f"{code}\nimport sys\nprint(' '.join({{name.partition('.')[0] for name in sys.modules}}), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stderr.split())


def test_the_client_loads_nothing_of_the_server_nor_of_the_command() -> None:
    modules = loaded("import coatcheck, coatcheck.client, coatcheck.testing; coatcheck.Client; coatcheck.connect")
    assert modules.isdisjoint((*SERVER, *COMMAND))
    assert "nats" in modules


def test_importing_the_package_alone_loads_next_to_nothing() -> None:
    assert loaded("import coatcheck").isdisjoint((*SERVER, *COMMAND, "nats", "msgspec", "yaml", "asyncio"))


def test_help_loads_no_command_and_no_library_of_one() -> None:
    code = "from coatcheck.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass"
    assert loaded(code).isdisjoint((*SERVER, "rich", "nats", "msgspec", "yaml"))


@pytest.mark.parametrize("name", coatcheck.__all__)
def test_every_exported_name_is_there(name: str) -> None:
    assert getattr(coatcheck, name).__module__.startswith(("coatcheck", "typing", "types"))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        coatcheck.nothing_of_this_name  # noqa: B018
