"""The documents for people: commands and options, make targets, files and headings that they name are there."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from benchmarks.figures import FIGURES
from generate.places import ROOT

from coatcheck.cli import main
from coatcheck_core.settings.model import StreamsSettings

PAGES = sorted(
    [ROOT / "README.md", ROOT / "schemas" / "README.md", ROOT / "accuracy" / "README.md", *(ROOT / "docs").glob("*.md")]
)
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
TARGETS = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
FENCE = re.compile(r"^```(\w*).*?\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
ASSIGNMENT = re.compile(r"[A-Z_]+=")
INSTALLED = re.compile(r"(?:coatcheck|'\.)\[([\w,]+)\]")
END = {"|", "&&", "||", ";", ">", "<", "#", "--", "&"}
each_page = pytest.mark.parametrize("page", PAGES, ids=NAMES)


def shell_lines(text: str) -> Iterator[str]:
    """What stands for a shell: fences of it, indented lines and code within a line."""
    for language, block in FENCE.findall(text):
        if language in ("sh", "bash", "console"):
            yield from block.replace("\\\n", " ").splitlines()
    rest = FENCE.sub("", text)
    yield from (line.strip() for line in rest.replace("\\\n", " ").splitlines() if line.startswith("    "))
    yield from SPAN.findall(rest)


def words(line: str) -> list[str]:
    """The words of a command, without what follows it or the comment after it."""
    try:
        found = shlex.split(line, comments=True)
    except ValueError:
        found = line.split()
    return next((found[:index] for index, word in enumerate(found) if word in END), found)


def commands(text: str) -> Iterator[list[str]]:
    """The arguments of each `coatcheck`."""
    for line in shell_lines(text):
        for part in re.split(r"&&|\|", line):
            found = words(part)
            while found and ASSIGNMENT.match(found[0]):
                found.pop(0)
            if found and (found[0] == "coatcheck" or found[0].endswith("bin/coatcheck")):
                yield found[1:]


def wrong_with(arguments: list[str]) -> str | None:
    """What of these the command line does not know."""
    command: click.Command = main
    context = click.Context(main)
    known = {name for one in main.params for name in one.opts}
    for index, word in enumerate(arguments):
        if word.startswith("-") and not re.fullmatch(r"-\d+", word):
            option = word.split("=")[0].rstrip(",")
            if re.fullmatch(r"--?[a-z][a-z-]*", option) and option not in known:
                return f"no option {option} of {command.name}"
        elif isinstance(command, click.Group) and re.fullmatch(r"[a-z]+", word):
            found = command.get_command(context, word)
            if found is None:
                return f"no command {word}" if index == 0 else None
            command, context = found, click.Context(found, parent=context)
            known = {name for one in found.params for name in (*one.opts, *one.secondary_opts)} | {"--help", "-h"}
    return None


@each_page
def test_commands_and_options_are_there(page: Path) -> None:
    wrong = {" ".join(one): told for one in commands(page.read_text()) if (told := wrong_with(one))}
    assert wrong == {}


def test_a_command_that_is_not_there_is_found_wrong() -> None:
    text = (
        "```sh\ncoatcheck raed REF\n```\n\n    coatcheck read REF --ofset 3 | less\n\nand `coatcheck dlq list --jsn`\n"
    )
    assert [wrong_with(one) for one in commands(text)] == [
        "no command raed",
        "no option --ofset of read",
        "no option --jsn of list",
    ]


@each_page
def test_make_targets_are_there(page: Path) -> None:
    named = {line.split()[1] for line in shell_lines(page.read_text()) if re.match(r"make [a-z]", line)}
    assert named - TARGETS == set()


@each_page
def test_benchmarks_are_there(page: Path) -> None:
    lines = [words(line) for line in shell_lines(page.read_text())]
    named = {name for line in lines if line[:3] == ["python", "-m", "benchmarks"] for name in line[3:]}
    assert {name for name in named if not name.startswith("-")} <= set(FIGURES)


@each_page
def test_extras_are_there(page: Path) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {extra for some in INSTALLED.findall(page.read_text()) for extra in some.split(",")}
    assert named <= set(extras)


def test_the_readme_says_what_each_extra_is_for() -> None:
    install = (ROOT / "README.md").read_text().partition("## Install")[2].partition("\n## ")[0]
    assert set(INSTALLED.findall(install)) == {"server", "embedded", "server,otel"}


def headings(path: Path) -> set[str]:
    """The anchors of a page, as they are made of its headings."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", path.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        if target.startswith(("http:", "https:")):
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        assert place.exists(), target
        assert not anchor or anchor in headings(place), target


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    named = {Path(target).name for target in LINK.findall(index)}
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"} <= named


def test_the_table_of_streams_has_each_with_its_default() -> None:
    table = (ROOT / "docs" / "sizing.md").read_text().partition("| stream | setting, default |")[2].partition("\n\n")[0]
    rows = re.findall(r"\| `streams\.(\w+)\.max_bytes`, (\d+) (GiB|MiB) \|", table)
    told = {name: int(number) << {"GiB": 30, "MiB": 20}[unit] for name, number, unit in rows}
    streams = StreamsSettings()
    assert told == {name: getattr(streams, name).max_bytes for name in streams.__struct_fields__}


def test_the_way_to_kubernetes_makes_every_secret_that_the_manifests_mount() -> None:
    way = (ROOT / "docs" / "deployment.md").read_text().partition("## Kubernetes")[2].partition("\n## ")[0]
    made = re.findall(r"create secret generic (\S+) (.*)", way.replace("\\\n", ""))
    base = [path.read_text() for path in (ROOT / "deploy" / "kubernetes" / "base").glob("*.yaml")]
    mounted = {
        (name, file)
        for text in base
        for name in re.findall(r"secretName: (\S+)", text)
        for file in re.findall(r"/run/secrets/coatcheck/(\w+)", text)
    }
    assert mounted
    assert mounted <= {(name, file) for name, files in made for file in re.findall(r"deploy/secrets/(\w+)", files)}
