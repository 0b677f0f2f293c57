"""The body of a search means the same whether it is read at once, or first as JSON and then by its model."""

import json

import pytest
from fastapi import Request

from footnote_retriever.api.search import search_straight
from footnote_shared.contracts.search import SearchRequest

SCOPES = [
    {"document_ids": ["a", "b"], "kinds": [], "memory": True},
    {"created_from": "2024-02-29T12:00:00.123+02:00", "created_to": "2026-01-01T00:00:00Z"},
    {"created_from": 1_700_000_000, "memory": "yes"},
    {"session_id": None, "folder_ids": None},
]


@pytest.mark.parametrize(
    "body",
    [
        '{"query": "rent"}',
        '{"query": "rent", "query": "wine", "explain": "true"}',
        '{"query": "\\u00e4\\u0000 \\ud83d\\ude00", "explain": 1}',
        '{"query": "rent", "settings": {"top_k": 12345678901234567890123, "alpha": 1e400, "x": [NaN, 0.1]}}',
        '{"query": "rent", "history": [{"role": "user", "text": "and now?"}], "expect": "d"}',
        *(json.dumps({"query": "rent", "scope": scope}) for scope in SCOPES),
    ],
)
def test_both_ways_read_the_same(body: str) -> None:
    at_once = SearchRequest.model_validate_json(body.encode())
    assert repr(at_once) == repr(SearchRequest.model_validate(json.loads(body)))


@pytest.mark.parametrize("body", [b"", b'{"query', b'{"query": "rent", "top_k": "many"}', b"[]"])
async def test_a_body_that_is_not_valid_is_given_back_before_the_caller_is_asked_for(body: bytes) -> None:
    assert await search_straight(Request({"type": "http"}), body) is None
