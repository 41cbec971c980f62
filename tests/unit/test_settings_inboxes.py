"""Where replies may go: as whole segments, to other accounts always, and never among the deployment's own subjects."""

import pytest

from coatcheck_core.settings import ConfigError, load
from coatcheck_core.settings.inboxes import inboxes, reply_prefixes


def test_an_inbox_is_of_whole_segments_with_or_without_its_last_dot() -> None:
    requests = load(assignments=["requests.inbox_prefixes=[_INBOX, reply.here.]"])[0].requests
    assert reply_prefixes(requests)[:2] == ("_INBOX.", "reply.here.")
    assert inboxes(requests) == ("_INBOX.>", "reply.here.>")


def test_a_granted_agent_is_answered_whatever_the_inboxes_are() -> None:
    requests = load(assignments=["requests.inbox_prefixes=[reply.here.]"])[0].requests
    assert "_R_.x.y".startswith(reply_prefixes(requests))


@pytest.mark.parametrize("inbox", ["mine", "mine.stubs.", "mine-internal.out."])
def test_an_inbox_among_the_deployment_s_own_subjects_is_refused_with_both_settings(inbox: str) -> None:
    with pytest.raises(ConfigError, match=r"requests\.inbox_prefixes .* nats\.prefix"):
        load(assignments=["nats.prefix=mine", f"requests.inbox_prefixes=[{inbox}]"])
