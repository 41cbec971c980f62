"""The bucket's rule for what only passes through, and the rules of others beside it."""

from xml.etree import ElementTree

import pytest

from coatcheck_workers.provisioning.lifecycle import PASSING_DAYS, has_rule, rule_id, with_rule

PREFIX = "coatcheck/v1/passing/"
SESSIONS = "coatcheck/v1/sessions/"
NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
OTHERS = """
<Rule><ID>old style</ID><Prefix>logs/</Prefix><Status>Enabled</Status><Expiration><Days>3</Days></Expiration></Rule>
<Rule><Filter><And><Prefix>a/</Prefix><ObjectSizeGreaterThan>500</ObjectSizeGreaterThan></And></Filter>
<Status>Disabled</Status><NoncurrentVersionExpiration><NoncurrentDays>2</NoncurrentDays></NoncurrentVersionExpiration>
</Rule>"""


def configuration(rules: str, namespace: str = NAMESPACE) -> bytes:
    return f"<LifecycleConfiguration {namespace}>{rules}</LifecycleConfiguration>".encode()


def shape(element: ElementTree.Element) -> tuple[object, ...]:
    return (element.tag.rpartition("}")[2], (element.text or "").strip(), [shape(below) for below in element])


def test_a_bucket_without_rules_gets_ours() -> None:
    assert not has_rule(None, PREFIX)
    made = with_rule(None, PREFIX)
    assert has_rule(made, PREFIX)
    assert not has_rule(made, "another/v1/passing/")


@pytest.mark.parametrize("namespace", [NAMESPACE, ""])
def test_the_rules_of_others_stay_to_the_last_condition(namespace: str) -> None:
    before = configuration(OTHERS, namespace)
    made = with_rule(with_rule(before, PREFIX), "another/v1/passing/")
    rules = ElementTree.fromstring(made)
    assert has_rule(made, PREFIX)
    assert has_rule(made, "another/v1/passing/")
    assert [shape(rule) for rule in rules[:2]] == [shape(rule) for rule in ElementTree.fromstring(before)]
    assert len(rules) == 4


@pytest.mark.parametrize(
    ("ours", "changed"),
    [
        ("<Days>8</Days>", "<Days>80</Days>"),
        ("<Status>Enabled</Status>", "<Status>Disabled</Status>"),
        ("passing/</Prefix>", "passed/</Prefix>"),
        ("<DaysAfterInitiation>8<", "<DaysAfterInitiation>1<"),
        (rule_id(PREFIX), "mine"),
    ],
)
def test_a_rule_that_was_changed_is_told_and_mended_once(ours: str, changed: str) -> None:
    there = with_rule(None, PREFIX).decode()
    assert ours in there
    drifted = there.replace(ours, changed).encode()
    assert not has_rule(drifted, PREFIX)
    mended = with_rule(drifted, PREFIX)
    assert has_rule(mended, PREFIX)
    assert len(ElementTree.fromstring(mended)) == (2 if changed == "mine" else 1)


def test_what_expires_has_a_rule_of_its_own_with_its_days() -> None:
    both = with_rule(with_rule(None, PREFIX), SESSIONS, 37)
    assert has_rule(both, PREFIX)
    assert has_rule(both, SESSIONS, 37)
    assert not has_rule(both, SESSIONS, 38)
    assert not has_rule(both, SESSIONS, None)
    longer = with_rule(both, SESSIONS, 100)
    assert has_rule(longer, SESSIONS, 100)
    assert len(ElementTree.fromstring(longer)) == 2


def test_what_never_expires_has_none_and_loses_one_that_it_had() -> None:
    both = with_rule(with_rule(configuration(OTHERS), PREFIX), SESSIONS, 37)
    assert has_rule(None, SESSIONS, None)
    without = with_rule(both, SESSIONS, None)
    assert has_rule(without, SESSIONS, None)
    assert has_rule(without, PREFIX)
    assert len(ElementTree.fromstring(without)) == 3


def test_a_server_that_frees_unfinished_uploads_by_itself_may_leave_that_out() -> None:
    rule = (
        f"<Rule><ID>{rule_id(PREFIX)}</ID><Status>Enabled</Status><Filter><Prefix>{PREFIX}</Prefix></Filter>"
        f"<Expiration><Days>{PASSING_DAYS}</Days></Expiration></Rule>"
    )
    assert has_rule(configuration(rule), PREFIX)
