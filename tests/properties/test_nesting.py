"""The depth that is counted before a body is parsed is the depth that the parser would go to."""

import json

from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.web.json_shape import json_shape

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
