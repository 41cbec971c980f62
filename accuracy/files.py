"""Files of the machine, by their names: chosen by hash, a few of each folder, so that no package outweighs others."""

import gzip
import hashlib
import html
import os
import re
import shutil
import subprocess
import sysconfig
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from .checks import checked
from .rules import Rule, rule_of
from .texts import Label, Source

PROJECT = Path(__file__).resolve().parent.parent
LARGEST_FILE = 2_000_000
SMALLEST_FILE = 150

_OF_A_FOLDER = 3
_OF_A_TREE = 14
"""A tree is what lies two levels under a root: a package, as a rule."""
_MOST_OF_A_ROOT = 60_000
_SKIPPED = {
    ".git",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    "private",
    "ssh",
    "share",
    "package-lists",
}
_NOT_UTF8 = Label.parse("unknown/*")
_MOST_NOT_UTF8 = 25
_SOURCE_PAGE = re.compile(r'<pre class="rust"[^>]*><code>(.*?)</code></pre>', re.DOTALL)
_LINE_NUMBER = re.compile(r"<a href=\"?#\d+[^>]*>\d+</a>")
_TAG = re.compile(r"<[^>]*>")


class Found(msgspec.Struct, frozen=True):
    """A file, or a member of an archive or a page that holds one; `name` is what its rule goes by."""

    path: Path
    name: str
    tree: str
    member: str | None = None


def roots() -> list[Path]:
    """Trees that a Debian machine with Python and node has, and those of other languages where they are installed."""
    paths = sysconfig.get_paths()
    listed = [Path(paths["stdlib"]), Path(paths["purelib"]), PROJECT]
    listed += [
        Path("/usr/lib/python3/dist-packages"),
        Path("/usr/lib/node_modules"),
        Path("/usr/local/lib/node_modules"),
    ]
    listed += [Path(path) for path in ("/usr/share", "/usr/include", "/etc", "/var/lib/dpkg/info", "/usr/src")]
    listed += [Path(f"/usr/lib/{name}") for name in ("git-core", "gcc", "jvm", "tcltk", "ruby", "x86_64-linux-gnu")]
    listed += [Path(said) for said in (_said("go", "env", "GOROOT"), _said("rustc", "--print", "sysroot")) if said]
    listed += [Path(said) / "share/doc/rust/html/src" for said in [_said("rustc", "--print", "sysroot")] if said]
    return [path for path in listed if path.is_dir()]


def file_sources(trees: list[Path]) -> Iterator[Source]:
    """The chosen files, labelled as what they are, whatever their names say; what nobody could name is left out."""
    found: dict[Rule, list[Found]] = defaultdict(list)
    for tree in trees:
        for rule, file in _walk(tree):
            found[rule].append(file)
    strays = 0
    for rule, files in found.items():
        taken = 0
        for file in _spread(files):
            if taken == rule.quota:
                break
            source = _source(file, rule)
            if source is None or (source.label == _NOT_UTF8 != rule.label and strays == _MOST_NOT_UTF8):
                continue
            strays += source.label == _NOT_UTF8 != rule.label
            taken += 1
            yield source


def _said(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return ""
    return subprocess.run(command, capture_output=True, text=True, timeout=20, check=False).stdout.strip()


def _walk(root: Path) -> Iterator[tuple[Rule, Found]]:
    """Every file with a rule."""
    count = 0
    for place, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith(".corpus"))
        folder = Path(place)
        tree = str(root / Path(*folder.relative_to(root).parts[:2]))
        for name in sorted(names):
            count += 1
            if count > _MOST_OF_A_ROOT:
                return
            if name == "src.zip" and zipfile.is_zipfile(folder / name):
                yield from _members(folder / name, tree)
            elif (rule := rule_of(_rule_name(name))) is not None:
                yield rule, Found(folder / name, _rule_name(name), tree)


def _rule_name(name: str) -> str:
    """`x.rs.html` is a page that shows Rust; `changelog.gz` and `x.1.gz` are texts that Debian compresses."""
    if name.endswith(".rs.html"):
        return name.removesuffix(".html")
    plain = name.removesuffix(".gz")
    return plain if plain.endswith((".1", ".5", ".8", ".txt", ".md", ".html")) or "." not in plain else name


def _members(path: Path, tree: str) -> Iterator[tuple[Rule, Found]]:
    """The files in an archive of sources, such as the one of a JDK."""
    for name in sorted(_archive(path).namelist())[::7]:
        if (rule := rule_of(name.rpartition("/")[2])) is not None:
            package = "/".join(name.split("/")[:4])
            yield rule, Found(path, name.rpartition("/")[2], f"{tree}!{package}", name)


@lru_cache(maxsize=2)
def _archive(path: Path) -> zipfile.ZipFile:
    """Kept open: to read the table of contents of a large one takes a second."""
    return zipfile.ZipFile(path)


def _spread(files: list[Found]) -> Iterator[Found]:
    """In the order of a hash of their paths, at most some of each folder and of each tree."""
    folders: Counter[str] = Counter()
    trees: Counter[str] = Counter()
    for file in sorted(files, key=lambda file: hashlib.sha256(f"{file.path}!{file.member}".encode()).digest()):
        folder = f"{file.path.parent}!{(file.member or '').rpartition('/')[0]}"
        if folders[folder] < _OF_A_FOLDER and trees[file.tree] < _OF_A_TREE:
            folders[folder] += 1
            trees[file.tree] += 1
            yield file


def _source(file: Found, rule: Rule) -> Source | None:
    try:
        data = _read(file)
    except (OSError, EOFError, ValueError, zipfile.BadZipFile):
        return None
    if data is None or len(data) < SMALLEST_FILE:
        return None
    name = f"{file.path}!{file.member}" if file.member else str(file.path)
    label = checked(rule.label, name, data)
    return None if label is None else Source(name=name, label=label, data=data, key=data)


def _read(file: Found) -> bytes | None:
    if file.member is not None:
        return _archive(file.path).read(file.member)[:LARGEST_FILE]
    if file.path.is_symlink() or not file.path.is_file() or file.path.stat().st_size > LARGEST_FILE:
        return None
    data = file.path.read_bytes()
    if file.path.name.endswith(".rs.html"):
        page = _SOURCE_PAGE.search(data.decode())
        return html.unescape(_TAG.sub("", _LINE_NUMBER.sub("", page[1]))).encode() if page else None
    return gzip.decompress(data) if file.path.name == f"{file.name}.gz" else data
