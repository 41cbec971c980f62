"""What the fuzzer mutates: every hostile input and document at two sizes, and texts of the labelled corpus."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from accuracy.corpus import FOLDER, data_of, load
from tests.support.hostile import HOSTILE
from tests.support.hostile.documents import DOCUMENTS

ANY_MIME_TYPE = b" "
SIZES = (120, 1500)
MOST_BYTES = 4000
MOST_TEXTS = 300
WORDS = (
    *("{", "}", "[", "]", '"', ":", ",", "'", "\\", "null", "true", "NaN", "\\ud800", "\\u0000", '{"a": 1}\n', "1e9"),
    *("<a>", "</a>", "<a/>", "<!--", "-->", "<![CDATA[", "]]>", "<!DOCTYPE a [", "]>", "<?x ", "?>", "&x;", "&#0;"),
    *('xmlns:a="b"', "<html>", "<title>", "<h1>", "---\n", "...\n", "- ", "? ", "key: ", "&a ", "*a", "<<: ", "!!a "),
    *("|\n", ">-\n", "%YAML 1.2\n", "\t", "\r", "\r\n", "\n\n", '""', '",\n"', "a,b\n1,2\n", "a\tb\n1\t2\n", "|", ";"),
    *(
        "\x1b[",
        "\x1b]0;",
        "\x07",
        "\x1b\\",
        "\x1b[0m",
        "\b",
        "\ufeff",
        "\u2028",
        "\x85",
        "\u202e",
        "\u200b",
        "\0",
        "😀",
    ),
    *("# A\n\n", "## ", "===\n", "```\n", "[a](b)", "|---|\n", "---+---\n", "CHAPTER 1\n\n", "第一章 ", "1. A\n"),
    *("diff --git a/x b/x\n", "--- a\n", "+++ b\n", "@@ -1 +1 @@\n", "2024-01-01 00:00:00 INFO ", "ERROR "),
    *("Traceback (most recent call last):\n", '  File "x", line 1, in f\n', "ValueError: ", "Caused by: ", "\tat a.b("),
    *(
        "panic: ",
        "goroutine 1 [running]:\n",
        "exit code 1\n",
        "=== 1 failed in 1s ===\n",
        "FAILED ",
        "[s]\n",
        "a = 1\n",
    ),
    *(
        "import os\n",
        "def f():\n",
        "class A:\n",
        "func f() {\n",
        "package x\n",
        "fn f() {\n",
        "#include <a>\n",
        "<?php\n",
    ),
    *("#!/bin/sh\n", "CREATE TABLE x (", "/*", "*/", "//", '"""\n', "import (\n", "public class A {\n", "use a::b;\n"),
)


def write(folder: Path) -> int:
    """How many there are; each under a name that its content gives."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {sha256(data).hexdigest()[:24]: data for data in _seeds()}
    for name, data in names.items():
        (folder / name).write_bytes(data)
    return len(names)


def write_words(file: Path) -> Path:
    lines = ['"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"' for word in WORDS]
    file.write_text("\n".join(lines) + "\n")
    return file


def corpus_texts() -> Iterator[bytes]:
    """Some of the developing half, where the corpus is built; never of the half that is kept for the figure."""
    if (FOLDER / "index.json").is_file():
        texts = load().half("develop")
        yield from map(data_of, texts[:: max(1, len(texts) // MOST_TEXTS)])


def _seeds() -> Iterator[bytes]:
    for make in (*HOSTILE.values(), *DOCUMENTS.values()):
        for size in SIZES:
            yield ANY_MIME_TYPE + make(size)[:MOST_BYTES]
    for text in corpus_texts():
        yield ANY_MIME_TYPE + text[:MOST_BYTES]
