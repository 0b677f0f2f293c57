"""A search over HTTP that asks a reranker over HTTP."""

from footnote_testing.library import Book
from footnote_testing.rerank_server import KEY, MODEL, Refusal, RerankServer
from tests.integration.retriever.conftest import MakeStack

TEXTS = ["Tea is kept in the tin.", "Tea, zz, is hot.", "Tea z comes from afar."]


def test_the_reranker_reads_the_texts_of_the_passages_and_its_order_is_the_answers(
    make_stack: MakeStack,
) -> None:
    with RerankServer("cohere") as server:
        stack = make_stack(
            reranker_http="cohere",
            reranker_http_url=server.url,
            reranker_http_model=MODEL,
            reranker_http_key=KEY,
            reranker_timeout_s=600.0,
            search_cache_s=0,
        )
        user = stack.user()
        stack.add(user.principal, *(Book(f"book {number}", [text]) for number, text in enumerate(TEXTS)))
        result = user.search("where is the tea")
        ((query, texts),) = server.seen
        assert (query, sorted(texts)) == ("where is the tea", sorted(TEXTS))
        assert [passage["title"] for passage in result["passages"]] == ["book 1", "book 2", "book 0"]
        assert [passage["ranks"]["reranked"] for passage in result["passages"]] == [1, 2, 3]
        assert (result["degraded"], result["settings"]["reranker"]) == ([], "http")

        plain = user.search("where is the tea", settings={"reranker": "none"})
        server.refusal = Refusal(500)
        failed = user.search("where is the tea", explain=True)
        assert failed["degraded"] == ["rerank"]
        assert [p["title"] for p in failed["passages"]] == [p["title"] for p in plain["passages"]]
        (step,) = [report for report in failed["explanation"] if report["stage"] == "rerank"]
        assert "500" in step["notes"]["failed"]
        assert len(server.seen) == 1
