"""Parts that are really stopped, and come back."""

import pytest

from footnote_testing.eventually import eventually
from footnote_testing.library import Book
from tests.integration.retriever.conftest import MakeStack, User

TEA = Book("tea", ["Tea is kept in the green tin."])


def refused(user: User, part: str) -> bool:
    response = user.http.post("/v1/search", json={"query": "where is the tea"})
    assert response.status_code == 503, response.text
    assert int(response.headers["Retry-After"]) >= 1
    assert response.headers["content-type"] == "application/problem+json"
    return part in response.json()["detail"]


def test_without_the_vector_store_a_search_is_refused_until_it_is_back(make_stack: MakeStack) -> None:
    stack = make_stack()
    user = stack.user()
    stack.add(user.principal, TEA)
    assert user.titles("where is the tea") == ["tea"]
    stack.bridge.kill()
    assert refused(user, "vector store")
    status, checks = stack.ready()
    assert (status, checks["sql"]) == (503, "ok")
    assert checks["qdrant"] != "ok"
    assert user.http.get("/healthz").status_code == 200
    assert user.http.get("/v1/presets").status_code == 200
    assert user.titles("tea", scope={"document_ids": []}) == []
    stack.restart_bridge()
    eventually(stack.ready, "the retriever is ready", until=lambda ready: ready[0] == 200)
    assert user.titles("where is the tea") == ["tea"]


def test_a_service_that_starts_before_its_store_waits_for_it(make_stack: MakeStack) -> None:
    stack = make_stack()
    user = stack.user()
    stack.add(user.principal, TEA)
    stack.served.stop()
    stack.bridge.kill()
    stack.served.start()
    eventually(stack.ready, "the model is loaded", until=lambda ready: ready[1]["embedder"] == "ok")
    assert stack.ready()[0] == 503
    assert refused(user, "vector store")
    stack.restart_bridge()
    assert user.titles("where is the tea") == ["tea"]
    assert stack.ready()[0] == 200


def test_without_ingest_nothing_is_shown_that_may_be_deleted(make_stack: MakeStack) -> None:
    stack = make_stack()
    user = stack.user()
    stack.add(user.principal, TEA)
    assert user.titles("where is the tea") == ["tea"]
    stack.served_ingest.stop()
    assert refused(user, "ingest")
    assert stack.ready()[0] == 200
    stack.served_ingest.start()
    assert user.titles("where is the tea") == ["tea"]


def test_a_restart_of_ingest_between_two_searches_is_not_noticed(make_stack: MakeStack) -> None:
    stack = make_stack()
    user = stack.user()
    stack.add(user.principal, TEA)
    for _ in range(3):
        assert user.titles("where is the tea") == ["tea"]
        stack.served_ingest.stop()
        stack.served_ingest.start()


def test_a_lane_of_another_model_is_named_and_not_searched(make_stack: MakeStack) -> None:
    stack = make_stack(lane="other", embedding_query_prefix="query: ")
    user = stack.user()
    stack.add(user.principal, TEA)
    response = user.http.post("/v1/search", json={"query": "where is the tea"})
    assert response.status_code == 500
    assert response.json()["code"] == "misconfigured"
    assert "re-embed" in response.json()["detail"]
    status, checks = stack.ready()
    assert status == 503
    assert "other" in checks["lane"]


def test_a_reranker_that_cannot_be_loaded_is_said_and_costs_no_answer(
    make_stack: MakeStack, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stack = make_stack(reranker_model=str(tmp_path_factory.mktemp("empty")))
    user = stack.user()
    stack.add(user.principal, TEA)
    result = user.search("where is the tea")
    assert [passage["title"] for passage in result["passages"]] == ["tea"]
    assert result["degraded"] == ["rerank"]
    assert stack.ready()[0] == 200
