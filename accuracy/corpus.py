"""Build the corpus into a folder that git ignores, and read it back."""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from .commands import command_sources, data, programming, system
from .commands.projects import make_projects
from .converted import converted_sources
from .cuts import cuts_of
from .files import file_sources, roots
from .hints import hinted_sources
from .rendered import rendered_sources
from .texts import Half, Source, Text, half_of

FOLDER = Path(__file__).parent / ".corpus"


class Corpus(msgspec.Struct, frozen=True):
    """The index: `missing` says which commands were left out, and why."""

    texts: list[Text]
    missing: list[str]

    def half(self, half: Half) -> list[Text]:
        return [text for text in self.texts if text.half == half]


def build(folder: Path = FOLDER, extra_roots: Iterable[Path] = ()) -> Corpus:
    """Everything anew; with `extra_roots` those trees alone, for a look at texts that nobody has seen.

    It takes the old one's place when it is whole, so that whoever reads meanwhile reads one of the two.
    """
    with tempfile.TemporaryDirectory(prefix=".corpus-new-", dir=folder.parent) as name:
        new = Path(name) / "corpus"
        (new / "texts").mkdir(parents=True)
        sources, missing = _sources(list(extra_roots))
        corpus = Corpus(texts=list(_written(sources, new)), missing=missing)
        (new / "index.json").write_bytes(msgspec.json.encode(corpus))
        if folder.exists():
            folder.rename(Path(name) / "old")
        new.rename(folder)
    return corpus


def load(folder: Path = FOLDER) -> Corpus:
    """The corpus as it was built; built now where there is none."""
    index = folder / "index.json"
    return msgspec.json.decode(index.read_bytes(), type=Corpus) if index.is_file() else build(folder)


def data_of(text: Text, folder: Path = FOLDER) -> bytes:
    return (folder / "texts" / text.sha256).read_bytes()


def _sources(extra_roots: list[Path]) -> tuple[Iterator[Source], list[str]]:
    if extra_roots:
        return file_sources(extra_roots), []
    with tempfile.TemporaryDirectory(prefix="coatcheck-accuracy-") as name:
        projects = Path(name)
        make_projects(projects)
        commands = [*programming.commands(), *system.commands(), *data.commands()]
        printed, missing = command_sources(commands, projects)
    return _chained(printed), missing


def _chained(printed: list[Source]) -> Iterator[Source]:
    yield from printed
    yield from file_sources(roots())
    yield from converted_sources()
    yield from rendered_sources()
    yield from hinted_sources()


def _written(sources: Iterable[Source], folder: Path) -> Iterator[Text]:
    """Each distinct text once, in the half of its source."""
    known: set[tuple[str, str | None]] = set()
    for source in sources:
        half = half_of(source.key)
        for cut, label, content in cuts_of(source):
            sha256 = hashlib.sha256(content).hexdigest()
            if (sha256, source.mime_type) in known:
                continue
            known.add((sha256, source.mime_type))
            (folder / "texts" / sha256).write_bytes(content)
            yield Text(
                name=source.name,
                cut=cut,
                label=label,
                half=half,
                sha256=sha256,
                bytes=len(content),
                command=source.command,
                mime_type=source.mime_type,
            )
