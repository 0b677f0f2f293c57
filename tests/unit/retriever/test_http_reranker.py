"""Rerankers over HTTP, against a server that speaks the shapes of TEI, Cohere, Jina and Voyage."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from structlog.testing import capture_logs

from footnote_retriever.rerankers.http_reranker import HttpReranker, http_reranker
from footnote_shared.kernel.errors import FootnoteError, Misconfigured, Unavailable
from footnote_shared.settings.base import Settings
from footnote_shared.telemetry import metrics
from footnote_testing.library import Book
from footnote_testing.rerank_server import DIALECTS, KEY, MODEL, Refusal, RerankServer, Scored, worth
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes

TEXTS = ["tea", "tea zz", "tea z", "a tea zzz"]
BOOKS = [Book(f"book {number}", [f"{text} number{number}"]) for number, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, RerankServer]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(RerankServer(name)) for name in DIALECTS}


@pytest.fixture(params=DIALECTS)
def server(servers: dict[str, RerankServer], request: pytest.FixtureRequest) -> RerankServer:
    found = servers[request.param]
    found.reset()
    return found


@pytest.fixture
def tei(servers: dict[str, RerankServer]) -> RerankServer:
    servers["tei"].reset()
    return servers["tei"]


@dataclass
class Clock:
    """Seconds that the test moves."""

    seconds: float = 1000.0

    def __call__(self) -> float:
        return self.seconds


def made_for(server: RerankServer, clock: Callable[[], float] | None = None, **more: Any) -> HttpReranker:
    values = {
        "reranker_http": server.dialect,
        "reranker_http_url": f"{server.url}/",
        "reranker_http_model": "" if server.dialect == "tei" else MODEL,
        "reranker_http_key": KEY,
        "reranker_timeout_s": 600.0,
        **more,
    }
    made = http_reranker(Settings.model_validate(values), clock or Clock())
    assert made is not None
    return made


async def failure_of(reranker: HttpReranker, texts: list[str] | None = None) -> FootnoteError:
    with pytest.raises(FootnoteError) as caught:
        await reranker.score("tea", texts or TEXTS)
    return caught.value


class TestAskedAndAnswered:
    async def test_each_text_has_the_score_that_the_server_gave_it(self, server: RerankServer) -> None:
        reranker = made_for(server)
        assert await reranker.score("which tea?", TEXTS) == [worth(text) for text in TEXTS]
        assert server.seen == [("which tea?", TEXTS)]
        await reranker.close()

    async def test_the_order_of_the_answer_is_not_that_of_the_texts(self, server: RerankServer) -> None:
        server.spoil = lambda scored: sorted(scored, key=lambda one: int(one["index"]), reverse=True)
        reranker = made_for(server)
        assert await reranker.score("tea", TEXTS) == [worth(text) for text in TEXTS]
        await reranker.close()

    async def test_a_search_is_reranked_by_it(self, server: RerankServer) -> None:
        reranker = made_for(server)
        on = FunnelOnFakes(reranker)
        await on.add(*BOOKS)
        result = await on.search("tea")
        assert sorted(server.texts) == sorted(text for book in BOOKS for text in book.texts)
        assert [p.title for p in result.passages] == ["book 3", "book 1", "book 2", "book 0"]
        assert [p.ranks.reranked for p in result.passages] == [1, 2, 3, 4]
        assert (result.degraded, result.settings.reranker) == ([], "http")
        await reranker.close()

    async def test_more_than_one_request_may_hold_go_in_several(self, tei: RerankServer) -> None:
        texts = [f"tea {'z' * (number % 50)}" for number in range(100)]
        reranker = made_for(tei)
        assert await reranker.score("tea", texts) == [worth(text) for text in texts]
        assert sorted(len(batch) for _, batch in tei.seen) == [4, 32, 32, 32]
        await reranker.close()

    async def test_the_operator_sets_how_much_goes_at_once(self, server: RerankServer) -> None:
        reranker = made_for(server, reranker_http_batch=3, reranker_http_chars=100)
        await reranker.score("tea", ["z" * 150, "b", "c", "d"])
        assert sorted(len(batch) for _, batch in server.seen) == [1, 3]
        assert max(map(len, server.texts)) == 100
        await reranker.close()

    async def test_half_a_surrogate_pair_is_sent_as_a_question_mark(self, server: RerankServer) -> None:
        reranker = made_for(server)
        await reranker.score("te\ud800a", ["tea \udc00 z"])
        assert server.seen == [("te?a", ["tea ? z"])]
        await reranker.close()


SCORES = ("score", "relevance_score")
WRONG: dict[str, tuple[Callable[[Scored], Scored], str]] = {
    "an index of no text": (lambda scored: [{**scored[0], "index": 4}, *scored[1:]], "text 4 of 4"),
    "an index below 0": (lambda scored: [{**scored[0], "index": -1}, *scored[1:]], "text -1 of 4"),
    "an endless index": (lambda scored: [{**scored[0], "index": 10**4000}, *scored[1:]], "shape"),
    "an index that is a text": (lambda scored: [{**scored[0], "index": "0"}, *scored[1:]], "shape"),
    "an index that is a truth value": (lambda scored: [{**scored[0], "index": True}, *scored[1:]], "shape"),
    "the same text twice": (lambda scored: [*scored, scored[0]], "text 3 twice"),
    "a text too few": (lambda scored: scored[1:], "scores 3 of 4"),
    "nothing": (lambda scored: [], "scores 0 of 4"),
    "no number": (
        lambda scored: [{**scored[0], **dict.fromkeys(SCORES, float("nan"))}, *scored[1:]],
        "finite",
    ),
    "infinity": (
        lambda scored: [{**scored[0], **dict.fromkeys(SCORES, float("inf"))}, *scored[1:]],
        "finite",
    ),
    "no score": (lambda scored: [{"index": one["index"]} for one in scored], "shape"),
}


class TestWrongAnswers:
    @pytest.mark.parametrize("wrong", WRONG)
    async def test_an_answer_that_cannot_be_right_is_named_and_not_used(
        self, server: RerankServer, wrong: str
    ) -> None:
        spoil, named = WRONG[wrong]
        server.spoil = spoil
        reranker = made_for(server)
        failure = await failure_of(reranker)
        assert isinstance(failure, Unavailable)
        assert failure.part == "rerank"
        assert named in failure.detail
        await reranker.close()

    @pytest.mark.parametrize("body", [b"", b"<html>", b"[" * 100_000, b'{"results": 1}', b"\xff"])
    async def test_a_body_of_another_shape_is_named(self, server: RerankServer, body: bytes) -> None:
        server.body = body
        reranker = made_for(server)
        assert "shape" in (await failure_of(reranker)).detail
        await reranker.close()

    async def test_an_endless_body_is_cut_off(self, tei: RerankServer) -> None:
        tei.body = b" " * (3 * 2**20)
        reranker = made_for(tei)
        assert (await failure_of(reranker)).code == "fetched_too_much"
        await reranker.close()

    async def test_the_fused_order_stands_and_the_reason_is_told(self, server: RerankServer) -> None:
        server.spoil = WRONG["the same text twice"][0]
        reranker = made_for(server)
        on = FunnelOnFakes(reranker)
        await on.add(*BOOKS)
        counted = metrics.DEGRADED.labels("rerank")
        before = counted._value.get()
        result = await on.search("tea", explain=True)
        assert [p.ranks.fused for p in result.passages] == [1, 2, 3, 4]
        assert all(p.ranks.reranked is None for p in result.passages)
        assert result.degraded == ["rerank"]
        assert counted._value.get() == before + 1
        report = next(one for one in result.explanation or [] if one.stage == "rerank")
        assert "twice" in report.notes["failed"]
        await reranker.close()


class TestRefusals:
    @pytest.mark.parametrize(
        ("status", "kind", "named"),
        [
            (400, Misconfigured, "FOOTNOTE_RERANKER_HTTP"),
            (401, Misconfigured, "FOOTNOTE_RERANKER_HTTP_KEY"),
            (403, Misconfigured, "FOOTNOTE_RERANKER_HTTP_KEY"),
            (404, Misconfigured, "address"),
            (413, Misconfigured, "FOOTNOTE_RERANKER_HTTP_BATCH"),
            (422, Misconfigured, "model"),
            (424, Unavailable, "424"),
            (429, Unavailable, "too often"),
            (500, Unavailable, "500"),
            (503, Unavailable, "503"),
        ],
    )
    async def test_a_status_says_who_must_act(
        self, server: RerankServer, status: int, kind: type[FootnoteError], named: str
    ) -> None:
        server.refusal = Refusal(status)
        reranker = made_for(server)
        failure = await failure_of(reranker)
        assert isinstance(failure, kind)
        assert named in failure.detail
        await reranker.close()

    async def test_too_large_a_batch_is_refused_as_the_server_refuses_it(self, tei: RerankServer) -> None:
        reranker = made_for(tei, reranker_http_batch=33)
        assert "FOOTNOTE_RERANKER_HTTP_BATCH" in (await failure_of(reranker, ["tea"] * 33)).detail
        assert len(await reranker.score("tea", ["tea"] * 32)) == 32
        await reranker.close()

    @pytest.mark.parametrize(("asked", "rest"), [("7", 7), ("100000", 60)])
    async def test_a_server_that_asks_for_a_rest_gets_it(
        self, server: RerankServer, asked: str, rest: int
    ) -> None:
        clock = Clock()
        server.refusal = Refusal(429, {"Retry-After": asked})
        reranker = made_for(server, clock)
        await failure_of(reranker)
        server.refusal = None
        clock.seconds += rest - 0.5
        assert "left alone" in (await failure_of(reranker)).detail
        assert server.asked == 1
        clock.seconds += 1
        assert await reranker.score("tea", TEXTS) == [worth(text) for text in TEXTS]
        await reranker.close()

    async def test_a_busy_server_that_names_no_time_is_asked_again(self, server: RerankServer) -> None:
        server.refusal = Refusal(503)
        reranker = made_for(server)
        await failure_of(reranker)
        server.refusal = None
        assert len(await reranker.score("tea", TEXTS)) == 4
        await reranker.close()

    async def test_a_redirect_is_not_followed_with_the_key(self, tei: RerankServer) -> None:
        tei.refusal = Refusal(307, {"Location": f"{tei.url}/elsewhere"})
        reranker = made_for(tei)
        assert (await failure_of(reranker)).code == "fetch_refused"
        await reranker.close()

    async def test_a_server_that_is_not_there_costs_the_order_and_not_the_answer(
        self, tei: RerankServer
    ) -> None:
        reranker = made_for(tei, reranker_http_url="http://127.0.0.1:9")
        on = FunnelOnFakes(reranker)
        await on.add(*BOOKS)
        result = await on.search("tea")
        assert (len(result.passages), result.degraded) == (4, ["rerank"])
        await reranker.close()


class TestKey:
    async def test_it_is_in_no_log_and_no_error(self, server: RerankServer) -> None:
        reranker = made_for(server, reranker_http_key="another-secret")
        on = FunnelOnFakes(reranker)
        await on.add(*BOOKS)
        with capture_logs() as logs:
            result = await on.search("tea", explain=True)
        assert result.degraded == ["rerank"]
        assert any(entry["event"] == "rerank.failed" for entry in logs)
        assert "another-secret" not in f"{logs} {result} {reranker._endpoint!r}"
        await reranker.close()

    async def test_without_one_none_is_sent(self, tei: RerankServer) -> None:
        reranker = made_for(tei, reranker_http_key="")
        assert isinstance(await failure_of(reranker), Misconfigured)
        await reranker.close()


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"reranker_http": "tei"}, "FOOTNOTE_RERANKER_HTTP_URL"),
        ({"reranker_http": "cohere"}, "FOOTNOTE_RERANKER_HTTP_MODEL"),
        ({"reranker_http": "tei", "reranker_http_url": "ftp://here"}, "FOOTNOTE_RERANKER_HTTP_URL"),
        ({"reranker_http": "tei", "reranker_http_url": "http://me:too@here"}, "FOOTNOTE_RERANKER_HTTP_URL"),
        (
            {"reranker_http": "voyage", "reranker_http_model": "m", "reranker_http_key": "a\nb"},
            "FOOTNOTE_RERANKER_HTTP_KEY",
        ),
    ],
)
def test_settings_that_cannot_work_are_named(settings: dict[str, str], named: str) -> None:
    with pytest.raises(Misconfigured, match=named):
        http_reranker(Settings.model_validate(settings))


def test_without_the_setting_there_is_none() -> None:
    assert http_reranker(Settings.model_validate({})) is None


@pytest.mark.parametrize(
    ("shape", "address"),
    [
        ("cohere", "https://api.cohere.com/v2/rerank"),
        ("jina", "https://api.jina.ai/v1/rerank"),
        ("voyage", "https://api.voyageai.com/v1/rerank"),
    ],
)
def test_a_provider_is_asked_at_its_own_address(shape: str, address: str) -> None:
    reranker = http_reranker(Settings.model_validate({"reranker_http": shape, "reranker_http_model": "m"}))
    assert reranker is not None
    assert reranker.address == address
