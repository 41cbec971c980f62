"""What deleting frees in storage: all of what was deleted, nothing of what is younger, and nobody else's."""

from datetime import timedelta

import msgspec
import pytest
from tests.support.meddling import MeddlingStore
from tests.support.originals import BEGIN, Large, Shelf

from coatcheck_schemas.keys import Keys, TimeEntry, turn_hash
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.times import from_milliseconds
from coatcheck_workers.deleting import erasing
from coatcheck_workers.deleting.erasing import Erasing
from coatcheck_workers.deleting.stored import StoredTombstones

T = from_milliseconds(BEGIN + 500_000)
LATER = BEGIN + 600_000
MILLISECOND = timedelta(milliseconds=1)
SESSION = "s1"
NEIGHBOURS = ("s", "s1=2Eb", "s1-", "s10")


@pytest.fixture(params=["", "some/prefix"])
def shelf(request: pytest.FixtureRequest) -> Shelf:
    return Shelf(prefix=request.param)


def erasing_of(shelf: Shelf) -> Erasing:
    return Erasing(shelf.store, shelf.keys)


async def keys_of(shelf: Shelf) -> set[str]:
    return {key async for key in shelf.store.list(f"{shelf.keys.prefix}/v1/".lstrip("/"))}


async def fill(shelf: Shelf, session: str = SESSION) -> str:
    """A large result with parts that came in two turns, and its link; its id."""
    ref = await shelf.keep(
        "text " * 1000,
        session=session,
        milliseconds=BEGIN,
        large=Large(compression="none"),
        bodies={0: b"image", 12: b"sound"},
    )
    rid = ref.rpartition("/")[2]
    await shelf.enter(session, rid, "t2", BEGIN + 1000)
    await shelf.store.put(shelf.keys.link(session, f"{rid}.20261130"), b"copy")
    await shelf.store.put(shelf.keys.link(session, f"{rid}.12.20261130"), b"copy")
    return rid


async def move_output(shelf: Shelf, rid: str, name: str) -> None:
    """As a layout of one's own has it."""
    key, target = shelf.keys.metadata(SESSION, rid), f"{shelf.keys.session(SESSION)}{name}"
    metadata = msgspec.json.decode(await shelf.store.get(key), type=Metadata)
    await shelf.store.put(key, msgspec.json.encode(msgspec.structs.replace(metadata, output_key=target)))
    await shelf.store.copy(shelf.keys.output(SESSION, rid), target)
    await shelf.store.delete(shelf.keys.output(SESSION, rid))


async def test_of_a_deleted_result_nothing_is_left(shelf: Shelf) -> None:
    rid = await fill(shelf)
    await move_output(shelf, rid, f"kubectl/2026/{rid}.json")
    await erasing_of(shelf).result(SESSION, rid, T)
    await erasing_of(shelf).entries(SESSION, rid, T)
    assert await keys_of(shelf) == set()


async def test_of_a_deleted_result_all_others_stay(shelf: Shelf) -> None:
    await shelf.keep("other", milliseconds=BEGIN)
    await shelf.keep("text", call="call_1-", milliseconds=BEGIN)
    for session in NEIGHBOURS:
        await fill(shelf, session)
    others = await keys_of(shelf)
    rid = await fill(shelf)
    await shelf.store.put(shelf.keys.link(SESSION, f"{rid}-{'0' * 32}.20261130"), b"of another")
    others.add(shelf.keys.link(SESSION, f"{rid}-{'0' * 32}.20261130"))
    await erasing_of(shelf).result(SESSION, rid, T)
    await erasing_of(shelf).entries(SESSION, rid, T)
    assert await keys_of(shelf) == others


async def test_a_result_that_came_again_after_its_deletion_stays(shelf: Shelf) -> None:
    ref = await shelf.keep("text", milliseconds=LATER)
    there = await keys_of(shelf)
    await erasing_of(shelf).result(SESSION, ref.rpartition("/")[2], T)
    await erasing_of(shelf).entries(SESSION, ref.rpartition("/")[2], T)
    assert await keys_of(shelf) == there


async def test_a_result_of_which_the_metadata_is_damaged_goes_as_well(shelf: Shelf) -> None:
    rid = await fill(shelf)
    await shelf.store.put(shelf.keys.metadata(SESSION, rid), b"{")
    await erasing_of(shelf).result(SESSION, rid, T)
    await erasing_of(shelf).entries(SESSION, rid, T)
    assert await keys_of(shelf) == set()


async def test_of_a_deleted_session_nothing_is_left_and_nobody_else_is_touched(shelf: Shelf) -> None:
    for session in NEIGHBOURS:
        await fill(shelf, session)
        await shelf.store.put(shelf.keys.upload(session, "put-1"), b"put")
    others = await keys_of(shelf)
    await fill_whole(shelf)
    await erasing_of(shelf).passing(SESSION, puts=True)
    await erasing_of(shelf).session(SESSION, T)
    assert await keys_of(shelf) == others


async def fill_whole(shelf: Shelf) -> None:
    """Of all kinds, also what a crash has left."""
    keys = shelf.keys
    rid = await fill(shelf)
    await move_output(shelf, rid, f"2026/{rid}")
    await shelf.store.put(keys.output(SESSION, f"call_2-{'0' * 32}"), b"without metadata")
    await shelf.enter(SESSION, f"call_3-{'0' * 32}", "t", BEGIN)
    await shelf.store.put(keys.dead_letter(SESSION, "COAT_RESULTS-1"), b"letter")
    await shelf.store.put(keys.incoming(SESSION, "t", "c", "u"), b"incoming")
    await shelf.store.put(keys.upload(SESSION, "put-1"), b"put")
    await shelf.store.put(keys.taken(SESSION, "put-1"), b"note")
    await shelf.store.put(f"{keys.session(SESSION)}by-time/nonsense", b"")
    await shelf.store.put(f"{keys.session(SESSION)}anything/else", b"")


async def test_what_a_session_has_got_after_its_deletion_stays(shelf: Shelf) -> None:
    ref = await shelf.keep("new", milliseconds=LATER, bodies={0: b"part"})
    rid = ref.rpartition("/")[2]
    await move_output(shelf, rid, f"text/{rid}.txt")
    new = await keys_of(shelf)
    await fill_whole(shelf)
    await erasing_of(shelf).passing(SESSION, puts=True)
    await erasing_of(shelf).session(SESSION, T)
    assert await keys_of(shelf) == new
    assert (await shelf.ok("read", ref=ref))["content"] == "new"


async def test_bodies_of_messages_that_name_no_session_stay_where_one_without_an_id_is_deleted(shelf: Shelf) -> None:
    await shelf.store.put(shelf.keys.dead_letter("=", "COAT_RESULTS-1"), b"body")
    await shelf.keep("text", session="=")
    await erasing_of(shelf).session("=", T)
    assert await keys_of(shelf) == {shelf.keys.dead_letter("=", "COAT_RESULTS-1")}


async def test_what_was_put_stays_where_nobody_knows_of_which_life_it_is(shelf: Shelf) -> None:
    await shelf.store.put(shelf.keys.upload(SESSION, "put-1"), b"put")
    await erasing_of(shelf).passing(SESSION, puts=False)
    assert await keys_of(shelf) == {shelf.keys.upload(SESSION, "put-1")}


@pytest.mark.parametrize("page", [1, 2, 3, 1000])
async def test_pages_of_any_size_leave_nothing(monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    monkeypatch.setattr(erasing, "PAGE", page)
    shelf = Shelf()
    await fill_whole(shelf)
    await erasing_of(shelf).session(SESSION, T)
    assert not [key for key in await keys_of(shelf) if key.startswith(shelf.keys.session(SESSION))]


async def test_results_are_counted_once_and_only_those_from_before(shelf: Shelf) -> None:
    await fill(shelf)
    await shelf.keep("second", milliseconds=BEGIN + 2000)
    await shelf.keep("at the moment", milliseconds=BEGIN + 500_000)
    await shelf.keep("new", milliseconds=LATER)
    assert await erasing_of(shelf).count(SESSION, T) == 3
    assert await erasing_of(shelf).count("s9", T) == 0


async def test_a_note_tells_the_later_of_session_and_result(shelf: Shelf) -> None:
    notes, rid = StoredTombstones(shelf.store, shelf.keys), f"call_1-{'0' * 32}"
    assert await notes.deleted_at(SESSION, rid) is None
    await notes.put(SESSION, rid, T)
    assert (await notes.deleted_at(SESSION, rid), await notes.deleted_at(SESSION)) == (T, None)
    await notes.put(SESSION, None, T + MILLISECOND)
    assert await notes.deleted_at(SESSION, rid) == T + MILLISECOND
    assert await notes.deleted_at("s1-", rid) is None


def test_notes_lie_beside_the_sessions_not_below() -> None:
    keys = Keys("p")
    assert not keys.deleted(SESSION).startswith(keys.session(SESSION))


async def full_session() -> tuple[Shelf, MeddlingStore, list[str]]:
    """Forty results, a second apart; their ids."""
    store = MeddlingStore()
    shelf = Shelf(store=store)
    refs = [await shelf.keep(f"text {n}", call=f"c{n}", milliseconds=BEGIN + 1000 * n) for n in range(40)]
    store.listed.clear()
    return shelf, store, [ref.rpartition("/")[2] for ref in refs]


def entries_listed(store: MeddlingStore) -> int:
    return sum("/by-time/" in key for key in store.listed)


async def test_places_of_one_result_are_looked_for_from_its_time_on_and_not_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(erasing, "MOST_LISTED", 5)
    shelf, store, rids = await full_session()
    await shelf.enter(SESSION, rids[20], "again", BEGIN + 22_500)
    since = await erasing_of(shelf).result(SESSION, rids[20], T)
    assert since == BEGIN + 20_000
    await erasing_of(shelf).entries(SESSION, rids[20], T, (), since)
    assert entries_listed(store) == 6
    assert not [key for key in await keys_of(shelf) if rids[20] in key]


async def test_places_that_are_known_go_however_far_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "MOST_LISTED", 5)
    shelf, store, rids = await full_session()
    again, later = (TimeEntry(BEGIN + at, turn_hash("again"), rids[3]) for at in (39_500, 600_000))
    for entry in (again, later):
        await shelf.enter(SESSION, rids[3], "again", entry.milliseconds)
    await erasing_of(shelf).entries(SESSION, rids[3], T, (again, later), BEGIN + 3000)
    assert entries_listed(store) == 6
    left = [key for key in await keys_of(shelf) if "/by-time/" in key and rids[3] in key]
    assert left == [shelf.keys.time_entry(SESSION, later)]


async def test_of_a_result_of_which_nothing_is_known_all_places_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "MOST_LISTED", 5)
    shelf, store, rids = await full_session()
    await erasing_of(shelf).entries(SESSION, rids[39], T)
    assert entries_listed(store) == 40
    assert not [key for key in await keys_of(shelf) if "/by-time/" in key and rids[39] in key]


async def test_a_count_remembers_no_more_than_the_last_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "MOST_TOLD_APART", 2)
    shelf = Shelf()
    near = (await shelf.keep("near", call="c1", milliseconds=BEGIN)).rpartition("/")[2]
    await shelf.enter(SESSION, near, "t2", BEGIN + 1)
    for number in range(2, 5):
        await shelf.keep("text", call=f"c{number}", milliseconds=BEGIN + number)
    await shelf.enter(SESSION, near, "t3", BEGIN + 9)
    assert await erasing_of(shelf).count(SESSION, T) == 5
