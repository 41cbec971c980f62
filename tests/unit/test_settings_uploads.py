"""The settings of URLs that are given out."""

import pytest

from coatcheck_core.settings import ConfigError, load


@pytest.mark.parametrize("url", ["", "https://store.example", "http://10.0.0.1:9000/"])
def test_the_public_url_of_the_store_is_a_server(url: str) -> None:
    assert load(assignments=[f"storage.public_url={url}"])[0].storage.public_url == url


@pytest.mark.parametrize("url", ["store.example", "ftp://store.example", "https://u:p@store.example", "https://s/path"])
def test_a_public_url_that_is_no_server_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match=r"storage\.public_url"):
        load(assignments=[f"storage.public_url={url}"])


@pytest.mark.parametrize("seconds", [0, 7 * 86_400 + 1])
def test_a_url_to_put_to_is_valid_for_a_second_to_a_week(seconds: int) -> None:
    with pytest.raises(ConfigError, match=r"upload\.expires_seconds"):
        load(assignments=[f"upload.expires_seconds={seconds}"])
