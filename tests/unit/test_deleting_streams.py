"""What deleting purges from the streams: what was there before, and what is known to be of the old life."""

from datetime import datetime, timedelta

import msgspec
import pytest
from tests.support.graveyard import SESSION, Graveyard

from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.letters import RECEIVED_HEADER
from coatcheck_schemas.refs import result_id
from coatcheck_schemas.times import format_time
from coatcheck_workers.streams.arriving import Arrived, pack

RESULT = result_id("c", "0" * 64)
OTHER = result_id("c", "1" * 64)
NEIGHBOURS = ("s", "s1=2Eb", "s1-", "s10", "=")
HOUR = timedelta(hours=1)
T = Graveyard().now


def subjects_of(session: str) -> list[str]:
    """One of each kind that streams hold of a session."""
    return [
        f"coat.stubs.{session}.t.{RESULT}",
        f"coat.stubs.{session}.t.{OTHER}",
        f"coat.settled.{session}.t",
        f"coat.dlq.{session}.t.c",
        f"coat.chunks.{session}.t.c.u",
        f"coat-internal.held.{session}.t.turn.=",
        f"coat-internal.held.{session}.t.letter.7",
        f"coat-internal.ledger.{session}.t.result.{RESULT}",
    ]


def event(created_at: datetime) -> bytes:
    return msgspec.json.encode({"created_at": format_time(created_at), "call_id": "c"})


def held(received_at: datetime) -> bytes:
    return pack(Arrived(subject="coat.results.s1.t.c", headers=None, body=b"{}", received_at=received_at))


async def test_of_a_session_nothing_is_left_and_nobody_else_is_touched() -> None:
    yard = Graveyard()
    for session in (SESSION, *NEIGHBOURS):
        for subject in subjects_of(session):
            yard.publish(subject, b"x")
    purging = yard.purging()
    ends = await purging.ends(SESSION, None)
    await purging.purge(SESSION, None, yard.now, ends)
    assert yard.kept() == {subject for session in NEIGHBOURS for subject in subjects_of(session)}


async def test_what_another_has_begun_is_purged_by_the_messages_own_times() -> None:
    yard = Graveyard()
    for session in (SESSION, *NEIGHBOURS):
        for subject in subjects_of(session):
            yard.publish(subject, b"x")
    await yard.purging().purge(SESSION, None, yard.now)
    assert yard.kept() == {subject for session in NEIGHBOURS for subject in subjects_of(session)}


async def test_of_one_result_its_stubs_of_all_turns_go_alone() -> None:
    yard = Graveyard()
    for turn in ("t", "u"):
        yard.publish(f"coat.stubs.{SESSION}.{turn}.{RESULT}", event(yard.now))
    others = [subject for subject in subjects_of(SESSION) if subject != f"coat.stubs.{SESSION}.t.{RESULT}"]
    for subject in others:
        yard.publish(subject, b"x")
    ends = await yard.purging().ends(SESSION, RESULT)
    await yard.purging().purge(SESSION, RESULT, yard.now, ends)
    assert yard.kept() == set(others)


@pytest.mark.parametrize(
    ("subject", "old", "new"),
    [
        (f"coat.stubs.{SESSION}.t.{RESULT}", event, event),
        (f"coat-internal.held.{SESSION}.t.turn.{RESULT}", held, held),
    ],
)
async def test_what_comes_after_the_deletion_is_told_apart_by_its_result(
    subject: str, old: object, new: object
) -> None:
    assert callable(old)
    assert callable(new)
    for received_ago, stays in ((HOUR, False), (-HOUR, True)):
        yard = Graveyard()
        ends, deleted_at = await yard.purging().ends(SESSION, None), yard.now
        yard.pass_seconds(60)
        yard.publish(subject, old(deleted_at - received_ago))
        await yard.purging().purge(SESSION, None, deleted_at, ends)
        assert bool(yard.kept()) == stays


async def test_what_tells_of_a_refusal_stays() -> None:
    yard = Graveyard()
    ends, deleted_at = await yard.purging().ends(SESSION, None), yard.now
    yard.pass_seconds(60)
    stub, letter = f"coat.stubs.{SESSION}.t.c-failed", f"coat.dlq.{SESSION}.t.c"
    yard.publish(stub, event(deleted_at - HOUR))
    yard.publish(letter, headers={"Coat-Reason": "deleted", RECEIVED_HEADER: format_time(deleted_at - HOUR)})
    await yard.purging().purge(SESSION, None, deleted_at, ends)
    assert yard.kept() == {stub, letter}


async def test_a_letter_that_comes_after_the_deletion_goes_with_its_message() -> None:
    for received_ago, stays in ((HOUR, False), (-HOUR, True)):
        yard = Graveyard()
        ends, deleted_at = await yard.purging().ends(SESSION, None), yard.now
        yard.pass_seconds(60)
        received = format_time(deleted_at - received_ago)
        yard.publish(f"coat.dlq.{SESSION}.t.c", b"x", {"Coat-Reason": "invalid_json", RECEIVED_HEADER: received})
        await yard.purging().purge(SESSION, None, deleted_at, ends)
        assert bool(yard.kept()) == stays


async def test_letters_of_messages_that_name_no_session_stay_where_one_without_an_id_is_deleted() -> None:
    for subject, stays in (("coat.results.=.=.=", False), ("coat.turns.=.=.end", False), ("coat.results.%2A", True)):
        yard = Graveyard()
        yard.publish("coat.dlq.=.=.=", b"x", {"Coat-Reason": "invalid_subject", "Coat-Subject": subject})
        yard.publish("coat.dlq.=.t.c", b"x", {"Coat-Reason": "invalid_json", "Coat-Subject": "coat.results.=.t.c"})
        ends = await yard.purging().ends("=", None)
        await yard.purging().purge("=", None, yard.now, ends)
        assert yard.kept() == ({"coat.dlq.=.=.="} if stays else set())


async def test_letters_of_a_deleted_result_that_could_not_be_stored_are_tried_at_once() -> None:
    """So that they are dropped; a letter of the call with other content is only tried earlier than it would be."""
    yard = Graveyard()
    for turn, call, reason in (("t", "c", "store_failure"), ("u", "c", "invalid_json"), ("t", "d", "store_failure")):
        yard.publish(f"coat.dlq.{SESSION}.{turn}.{call}", b"x", {"Coat-Reason": reason})
    await yard.purging().purge(SESSION, RESULT, yard.now, await yard.purging().ends(SESSION, RESULT))
    assert [kept.subject for kept in yard.streams["held"].messages.values()] == [
        f"coat-internal.due.{SESSION}.t.letter.1"
    ]
    assert len(yard.streams["dlq"].messages) == 3


async def test_pieces_that_come_after_the_deletion_stay() -> None:
    yard = Graveyard()
    ends, deleted_at = await yard.purging().ends(SESSION, None), yard.now
    yard.pass_seconds(60)
    yard.publish(f"coat.chunks.{SESSION}.t.c.u", b"x")
    await yard.purging().purge(SESSION, None, deleted_at, ends)
    assert yard.kept() == {f"coat.chunks.{SESSION}.t.c.u"}


async def test_what_is_held_of_the_new_life_falls_due_at_once() -> None:
    """Whoever held it had not heard of the deletion: its entry goes with the ledger."""
    yard = Graveyard()
    ends, deleted_at = await yard.purging().ends(SESSION, None), yard.now
    yard.pass_seconds(60)
    body = held(deleted_at + HOUR)
    schedule = {"Nats-Schedule": "@at 2027-01-01T00:00:00Z", "Coat-Tries": "3"}
    yard.publish(f"coat-internal.held.{SESSION}.t.turn.{RESULT}", body, schedule)
    await yard.purging().purge(SESSION, None, deleted_at, ends)
    [kept] = yard.streams["held"].messages.values()
    assert kept.subject == f"coat-internal.due.{SESSION}.t.turn.{RESULT}"
    assert (kept.body, dict(kept.headers)) == (body, {"Coat-Tries": "3"})


async def test_what_is_in_hand_is_what_came_before_and_is_there_still() -> None:
    yard = Graveyard()
    yard.publish("coat.results.s1.t.c", b"{}")
    deleted_at = yard.now
    yard.pass_seconds(1)
    yard.publish("coat.results.s1.t.d", b"{}")
    purging = yard.purging()
    assert await purging.is_in_hand(SESSION, None, deleted_at)
    assert await purging.is_in_hand(SESSION, RESULT, deleted_at)
    assert not await purging.is_in_hand(SESSION, result_id("d", "0" * 64), deleted_at)
    assert not await purging.is_in_hand("s", None, deleted_at)
    yard.streams["results"].purge("coat.results.s1.t.c")
    assert not await purging.is_in_hand(SESSION, None, deleted_at)
    yard.publish("coat.turns.s1.t.end", b"{}")
    assert await purging.is_in_hand(SESSION, None, yard.now)


@pytest.mark.parametrize(
    ("body", "is_waited_for"), [(held(T - HOUR), True), (held(T + HOUR), False), (b"", True), (b"odd", False)]
)
async def test_what_has_fallen_due_is_waited_for_and_not_purged(body: bytes, is_waited_for: bool) -> None:
    """A worker may have it in hand, and refuses it."""
    yard = Graveyard()
    assert yard.now == T
    yard.publish(f"coat-internal.due.{SESSION}.t.turn.{RESULT}", body)
    assert await yard.purging().is_in_hand(SESSION, None, T) == is_waited_for
    assert not await yard.purging().is_in_hand("s", None, T)
    await yard.purging().purge(SESSION, None, T, await yard.purging().ends(SESSION, None))
    assert len(yard.kept()) == 1


async def test_a_timer_that_falls_due_after_the_deletion_is_not_waited_for() -> None:
    yard = Graveyard()
    yard.pass_seconds(1)
    yard.publish(f"coat-internal.due.{SESSION}.t.turn.=", b"")
    assert not await yard.purging().is_in_hand(SESSION, None, T)


@pytest.mark.parametrize("session", ["*", ">", "s1.>", "", "=41", "s1.*", "s 1"])
async def test_no_wildcard_ever_reaches_a_purge(session: str) -> None:
    yard = Graveyard()
    for subject in subjects_of(SESSION):
        yard.publish(subject, b"x")
    for ask in (yard.purging().ends(session, None), yard.purging().purge(session, None, yard.now)):
        with pytest.raises(InvalidInput):
            await ask
    for result in ("*", ">", f"*-{'0' * 32}", f"c.>-{'0' * 32}"):
        with pytest.raises(InvalidInput):
            await yard.purging().purge(SESSION, result, yard.now)
        with pytest.raises(InvalidInput):
            await yard.purging().is_in_hand(SESSION, result, yard.now)
    assert yard.kept() == set(subjects_of(SESSION))
