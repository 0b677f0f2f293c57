"""The depth that is counted before a body is parsed is the depth that the parser would go to."""

import json

from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.web.json_shape import check_json, json_shape

Json = None | int | str | list["Json"] | dict[str, "Json"]
text = st.text(st.sampled_from('a"\\[]{}é,: \n'), max_size=6)
values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.integers(0, 9) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=12,
)


def depth(value: Json) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


@given(values, st.booleans())
def test_the_depth_of_a_body(value: Json, escaped: bool) -> None:
    assert json_shape(json.dumps(value, ensure_ascii=escaped).encode()).depth == depth(value)


@given(values, st.integers(0, 4), st.integers(1, 8))
def test_a_body_is_refused_for_its_shape_alone(value: Json, most_deep: int, most_values: int) -> None:
    body = json.dumps(value, ensure_ascii=False).encode()
    shape = json_shape(body)
    try:
        check_json(body, most_deep, most_values)
    except InvalidRequest:
        assert shape.depth > most_deep or shape.values > most_values
    else:
        assert shape.depth <= most_deep
        assert shape.values <= most_values
