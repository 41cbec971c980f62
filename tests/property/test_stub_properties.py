"""Whatever the result and the settings: the cap holds, the header stands, no line is forged."""

import re

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_core.settings.model import RetrievalSettings, StubSettings
from coatcheck_core.stub import StubSubject, render_stub, shortest_stub
from coatcheck_core.stub.escaping import escape, escaped_head, escaped_tail, one_line
from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.events import Part

REF = "coat://session/call-0a1b2c3d4e5f60718293a4b5c6d7e8f9"
SECTIONS = {
    *("Synopsis:", "Structure:", "Notable items:", "Sample:", "Explore:"),
    *("概要:", "结构:", "要点:", "样本:", "查看原文:"),
}
NASTY = st.text(st.sampled_from('a1 \n\r\t{}[]":,-<>#=\\\x00\x1b\x85\u2028\u202e\u200b\ufeffé漢😀'), max_size=300)
JSONISH = st.dictionaries(NASTY, st.dictionaries(NASTY, NASTY | st.integers(), max_size=12) | NASTY, max_size=14).map(
    lambda document: msgspec.json.encode(document)
)
TABLES = st.lists(NASTY, min_size=2, max_size=50).map(
    lambda cells: ("\t".join(cells) + "\n" + "\t".join(cells)).encode()
)
TEXTS = st.lists(st.sampled_from(["## A\n\n", "exit code 1\n", "ref: x\n", "Explore:\n"]) | NASTY, max_size=80).map(
    lambda pieces: "".join(pieces).encode()
)
DATA = st.binary(max_size=3000) | JSONISH | TABLES | TEXTS | NASTY.map(str.encode)
PARTS = st.none() | st.lists(
    st.builds(
        Part, index=st.integers(0, 99), type=NASTY, ref=st.just(REF) | st.none(), mime_type=NASTY, bytes=st.integers(0)
    ),
    max_size=15,
)
STUBS = st.builds(
    StubSettings,
    preview_chars=st.integers(0, 5000),
    max_chars=st.integers(500, 8000),
    language=st.sampled_from(["en", "zh"]),
)
TOOLS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=200)
NAMES = st.builds(RetrievalSettings, read_tool=TOOLS, search_tool=TOOLS, list_tool=TOOLS) | st.just(RetrievalSettings())


@st.composite
def subjects(draw: st.DrawFn) -> StubSubject:
    data = draw(DATA)
    try:
        text: str | None = data.decode()
    except UnicodeDecodeError:
        text = None
    return StubSubject(
        tool_name=draw(NASTY),
        ref=REF,
        sha256="0a1b" * 16,
        reason="single_threshold",
        original_chars=None if text is None else len(text),
        original_bytes=len(data),
        data=data,
        synopsis=synopsize(data, draw(st.sampled_from([None, "application/json"]))),
        retrieval=draw(st.booleans()),
        parts=draw(PARTS),
        is_error=draw(st.booleans()),
    )


@given(subjects(), STUBS, NAMES)
@settings(max_examples=200, deadline=None)
def test_a_stub_keeps_its_cap_its_header_and_its_lines(
    subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings
) -> None:
    text = render_stub(subject, stub, retrieval)
    assert len(text) <= stub.max_chars
    assert render_stub(subject, stub, retrieval) == text
    lines = text.split("\n")
    assert lines == text.splitlines()
    fields = [line.partition(":")[0] for line in lines[1:8]]
    size = "original_bytes" if subject.original_chars is None else "original_chars"
    assert fields == ["tool_name", "kind", size, "preview_chars", "ref", "sha256", "reason"]
    assert lines[5] == f"ref: {REF}"
    for line in lines[8:]:
        said = line.startswith(("- ", "  ", "Left out for length: ", "因长度限制省略："))
        assert line == "" or line in SECTIONS or said
    assert sum(line in ("Explore:", "查看原文:") for line in lines) <= subject.retrieval


@given(NASTY, st.integers(0, 400))
@settings(max_examples=120, deadline=None)
def test_cut_values_fit_their_limit_and_are_cut_between_chars(text: str, limit: int) -> None:
    whole = escape(text)
    (head, head_count), (tail, tail_count) = escaped_head(text, limit), escaped_tail(text, limit)
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert (head, tail) == (escape(text[:head_count]), escape(text[len(text) - tail_count :]))
    assert max(len(head), len(tail)) <= limit
    if limit:
        assert len(one_line(text, limit)) <= limit


@given(subjects(), STUBS, st.integers(0, 30), st.integers(1, 300), NAMES)
@settings(max_examples=120, deadline=None)
def test_a_stub_of_lines_keeps_its_cap_its_frame_and_its_lines(
    subject: StubSubject, stub: StubSettings, lines: int, line_chars: int, retrieval: RetrievalSettings
) -> None:
    subject = msgspec.structs.replace(subject, call_id=subject.tool_name)
    stub = msgspec.structs.replace(stub, style="lines", lines=lines, line_chars=line_chars)
    text = render_stub(subject, stub, retrieval)
    assert len(text) <= stub.max_chars
    assert text.startswith(shortest_stub(subject, stub, retrieval))
    own = text.split("\n")
    assert own == text.splitlines()
    assert "Tool result too large" in own[0]
    assert own[1] == f"ref: {REF}"
    after = own[3:] if subject.retrieval and retrieval.read_tool and len(own) > 2 and own[2] else own[2:]
    numbered = [line for line in after if re.match(r" {0,5}\d{1,6}  ", line)]
    said = ("- ", "  0", "First ", "first ", "共 ", "前 ")
    assert all(line == "" or line in numbered or line.startswith(said) for line in after)
    shown = subject.data.decode().split("\n")[: len(numbered)] if subject.is_text else []
    for number, (line, whole) in enumerate(zip(numbered, shown, strict=True), 1):
        assert line[:8] == f"{number:>6}  "
        assert len(line) - 8 <= line_chars
        assert line[8:] == escape(whole) or line.endswith("…")
