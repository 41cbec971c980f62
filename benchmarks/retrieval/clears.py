"""A conversation cleared over the wire, as sizes alone, beside the pure function and the transport of as many bytes."""

import time

import msgspec
import nats
from nats.aio.msg import Msg

from benchmarks.clearing import conversation
from benchmarks.deployment import Servers, consumer
from benchmarks.retrieval.asking import Asking
from benchmarks.retrieval.keeping import SESSION, deployment
from benchmarks.rows import Pair, Row, compared
from coatcheck_core.clearing import Rules, clear, light_of

TIMES, QUICK_TIMES = 40, 10
_WARMING = 3


async def clears(on: Servers, quick: bool) -> list[Row]:
    light = light_of(conversation())
    body = msgspec.json.encode({"messages": light})
    async with deployment(on) as one, consumer(on, "ours", "requests", one.settings):
        asking = Asking(one.client, one.prefix)
        echo = await nats.connect(on.nats.url)
        try:
            subject = f"{one.prefix}.floor.echo"
            await echo.subscribe(subject, cb=_echo)
            await echo.flush()
            pairs = [
                await _pair(asking, subject, light, body) for _ in range(_WARMING + (QUICK_TIMES if quick else TIMES))
            ]
        finally:
            await echo.close()
    figure = f"clear 2,000 light messages over the wire ({len(body) // 1000} kB), beside function and transport"
    return [compared(figure, "ms", pairs[_WARMING:], "<= 3")]


async def _pair(asking: Asking, subject: str, light: list[dict[str, object]], body: bytes) -> Pair:
    ours, reply = await asking.ours("clear", SESSION, messages=light)
    began = time.perf_counter()
    await asking.client.request(subject, body, timeout=30)
    expected = clear(light, Rules())
    floor = time.perf_counter() - began
    if reply["tokens_after"] != expected.tokens_after or not expected.cleared:
        raise RuntimeError(
            f"the worker cleared to {reply['tokens_after']} tokens, the function {expected.tokens_after}"
        )
    return ours, floor


async def _echo(message: Msg) -> None:
    await message.respond(message.data)
