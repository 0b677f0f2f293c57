"""What is not taken right behind the door goes on to the framework, before the caller is asked for."""

import pytest
from fastapi import Request

from footnote_ingest.api.uploads import accept_straight

TEXT = b'{"title": "A note", "text": "Remember the milk."}'


@pytest.mark.parametrize("body", [b"", b'{"title', b"[]", b'{"title": "A note"}', TEXT[:-1] + b', "x": 1}'])
async def test_a_body_that_is_not_valid_is_given_back(body: bytes) -> None:
    assert await accept_straight(Request({"type": "http", "headers": []}), body) is None


async def test_a_text_that_came_with_a_key_is_given_back() -> None:
    request = Request({"type": "http", "headers": [(b"idempotency-key", b"")]})
    assert await accept_straight(request, TEXT) is None
