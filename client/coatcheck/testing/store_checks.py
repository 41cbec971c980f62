"""The suite that any `coatcheck_schemas.store.Store` must pass: async functions that take a store and assert.

Each keeps to keys of its own, so that all of them can run on one store, also at once.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from coatcheck_schemas.errors import ObjectExists, ObjectNotFound, StoreUnavailable
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.store import Store

from .expecting import below, expect, must_raise, same
from .stream_checks import STREAM_CHECKS

MANY = 1100
"""More than one page of an S3 listing."""

HOSTILE_IDS = (
    "",
    ".",
    "..",
    "a.b",
    "thread:42/a b",
    "*",
    ">",
    "=",
    "%2F",
    "\x00\n",
    "é",
    "搜索",
    "A" * 1400,
    "a" * 79 + "/",
)


async def puts_and_gets_whole(store: Store) -> None:
    """An object comes back byte for byte, also one that is no text."""
    key = f"{below()}object"
    data = bytes(range(256)) * 300
    await store.put(key, data)
    same(await store.get(key), data)


async def keeps_an_empty_object(store: Store) -> None:
    key = f"{below()}empty"
    await store.put(key, b"")
    same(await store.get(key), b"")
    same(await store.get_range(key, 0, 10), b"")


async def overwrites(store: Store) -> None:
    key = f"{below()}object"
    await store.put(key, b"the first, which is longer")
    await store.put(key, b"the second")
    same(await store.get(key), b"the second")


async def refuses_a_taken_key_exclusively(store: Store) -> None:
    """And changes nothing; an empty object takes its key too."""
    here = below()
    for name, data in (("full", b"first"), ("empty", b"")):
        await store.put(f"{here}{name}", data, exclusive=True)
        await must_raise(ObjectExists, store.put(f"{here}{name}", b"second", exclusive=True))
        same(await store.get(f"{here}{name}"), data)


async def one_of_racing_exclusive_puts_wins(store: Store) -> None:
    """A store that is slow over a race may give one up as unavailable: then whether it went through is unknown."""
    key = f"{below()}raced"
    datas = [b"%d" % racer * 1000 for racer in range(4)]
    outcomes = await asyncio.gather(*(_wins(store, key, data) for data in datas))
    expect(outcomes.count(True) <= 1, f"{outcomes.count(True)} exclusive puts of one key went through")
    expect(None in outcomes or True in outcomes, "no exclusive put of a free key went through")
    kept = await store.get(key)
    expect(kept in datas, "what several writers put is mixed")
    if True in outcomes:
        same(kept, datas[outcomes.index(True)])


async def concurrent_puts_leave_one_of_them_whole(store: Store) -> None:
    key = f"{below()}shared"
    datas = [bytes([65 + writer]) * (1000 + writer) for writer in range(8)]
    await asyncio.gather(*(store.put(key, data) for data in datas))
    expect(await store.get(key) in datas, "what two writers put is mixed")


async def concurrent_puts_of_many_keys_all_arrive(store: Store) -> None:
    here = below()
    keys = [f"{here}{number}" for number in range(50)]
    await asyncio.gather(*(store.put(key, key.encode()) for key in keys))
    same(await asyncio.gather(*(store.get(key) for key in keys)), [key.encode() for key in keys])


async def gets_ranges(store: Store) -> None:
    """`end` is exclusive; a range is cut at the object's end and empty past it."""
    key = f"{below()}digits"
    await store.put(key, b"0123456789")
    wanted = {(0, 10): b"0123456789", (0, 1): b"0", (3, 7): b"3456", (9, 10): b"9", (4, 4): b"", (0, 0): b""}
    wanted |= {(8, 99): b"89", (0, 10**9): b"0123456789", (10, 20): b"", (99, 100): b"", (10, 10): b""}
    for (start, end), data in wanted.items():
        got = await store.get_range(key, start, end)
        expect(got == data, f"bytes {start} to {end} of 0123456789 are {data!r}, not {got!r}")


async def says_that_an_object_is_missing(store: Store) -> None:
    """Also a range of it, an empty range too, and a key that others begin with."""
    here = below()
    await store.put(f"{here}there/output", b"x")
    for key in (f"{here}not-there", f"{here}there"):
        await must_raise(ObjectNotFound, store.get(key))
        await must_raise(ObjectNotFound, store.get_range(key, 0, 1))
        await must_raise(ObjectNotFound, store.get_range(key, 0, 0))


async def deletes_once_and_again(store: Store) -> None:
    here = below()
    key = f"{here}object"
    await store.put(key, b"x")
    await store.delete(key)
    await must_raise(ObjectNotFound, store.get(key))
    same(await _keys(store.list(here)), [])
    await store.delete(key)
    await store.delete(f"{here}never-was")
    await store.put(key, b"again", exclusive=True)
    same(await store.get(key), b"again")


async def takes_every_segment_as_a_key(store: Store) -> None:
    """Whatever an id holds, its segment is a piece of a key: `=2E`, `==`, a lone `=`."""
    here = below()
    segments = [encode_segment(identifier) for identifier in HOSTILE_IDS]
    for segment in segments:
        await store.put(f"{here}{segment}/output", segment.encode())
    for segment in segments:
        same(await store.get(f"{here}{segment}/output"), segment.encode())
    listed = await _keys(store.list(here))
    same(sorted(listed), sorted(f"{here}{segment}/output" for segment in segments))


async def keeps_upper_and_lower_case_apart(store: Store) -> None:
    here = below()
    await store.put(f"{here}key", b"lower")
    await store.put(f"{here}KEY", b"upper")
    same([await store.get(f"{here}key"), await store.get(f"{here}KEY")], [b"lower", b"upper"])


async def lists_in_the_order_of_bytes(store: Store) -> None:
    """Within one folder, and not as a person sorts: `10` before `9`, capitals before small letters."""
    here = below()
    names = ["a-b", "a.b", "a0", "A", "Z", "_", "=2E", "==", "b", "10", "9"]
    await asyncio.gather(*(store.put(f"{here}{name}", b"") for name in names))
    same(await _keys(store.list(here)), [f"{here}{name}" for name in sorted(names)])


async def lists_what_is_nested(store: Store) -> None:
    """Every key however deep, once; servers that keep folders differ in where they put one among its neighbours."""
    here = below()
    keys = {f"{here}{name}" for name in ("a-b", "a/b/c", "a/b/d", "a0", "a/e")}
    await asyncio.gather(*(store.put(key, b"") for key in keys))
    listed = await _keys(store.list(here))
    same(sorted(listed), sorted(keys))


async def lists_only_below_its_prefix(store: Store) -> None:
    root = below()
    for key in ("s1/a", "s1/b", "s10/a", "s/a", "s1-x"):
        await store.put(f"{root}{key}", b"")
    same(await _keys(store.list(f"{root}s1/")), [f"{root}s1/a", f"{root}s1/b"])
    same(await _keys(store.list(f"{root}nothing/")), [])


async def lists_after_a_key(store: Store) -> None:
    """`after` is exclusive, and need not exist."""
    here = below()
    keys = [f"{here}{number:02d}" for number in range(0, 20, 2)]
    await asyncio.gather(*(store.put(key, b"") for key in keys))
    same(await _keys(store.list(here, after=keys[3])), keys[4:])
    same(await _keys(store.list(here, after=f"{here}07")), keys[4:])
    same(await _keys(store.list(here, after=keys[-1])), [])
    same(await _keys(store.list(here, after=f"{here}~")), [])
    same(await _keys(store.list(here, after="!")), keys)


async def lists_more_than_a_page(store: Store) -> None:
    """1,100 keys, all of them, in order; a reader that stops early costs nothing but what it read."""
    here = below()
    keys = [f"{here}{number:04d}" for number in range(MANY)]
    for start in range(0, MANY, 50):
        await asyncio.gather(*(store.put(key, b"") for key in keys[start : start + 50]))
    same(await _keys(store.list(here)), keys)
    same(await _keys(store.list(here, after=keys[MANY // 2])), keys[MANY // 2 + 1 :])
    seen: list[str] = []
    async for key in store.list(here):
        seen.append(key)
        if len(seen) == 3:
            break
    same(seen, keys[:3])


async def answers_its_check(store: Store) -> None:
    await store.check()


async def names_an_object(store: Store) -> None:
    """By a URI that ends in the key."""
    key = f"{below()}object"
    scheme, separator, rest = store.uri(key).partition("://")
    expect(bool(scheme and separator) and rest.endswith(f"/{key}"), f"{store.uri(key)!r} is no URI of {key!r}")


STORE_CHECKS: tuple[Callable[[Store], Awaitable[None]], ...] = (
    puts_and_gets_whole,
    keeps_an_empty_object,
    overwrites,
    refuses_a_taken_key_exclusively,
    one_of_racing_exclusive_puts_wins,
    concurrent_puts_leave_one_of_them_whole,
    concurrent_puts_of_many_keys_all_arrive,
    gets_ranges,
    says_that_an_object_is_missing,
    deletes_once_and_again,
    takes_every_segment_as_a_key,
    keeps_upper_and_lower_case_apart,
    lists_in_the_order_of_bytes,
    lists_what_is_nested,
    lists_only_below_its_prefix,
    lists_after_a_key,
    lists_more_than_a_page,
    answers_its_check,
    names_an_object,
    *STREAM_CHECKS,
)
"""Every check, each to be awaited with a store; its name says the behaviour, AssertionError that it is missing."""


async def check_store(make_store: Callable[[], Store]) -> None:
    """Run every check, each on a store of its own; the first that fails says which it is."""
    for check in STORE_CHECKS:
        try:
            await check(make_store())
        except AssertionError as error:
            raise AssertionError(f"{check.__name__}: {error}") from error


async def _keys(listing: AsyncIterator[str]) -> list[str]:
    return [key async for key in listing]


async def _wins(store: Store, key: str, data: bytes) -> bool | None:
    """Whether the exclusive put went through; None where the store did not say."""
    try:
        await store.put(key, data, exclusive=True)
    except ObjectExists:
        return False
    except StoreUnavailable:
        return None
    return True
