"""A worker process logs one JSON object a line, with what each is about."""

from pathlib import Path
from typing import Any

import msgspec
from tests.support.agents import agent
from tests.support.ports import reserved_port
from tests.support.workers import worker_process

from coatcheck_core.settings import Settings
from coatcheck_core.settings.operating import LogsSettings, TracingSettings

TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


async def test_a_dead_letter_s_line_names_its_call_and_its_trace(
    deployment: Settings, tmp_path: Path, monkeypatch: Any
) -> None:
    """Its spans go nowhere, since nobody listens there: that neither stops its work nor holds up its end."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{reserved_port()}")
    settings = msgspec.structs.replace(
        deployment, logs=LogsSettings(format="json"), tracing=TracingSettings(enabled=True)
    )
    async with worker_process(settings, tmp_path) as worker, agent(settings, "a/session\nof two lines") as it:
        subject = it.subjects.results(it.address("call 1", "turn"))
        await it.publish_raw(subject, b"not json", {"traceparent": TRACEPARENT})
        await it.stub("call 1", "turn")
        assert await worker.terminate() == 0
    lines = [msgspec.json.decode(line) for line in worker.text().splitlines()]
    (line,) = [line for line in lines if line["message"].startswith("dead letter")]
    assert {name: line[name] for name in ("level", "session", "turn", "call", "trace_id")} == {
        "level": "error",
        "session": "a/session\\nof two lines",
        "turn": "turn",
        "call": "call 1",
        "trace_id": TRACEPARENT[3:35],
    }
