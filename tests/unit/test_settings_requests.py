"""The limits of requests: which of them are impossible together."""

import pytest

from coatcheck_core.settings import ConfigError, load


@pytest.mark.parametrize(
    ("assignments", "named"),
    [
        (["requests.search_seconds=8"], ("requests.search_seconds is 8", "requests.timeout_seconds 8")),
        (["requests.timeout_seconds=2"], ("requests.search_seconds is 5", "requests.timeout_seconds 2")),
        (["requests.waiting_bytes=100000"], ("requests.body_bytes is 1048576", "requests.waiting_bytes 100000")),
    ],
)
def test_settings_that_are_impossible_together_are_refused_by_name(
    assignments: list[str], named: tuple[str, str]
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(assignments=assignments)
    assert all(name in str(caught.value) for name in named)


def test_settings_that_go_together_are_taken() -> None:
    settings, _ = load(assignments=["requests.search_seconds=60", "requests.timeout_seconds=61"])
    assert settings.requests.search_seconds == 60
