"""Patterns of paths."""

import pytest

from coatcheck_core.filesystem.globs import name_glob, path_glob
from coatcheck_schemas.errors import RequestError


@pytest.mark.parametrize(
    ("pattern", "folder", "path", "matches"),
    [
        ("*.py", "/", "/a.py", True),
        ("*.py", "/", "/src/a.py", False),
        ("**/*.py", "/", "/a.py", True),
        ("**/*.py", "/", "/x/y/a.py", True),
        ("**", "/", "/x/y", True),
        ("**", "/x", "/x/y/z", True),
        ("**", "/x", "/xy", False),
        ("src/**", "/", "/src", False),
        ("src/**/t/*", "/", "/src/t/a", True),
        ("src/**/t/*", "/", "/src/a/b/t/c", True),
        ("*.py", "/src", "/src/a.py", True),
        ("/src/*", "/elsewhere", "/src/a", True),
        ("a?c", "/", "/abc", True),
        ("a?c", "/", "/a/c", False),
        ("a?c", "/", "/a世c", True),
        ("[a-c]x", "/", "/bx", True),
        ("[!a-c]x", "/", "/bx", False),
        ("[^a-c]x", "/", "/dx", True),
        ("[]]x", "/", "/]x", True),
        ("[!]]x", "/", "/]x", False),
        ("a[!x]b", "/", "/a/b", False),
        ("a[+-9]b", "/", "/a/b", False),
        ("a[/]b", "/", "/a/b", False),
        ("a[.-0]b", "/", "/a/b", False),
        ("a[.-0]b", "/", "/a.b", True),
        ("a[.-0]b", "/", "/a0b", True),
        ("[[]a", "/", "/[a", True),
        ("*.{ts,tsx}", "/", "/a.tsx", True),
        ("*.{ts,tsx}", "/", "/a.js", False),
        ("{src,tests}/**/*.py", "/", "/tests/x/a.py", True),
        ("{src/a,b}/c", "/", "/src/a/c", True),
        ("a{,b,{c,d}e}", "/", "/ade", True),
        ("a{,b}", "/", "/a", True),
        ("{a,b}{1,2}", "/", "/b1", True),
        ("{a,b}{1,2}", "/", "/ab", False),
        ("{a}", "/", "/{a}", True),
        ("{{a,b}}", "/", "/{b}", True),
        ("a}{", "/", "/a}{", True),
        ("[{]a,b}", "/", "/{a,b}", True),
        ("{[,],x}", "/", "/,", True),
        ("{/a,b}", "/x", "/a", True),
        ("{/a,b}", "/x", "/x/b", True),
        ("a.b", "/", "/axb", False),
        ("(a|b)+", "/", "/(a|b)+", True),
        ("[\\d]", "/", "/5", False),
        ("*", "/", "/.hidden", True),
        ("./a", "/", "/a", True),
        ("a**b", "/", "/axxb", True),
    ],
)
def test_a_pattern_matches_whole_paths(pattern: str, folder: str, path: str, matches: bool) -> None:
    assert path_glob(pattern, folder)(path) is matches


def test_a_filter_without_a_slash_is_of_the_name_alone() -> None:
    assert name_glob("*.py", "/src")("/src/a/b.py")
    assert not name_glob("*.py", "/src")("/b.py")
    assert name_glob("{*.py,src/*.md}", "/")("/x/a.py")
    assert name_glob("{*.py,src/*.md}", "/")("/src/a.md")
    assert not name_glob("{*.py,src/*.md}", "/")("/x/a.md")
    assert not name_glob("a/*.py", "/")("/x/a/b.py")


@pytest.mark.parametrize(
    "pattern", ["", "/", "..", "../a", "a/..", "[z-a]", "x" * 1001, "[a", "a{b,c", "{a,b[}", "{..,a}/b", "{a,b}" * 7]
)
def test_a_pattern_that_means_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(RequestError):
        path_glob(pattern, "/")


def test_a_filter_of_names_may_be_as_long_as_any_pattern() -> None:
    assert name_glob("x" * 1000, "/")("/a/" + "x" * 1000)
    with pytest.raises(RequestError, match="this one has 1001"):
        name_glob("x" * 1001, "/")


def test_many_stars_take_linear_time() -> None:
    assert not path_glob("*a" * 400, "/")("/" + "a" * 390)
