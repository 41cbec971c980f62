"""What storage.url may say, and what it must not contradict."""

import pytest

from coatcheck_core.settings import ConfigError, load, redact
from coatcheck_core.settings.location import Location, locate
from coatcheck_core.settings.model import StorageSettings


@pytest.mark.parametrize(
    ("url", "location"),
    [
        ("", Location(kind="endpoint", name="coatcheck")),
        ("s3://originals", Location(kind="s3", name="originals")),
        ("s3://originals/", Location(kind="s3", name="originals")),
        ("gs://originals/a/b/", Location(kind="gs", name="originals", path="a/b")),
        ("az://container/a", Location(kind="az", name="container", path="a")),
        ("file:///var/lib/coat check", Location(kind="file", name="/var/lib/coat check")),
        ("memory://", Location(kind="memory", name="")),
        ("memory://one/a", Location(kind="memory", name="one", path="a")),
        ("our.stores:Vault", Location(kind="own", name="our.stores:Vault")),
    ],
)
def test_url_names_a_place(url: str, location: Location) -> None:
    assert locate(StorageSettings(url=url)) == location


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("originals", "is none of s3://BUCKET"),
        ("ftp://host/x", "is none of"),
        ("s3:originals", "is none of"),
        ("s3://", "must be s3://BUCKET"),
        ("az:///path", "must be az://CONTAINER"),
        ("gs://bucket?x=1", "must be gs://BUCKET"),
        ("s3://host:9000/bucket", "must be s3://BUCKET"),
        ("s3://bucket/a/../b", r"may be empty, \. or \.\."),
        ("s3://bucket/a//b", "may be empty"),
        ("file://relative/path", "file:///ABSOLUTE/PATH"),
        ("file:///", "file:///ABSOLUTE/PATH"),
        ("file:///a/../../etc", "may be empty"),
    ],
)
def test_url_of_no_known_form_is_refused_with_the_forms(url: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        locate(StorageSettings(url=url))


def test_credentials_in_a_url_are_refused_without_being_shown() -> None:
    with pytest.raises(ConfigError, match="carries a user") as caught:
        locate(StorageSettings(url="s3://key:hunter2@bucket"))
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("assignments", "problem"),
    [
        (["storage.url=s3://a-bucket", "storage.endpoint=http://h:1"], "storage.url and storage.endpoint are both set"),
        (["storage.url=s3://a-bucket", "storage.bucket=another"], "unset storage.bucket"),
        (["storage.url=gs://a-bucket", "storage.access_key=k"], "storage.access_key is a key of S3"),
        (["storage.url=file:///data", "storage.secret_key_file=/f"], "storage.secret_key_file is a key of S3"),
        (["storage.url=nonsense"], "is none of"),
    ],
)
def test_contradictions_are_found_when_the_configuration_is_loaded(assignments: list[str], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        load(assignments=assignments)


def test_s3_url_takes_the_keys_of_the_settings() -> None:
    settings, _ = load(assignments=["storage.url=s3://a-bucket", "storage.access_key=k", "storage.secret_key=s"])
    assert locate(settings.storage).name == "a-bucket"
    assert redact(settings)["storage"]["url"] == "s3://a-bucket"
