"""A model that knows its tools' definitions alone, and what they answer, finds what it is asked for."""

import json
import re
from typing import Any

import coatcheck
from coatcheck.tools import definitions

NEEDLE = "the password of the vault is 長9f3"
LINES = [f"第 {number} 行: nothing to see here, move along" for number in range(120_000)]
LINES[87_654] = f"第 87654 行: {NEEDLE}"
HAYSTACK = "\n".join(LINES)
SESSION = "thread:42/a b"


class Model:
    """A scripted one: it gives arguments as JSON, strict as OpenAI has it, and sees texts alone."""

    def __init__(self, client: coatcheck.Client) -> None:
        self.client = client
        self.schemas = {
            made["function"]["name"]: made["function"]["parameters"] for made in definitions(format="openai")
        }
        self.answers: list[coatcheck.ToolAnswer] = []

    async def call(self, name: str, **arguments: Any) -> str:
        properties = self.schemas[name]["properties"]
        assert set(arguments) <= set(properties)
        whole = dict.fromkeys(properties) | arguments
        answer = await self.client.call_tool(SESSION, name, json.dumps(whole))
        assert not answer.is_error, answer.text
        self.answers.append(answer)
        return answer.text


async def test_a_needle_in_5_mb_is_found_by_the_stub_and_the_tools_alone(client: coatcheck.Client) -> None:
    event = await client.submit(SESSION, HAYSTACK, tool_name="grep_logs", call="call_1")
    stub = str(event.content)
    assert NEEDLE not in stub
    model = Model(client)
    search, read, listing = (
        next(name for name in model.schemas if name.endswith(f"_{verb}")) for verb in ("search", "read", "list")
    )
    assert all(name in stub for name in (search, read, listing))

    listed = await model.call(listing)
    ref = str(re.search(r"coat://\S+", listed)[0])  # type: ignore[index]
    assert ref == event.ref
    found = await model.call(search, query=r"password .* vault", regex=True, ref=f"'{ref}'.", context_chars=0)
    offset = int(re.search(r"line 87654 offset (\d+) length", found)[1])  # type: ignore[index]
    assert NEEDLE in await model.call(read, ref=ref, offset=offset - 20, limit=80)
    page = await model.call(read, ref=ref, unit="lines", offset=87_600, limit=200)
    assert NEEDLE in page

    again = await client.submit(SESSION, page, tool_name=read, source_ref=model.answers[-1].source_ref, turn="t2")
    assert (again.disposition, again.reason, again.content) == ("inline", "source_read", page)


async def test_a_model_notes_what_it_found_in_a_file_and_mends_it(client: coatcheck.Client) -> None:
    event = await client.submit(SESSION, HAYSTACK, tool_name="grep_logs", call="call_1")
    model = Model(client)
    listed = await model.call("ls", path="/large_tool_result")
    assert "/large_tool_result/call_1 (" in listed
    found = await model.call("grep", pattern="password .* vault", path="/large_tool_result/call_1")
    number = int(re.search(r"^(\d+):.*長9f3$", found, re.MULTILINE)[1])  # type: ignore[index]
    assert number == 87_655
    line = await model.call("read_file", path="/large_tool_result/call_1", offset=number - 1, limit=1)
    assert line.endswith(f"\n第 87654 行: {NEEDLE}\n")
    source = model.answers[-1].source_ref
    read = await client.submit(SESSION, line, tool_name="read_file", source_ref=source, turn="t2")
    assert (read.disposition, read.reason, read.ref) == ("inline", "source_read", event.ref)

    await model.call("write_file", path="notes/found.md", content=f"# Found\n{NEEDLE} (line {number - 1})\n")
    await model.call("edit_file", path="/notes/found.md", old_string=f"line {number - 1}", new_string=f"line {number}")
    assert "/notes/found.md (" in await model.call("glob", pattern="**/*.md")
    assert (await model.call("read_file", path="/notes/found.md")).endswith(f"\n# Found\n{NEEDLE} (line {number})\n")
    whole = await model.call("read_file", path=f"/large_tool_result/{event.result_id}", limit=3)
    assert (whole.count("\n"), model.answers[-1].source_ref) == (4, event.ref)
