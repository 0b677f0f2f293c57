"""The nesting of a body is counted without recursion, and no string deceives the count."""

import pytest

from footnote_shared.web.json_shape import json_shape


@pytest.mark.parametrize(
    ("body", "depth"),
    [
        (b"1", 0),
        (b'{"a": [1, {"b": 2}]}', 3),
        (b'{"a": "[[[[[{{{{"}', 1),
        (b'{"a": "\\"[[["}', 1),
        (b"[" * 100_000, 100_000),
        (b"]]]][", 0),
    ],
)
def test_nesting(body: bytes, depth: int) -> None:
    assert json_shape(body).depth == depth
