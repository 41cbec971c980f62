"""Paths and names of results, whatever they are of."""

from hypothesis import given
from hypothesis import strategies as st

from coatcheck_core.filesystem.paths import is_shortened_name, names_begin, normalized, path_of_name, stored_name
from coatcheck_core.filesystem.results import call_name, named_result
from coatcheck_schemas.errors import RequestError
from coatcheck_schemas.segments import encode_segment

HOSTILE = st.one_of(st.text(max_size=60), st.text(alphabet="a./%=-\x00*é0123456789abcdef", max_size=120))


@given(HOSTILE)
def test_a_normalized_path_stays_and_says_itself_by_its_name(path: str) -> None:
    try:
        whole = normalized(path)
    except RequestError:
        return
    assert normalized(whole) == whole
    assert ".." not in whole.split("/")
    if whole != "/":
        name = stored_name(whole)
        assert set(name) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-=")
        assert is_shortened_name(name) or path_of_name(name) == whole


@given(HOSTILE, HOSTILE)
def test_no_two_paths_share_a_name(one: str, other: str) -> None:
    try:
        paths = normalized(one), normalized(other)
    except RequestError:
        return
    assert (stored_name(paths[0]) == stored_name(paths[1])) == (paths[0] == paths[1])


@given(st.text(alphabet="a/é.", min_size=1, max_size=110), HOSTILE)
def test_the_name_of_a_file_begins_as_all_in_each_folder_above_it(folder: str, below: str) -> None:
    try:
        path, above = normalized(f"{folder}/{below}/x"), normalized(folder)
    except RequestError:
        return
    assert stored_name(path).startswith(names_begin(above))
    assert len(names_begin(above)) >= min(len(above) - 1, 90)


@given(HOSTILE)
def test_every_call_is_found_by_its_name_which_is_one_of_a_path(call: str) -> None:
    segment = encode_segment(call)
    name = call_name(segment)
    assert named_result(name) == (None, segment)
    assert normalized(f"/large_tool_result/{name}") == f"/large_tool_result/{name}"
    assert "/" not in name
