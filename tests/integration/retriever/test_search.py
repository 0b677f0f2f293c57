"""Searching over HTTP with the real model."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from footnote_testing.library import Book
from tests.integration.retriever.conftest import Stack, User

SESSION = "visitor-0123456789abcdef"
WINE = Book(
    "wine",
    ["The wine cellar of the head office is kept at 12 degrees Celsius all year."],
    folder_ids=("house", "house/cellar"),
)
RENT = Book(
    "rent",
    ["The monthly rent is due on the first working day."],
    source_type="email",
    kind="list",
    document_type="message/rfc822",
)
ERROR = Book(
    "error",
    ["When the pump stops, the display shows ERR-4042."],
    connector_id="drive",
    created_at=datetime(2024, 5, 1, tzinfo=UTC),
)
HIDDEN = Book(
    "session", ["The visitor's own note about the cellar."], session_id=SESSION, source_type="anonymous"
)


@pytest.fixture
def books(stack: Stack, user: User) -> dict[str, Book]:
    """The same four books under ids of this test's own."""
    made = {book.title: Book(**_fields(book)) for book in (WINE, RENT, ERROR, HIDDEN)}
    stack.add(user.principal, *made.values())
    return made


def _fields(book: Book) -> dict[str, Any]:
    return {name: getattr(book, name) for name in Book.__slots__ if name != "id"}


def test_a_question_finds_by_meaning_and_a_code_by_its_letters(user: User, books: dict[str, Book]) -> None:
    assert user.titles("How warm is it where the bottles are stored?")[0] == "wine"
    assert user.titles("ERR-4042")[0] == "error"


def test_a_passage_says_where_it_comes_from(user: User, books: dict[str, Book]) -> None:
    result = user.search("wine cellar temperature")
    passage = result["passages"][0]
    assert passage["document_id"] == books["wine"].id
    assert passage["text"] == books["wine"].texts[0]
    assert passage["source"] == "wine.txt"
    assert passage["heading_path"] == ["wine"]
    assert passage["created_at"] == "2026-01-01T00:00:00.000Z"
    assert passage["ranks"]["fused"] == 1
    assert passage["ranks"]["dense"] == 1
    assert 0.3 < passage["similarity"] <= 1
    assert result["sufficient"] is True
    assert result["degraded"] == []
    assert result["preset"] == "default"
    assert result["settings"]["top_k"] == 8
    assert result["timings_ms"]["total"] > 0
    assert result["explanation"] is None


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ({"folder_ids": ["house"]}, {"wine"}),
        ({"folder_ids": ["house/cellar", "nowhere"]}, {"wine"}),
        ({"folder_ids": ["nowhere"]}, set()),
        ({"source_types": ["email"]}, {"rent"}),
        ({"source_types": ["email", "upload"]}, {"rent", "wine", "error"}),
        ({"kinds": ["list"]}, {"rent"}),
        ({"document_types": ["message/rfc822"]}, {"rent"}),
        ({"connector_ids": ["drive"]}, {"error"}),
        ({"created_to": "2025-01-01T00:00:00Z"}, {"error"}),
        ({"created_from": "2025-01-01T00:00:00Z"}, {"wine", "rent"}),
        ({"created_from": "2025-01-01T00:00:00Z", "created_to": "2024-01-01T00:00:00Z"}, set()),
        ({"session_id": SESSION}, {"session"}),
        ({"session_id": "visitor-of-another-time"}, set()),
        ({"document_ids": []}, set()),
        ({"folder_ids": ["house"], "kinds": []}, set()),
        ({"folder_ids": ["house"], "source_types": ["email"]}, set()),
        ({}, {"wine", "rent", "error"}),
        (None, {"wine", "rent", "error"}),
    ],
)
def test_a_scope_restricts_what_is_found(
    user: User, books: dict[str, Book], scope: dict[str, Any] | None, expected: set[str]
) -> None:
    assert set(user.titles("cellar rent pump", scope=scope)) == expected


def test_one_document_is_ranked_on_both_legs(stack: Stack, user: User) -> None:
    texts = [
        f"Chapter {n} is about {topic}."
        for n, topic in enumerate(["bees", "ships", "glass", "snow", "maps", "salt"])
    ]
    book = Book("almanac", texts)
    stack.add(user.principal, book, Book("other", ["A book about snow alone."]))
    result = user.search(
        "frozen water falling from the sky, snow",
        scope={"document_ids": [book.id]},
        settings={"neighbours": False},
    )
    assert len(result["passages"]) == 6
    assert "snow" in result["passages"][0]["text"]
    assert result["passages"][0]["ranks"]["sparse"] == 1


def test_a_folder_can_count_less(user: User, books: dict[str, Book]) -> None:
    assert user.titles("wine cellar")[0] == "wine"
    weights = [{"folder_id": "house/cellar", "weight": 0}]
    result = user.search("wine cellar", settings={"weights": weights}, explain=True)
    assert result["passages"][0]["title"] != "wine"
    assert "wine" in {passage["title"] for passage in result["passages"]}
    *_, step = [report for report in result["explanation"] if report["stage"] == "weigh"]
    assert {line["weight"] for line in step["notes"]["weights"]} == {0.0, 1.0}
    assert result["settings"]["weights"] == [{"source_type": None, **weights[0]}]


def test_another_workspace_finds_nothing_even_by_id(stack: Stack, user: User, books: dict[str, Book]) -> None:
    stranger = stack.user()
    assert stranger.titles("wine cellar") == []
    assert stranger.titles("wine cellar", scope={"document_ids": [books["wine"].id]}) == []
    assert stranger.titles("wine cellar", scope={"session_id": SESSION}) == []
    assert stranger.titles("wine cellar", scope={"document_ids": [books["session"].id]}) == []


def test_another_avatar_finds_nothing_of_a_session(stack: Stack, user: User, books: dict[str, Book]) -> None:
    colleague = stack.colleague(user)
    assert user.titles("cellar", scope={"session_id": SESSION}) == ["session"]
    assert colleague.titles("cellar", scope={"session_id": SESSION}) == []
    assert "session" not in user.titles("cellar", scope={"document_ids": [books["session"].id]})


def test_a_deleted_document_is_gone_from_the_next_search_on(
    stack: Stack, user: User, books: dict[str, Book]
) -> None:
    assert "wine" in user.titles("wine cellar")
    stack.ingest.delete_document(books["wine"].id)
    assert "wine" not in user.titles("wine cellar")


def test_a_version_that_is_only_half_there_is_not_seen(
    stack: Stack, user: User, books: dict[str, Book]
) -> None:
    stack.add(
        user.principal,
        replace(books["wine"], texts=["The wine cellar is kept at 19 degrees."], live=False, version=2),
    )
    texts = [passage["text"] for passage in user.search("wine cellar temperature")["passages"]]
    assert books["wine"].texts[0] in texts
    assert not any("19 degrees" in text for text in texts)


@pytest.mark.parametrize("fusion", ["rrf", "weighted_blend", "dbsf", "dense_only", "sparse_only"])
def test_every_fusion_answers_the_same_way_twice(user: User, books: dict[str, Book], fusion: str) -> None:
    first, second = (user.search("wine cellar", settings={"fusion": fusion}) for _ in range(2))
    assert first["passages"][0]["title"] == "wine"
    assert first["passages"] == second["passages"]
    assert first["retrieval_id"] != second["retrieval_id"]


def test_an_explanation_has_a_line_for_each_stage(user: User, books: dict[str, Book]) -> None:
    result = user.search("wine cellar", explain=True)
    stages = [report["stage"] for report in result["explanation"]]
    first, then = ["embed", "search", "fuse", "enrich"], ["feedback", "enrich", "diversify", "gate", "budget"]
    assert stages == [*first, *then, "neighbours"]
    for report in result["explanation"]:
        assert report.keys() == {"stage", "taken", "given", "ms", "notes"}


@pytest.mark.parametrize(
    ("body", "field", "hint"),
    [
        ({"query": "x", "settings": {"topk": 3}}, "settings.topk", "top_k"),
        ({"query": "x", "settings": {"top_k": 0}}, "settings.top_k", "1"),
        ({"query": "x", "settings": {"reranker": "http"}}, "settings.reranker", "http"),
        ({"query": "x", "settings": {"reranker": "cross_encoder"}}, "settings.reranker", "cross_encoder"),
        ({"query": "x", "preset": "fasst"}, "preset", "fast"),
        ({"query": "x", "preset": "\u0000"}, "preset", ""),
        ({"query": "x", "colour": "red"}, "colour", ""),
        ({"query": "x", "scope": {"documents": []}}, "scope.documents", ""),
        ({"query": "x", "scope": {"created_from": "yesterday"}}, "scope.created_from", ""),
        ({"query": "x", "scope": {"document_ids": ["d"] * 10_001}}, "scope.document_ids", "10000"),
        ({"query": ""}, "query", ""),
        ({"query": "  \n "}, "query", "empty"),
        ({"query": "x" * 8001}, "query", "8000"),
        ({}, "query", ""),
    ],
)
def test_what_is_wrong_with_a_request_is_named(
    user: User, body: dict[str, Any], field: str, hint: str
) -> None:
    response = user.http.post("/v1/search", json=body)
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    (error,) = response.json()["errors"]
    assert error["field"] == field
    assert hint in error["message"]


@pytest.mark.parametrize(
    "body",
    [
        rb'{"query": "a\ud800b"}',
        rb'{"query": "a", "scope": {"document_ids": ["\udfff"]}}',
        rb'{"query": "a", "scope": {"session_id": "\udfff"}}',
        rb'{"query": "a", "settings": {"\ud800": 1}}',
        rb'{"query": "a", "preset": "\ud800"}',
        rb'{"query": "a", "settings": {"alpha": NaN}}',
        rb'{"query": "a", "scope": {"created_from": "2026-01-01T00:00:00"}}',
        b"[]",
        b"{",
    ],
)
def test_hostile_bodies_are_refused_and_break_nothing(user: User, body: bytes) -> None:
    response = user.http.post("/v1/search", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 422, response.text


@pytest.mark.parametrize(
    "query", ["\u0000", "'; DROP TABLE presets; --", "{{}}", "🍷" * 50, "a" * 8000, "the of and", "٣"]
)
def test_odd_queries_are_searched(user: User, books: dict[str, Book], query: str) -> None:
    assert user.search(query)["degraded"] == []


def test_a_batch_answers_in_order(user: User, books: dict[str, Book]) -> None:
    queries = ["wine cellar", "monthly rent", "ERR-4042"] * 4
    response = user.http.post("/v1/search:batch", json={"searches": [{"query": query} for query in queries]})
    assert response.status_code == 200
    found = [result["passages"][0]["title"] for result in response.json()["results"]]
    assert found == ["wine", "rent", "error"] * 4


def test_a_batch_names_the_search_that_is_wrong(user: User) -> None:
    searches = [{"query": "fine"}, {"query": "wrong", "settings": {"nope": 1}}]
    response = user.http.post("/v1/search:batch", json={"searches": searches})
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"] == "searches.1.settings.nope"
    assert user.http.post("/v1/search:batch", json={"searches": []}).status_code == 422
    assert user.http.post("/v1/search:batch", json={"searches": [{"query": "x"}] * 33}).status_code == 422


def test_without_a_key_nothing_is_searched(stack: Stack, user: User) -> None:
    assert (
        user.http.post(
            "/v1/search", json={"query": "x"}, headers={"Authorization": "Bearer fn_wrong"}
        ).status_code
        == 401
    )


def test_what_happens_is_counted(stack: Stack, user: User, books: dict[str, Book]) -> None:
    user.search("wine cellar")
    metrics = user.http.get("/metrics").text
    assert 'footnote_searches_total{outcome="sufficient"}' in metrics
    assert 'footnote_search_stage_duration_seconds_count{stage="enrich"}' in metrics
    assert 'footnote_query_vector_cache_total{outcome="miss"}' in metrics
