"""The limits of requests: which of them are impossible together."""

import pytest

from coatcheck_core.settings import ConfigError, Settings, load
from coatcheck_core.settings.relations import check_relations


@pytest.mark.parametrize(
    ("assignments", "named"),
    [
        (["requests.search_seconds=8"], ("requests.search_seconds is 8", "requests.timeout_seconds 8")),
        (["requests.timeout_seconds=2"], ("requests.search_seconds is 5", "requests.timeout_seconds 2")),
        (["requests.patience_seconds=7"], ("patience_seconds is 7", "timeout_seconds 8", "15.5 s", "waits 15 s")),
        (["requests.timeout_seconds=8.6"], ("patience_seconds is 6", "timeout_seconds 8.6", "15.1 s", "waits 15 s")),
        (["requests.delete_seconds=46"], ("requests.delete_seconds 46", "60.5 s", "waits 60 s")),
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
    together = ["search_seconds=9", "timeout_seconds=10", "patience_seconds=4.5", "delete_seconds=45"]
    settings, _ = load(assignments=[f"requests.{one}" for one in together])
    assert settings.requests.search_seconds == 9


def test_by_default_every_reply_comes_while_somebody_waits_for_it() -> None:
    check_relations(Settings())
