"""Paths of files, and the names of results."""

import pytest

from coatcheck_core.filesystem.paths import (
    ancestors,
    child_of,
    file_path,
    is_below,
    is_shortened_name,
    normalized,
    path_of_name,
    stored_name,
)
from coatcheck_core.filesystem.results import call_name, named_result
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.segments import encode_segment

HEX = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("path", "whole"),
    [
        ("", "/"),
        (".", "/"),
        ("///", "/"),
        ("a", "/a"),
        ("./a//b/./c/", "/a/b/c"),
        ("/...", "/..."),
        ("/ a b ", "/ a b "),
        ("/世界/é", "/世界/é"),
        ("a*?[x]{}'\"`\\:|<>#%&;=~", "/a*?[x]{}'\"`\\:|<>#%&;=~"),
    ],
)
def test_a_path_has_one_way_to_be_written(path: str, whole: str) -> None:
    assert normalized(path) == whole


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "/a/../b",
        "a/..",
        "/..",
        "a\x00b",
        "a\nb",
        "\x7f",
        "\x85",
        "\ud800",
        "a" * 2001,
        "/" + "a" * 2001,
        "a" * 2000 + "/",
    ],
)
def test_what_leads_out_of_reach_or_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(RequestError) as caught:
        normalized(path)
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert caught.value.message.startswith("path ")


def test_a_path_of_2000_chars_is_taken() -> None:
    whole = normalized("é" * 2000)
    assert whole == normalized(whole) == "/" + "é" * 2000


@pytest.mark.parametrize(
    "path", ["", "/", "a/", "a/.", "/large_tool_result", "/large_tool_result/x", "//large_tool_result/x"]
)
def test_folders_and_results_are_not_written(path: str) -> None:
    with pytest.raises(RequestError):
        file_path(path)


def test_a_name_that_only_begins_like_the_results_folder_is_written() -> None:
    assert file_path("/large_tool_results") == "/large_tool_results"
    assert file_path("/a/large_tool_result") == "/a/large_tool_result"


def test_folders_hold_what_is_below_them_only() -> None:
    assert is_below("/a/b", "/a")
    assert is_below("/a", "/a")
    assert is_below("/a", "/")
    assert not is_below("/ab", "/a")
    assert ancestors("/a/b/c") == ["/a", "/a/b"]
    assert child_of("/a/b/c", "/") == ("/a", True)
    assert child_of("/a/b/c", "/a/b") == ("/a/b/c", False)
    assert child_of("/ab", "/a") is None
    assert child_of("/a", "/a") is None


def test_a_stored_name_says_its_path_back_or_is_shortened() -> None:
    assert stored_name("/a/b.txt") == "a=2Fb=2Etxt"
    assert path_of_name("a=2Fb=2Etxt") == "/a/b.txt"
    long = "/" + "é" * 1999
    assert is_shortened_name(stored_name(long))
    assert len(stored_name(long)) <= 200
    assert path_of_name(stored_name(long)) is None
    assert stored_name(long) != stored_name(long[:-1])


@pytest.mark.parametrize(
    "name", ["", "=", "=4", "=41", "=FF", "a/b", "=2Fa", "a=2F", "=2E=2E", "a=2F=2E=2E", "=00", "a.b"]
)
def test_a_name_that_is_not_as_written_says_nothing(name: str) -> None:
    assert path_of_name(name) is None


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("call_1", "call_1"),
        ("list_dir:0", "list_dir:0"),
        ("世界 x", "世界 x"),
        ("a/b", "a%2Fb"),
        ("50%", "50%25"),
        ("", "%"),
        ("%", "%25"),
        ("..", "%2E%2E"),
        ("a\nb", "a%0Ab"),
        (f"a-{HEX}", f"a-{HEX[:-1]}%66"),
        ("a==b", "a%3D%3Db"),
    ],
)
def test_a_call_is_named_by_its_id_as_people_write_it(call: str, name: str) -> None:
    segment = encode_segment(call)
    assert call_name(segment) == name
    assert named_result(name) == (None, segment)


def test_a_call_whose_id_is_long_is_named_by_its_segment() -> None:
    segment = encode_segment("/" * 300)
    assert call_name(segment) == segment
    assert named_result(segment) == (None, segment)


def test_a_result_id_names_its_result() -> None:
    assert named_result(f"a=2Fb-{HEX}") == (f"a=2Fb-{HEX}", None)


@pytest.mark.parametrize("name", ["100% sure", "%zz", "%FF", f"*-{HEX}", "a==b", "%ED%A0%80"])
def test_a_name_that_is_neither_names_nothing(name: str) -> None:
    assert named_result(name) == (None, None)
