"""Old results are cleared over real servers, and read back by what stands in their place."""

import json
import re
from pathlib import Path
from typing import Any

from tests.support.commands import Command, configured
from tests.support.conversations import SHAPES, Say, rounds
from tests.support.workers import worker_here

import coatcheck
from coatcheck_core.settings import Settings

SESSION = "thread:42/a b"
RULES: dict[str, Any] = {"clearing_token_threshold": 1000, "keep_recent_tokens": 500}


async def test_what_is_cleared_is_read_back_and_never_cleared_again(deployment: Settings) -> None:
    messages = SHAPES["chat"]([*rounds(20, size=4000), Say("user", "and now?")])
    async with (
        worker_here(deployment),
        coatcheck.connect(deployment.nats.url, prefix=deployment.nats.prefix) as client,
    ):
        first = await client.submit(SESSION, messages[2]["content"], tool_name="bash", call="call_0")
        assert first.disposition == "inline"
        got = await client.clear(SESSION, messages, **RULES)
        assert len(got.cleared) == 19
        for item in got.cleared:
            ref = re.findall(r"^ref: (\S+)$", got.messages[item.index]["content"], re.MULTILINE)
            assert ref == [item.ref]
            assert (await client.read(SESSION, item.ref, limit=-1)).content == messages[item.index]["content"]
        again = await client.clear(SESSION, got.messages, **RULES)
        assert (again.messages, again.cleared) == (got.messages, [])
        assert len([one async for one in client.results(SESSION)]) == 19


async def test_what_one_message_does_not_carry_is_stored_before_it_is_cleared(deployment: Settings) -> None:
    messages = SHAPES["chat"]([*rounds(20, size=80_000), Say("user", "and now?")])
    messages[4]["content"] = "more than one message carries\n" * 50_000
    async with (
        worker_here(deployment),
        coatcheck.connect(deployment.nats.url, prefix=deployment.nats.prefix) as client,
    ):
        got = await client.clear(SESSION, messages, **RULES)
        assert (len(got.cleared), got.offloaded) == (19, True)
        for item in got.cleared:
            pages = [page.content async for page in client.pages(SESSION, str(item.ref), limit=-1)]
            assert "".join(pages) == messages[item.index]["content"]
        again = await client.clear(SESSION, got.messages, **RULES)
        assert (again.messages, again.cleared) == (got.messages, [])
        assert (await client.clear(SESSION, messages, **RULES)).messages == got.messages


async def test_the_command_stores_what_it_clears(deployment: Settings, tmp_path: Path) -> None:
    messages = SHAPES["anthropic"]([*rounds(3, size=4000), Say("user", "and now?")])
    (tmp_path / "messages.json").write_text(json.dumps(messages))
    command = Command(configured(deployment, tmp_path), tmp_path)
    rules = ("--clearing-token-threshold", "1000", "--keep-recent-tokens", "500")
    async with worker_here(deployment):
        done = await command.here("clear", str(tmp_path / "messages.json"), "--json", *rules)
        assert done.code == 0, done.err
        reply = json.loads(done.text)
        assert [item["call_id"] for item in reply["cleared"]] == ["call_0", "call_1"]
        read = await command.here("read", reply["cleared"][1]["ref"], "--limit", "-1")
        assert read.text == messages[4]["content"][0]["content"]
