"""`POST /v1/ground`: any text against any passages (spec 2.6, 9.5)."""

from collections.abc import Iterator

import httpx
import pytest

from tests.integration.resolver.processes import Caller, ResolverStack
from tests.model_cache import CACHE

LAUNCH = "We agreed to push launch to March 10."
COMET = "The comet Halvorsen returns every 71 years and its tail is green."
PASSAGES = [{"id": "1", "text": LAUNCH}, {"id": "2", "text": COMET}]


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResolverStack]:
    folder = tmp_path_factory.mktemp("ground")
    made = ResolverStack(folder, f"sqlite:///{folder / 'footnote.db'}", CACHE)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def http(caller: Caller) -> Iterator[httpx.Client]:
    with caller.http(timeout=180) as client:
        yield client


def test_marks_are_no_part_of_a_claim_and_name_what_the_text_cites(http: httpx.Client) -> None:
    text = (
        "The launch was pushed to March 10 [1]. The tail of the comet is green. [citation:1] "
        "It returns every 75 years 【2】."
    )
    got = http.post("/v1/ground", json={"text": text, "passages": PASSAGES}).json()
    claims = got["claims"]
    assert [claim["text"] for claim in claims] == [text[slice(*claim["span"])] for claim in claims]
    assert [claim["verdict"] for claim in claims] == ["supported", "supported", "unsupported"]
    assert [claim["citations"] for claim in claims] == [["1"], ["2"], []]
    assert [claim["cited"] for claim in claims] == [["1"], ["1"], ["2"]]
    assert [claim["misattributed"] for claim in claims] == [False, True, False]
    assert (got["score"], got["degraded"]) == (0.6667, [])


def test_marks_change_no_verdict(http: httpx.Client) -> None:
    claims = [
        f"The tail of the comet is green{mark}."
        for mark in ("", " [1]", " [citation:7]", " ([1], [2])", "[^1]", "【3】")
    ]
    got = http.post("/v1/ground", json={"claims": claims, "passages": PASSAGES}).json()["claims"]
    assert [claim["text"] for claim in got] == claims
    assert len({(claim["verdict"], claim["support"][0]["score"]) for claim in got}) == 1


def test_passages_of_one_id_are_parts_of_one_source(http: httpx.Client) -> None:
    passages = [{"id": "doc", "text": LAUNCH}, {"id": "doc", "text": COMET}]
    got = http.post(
        "/v1/ground", json={"claims": ["The comet's tail is green."], "passages": passages}
    ).json()
    assert (got["claims"][0]["citations"], len(got["claims"][0]["support"])) == (["doc"], 1)


def test_five_hundred_claims_and_no_more(http: httpx.Client) -> None:
    claims = [f"The comet returned {n} times and its tail is green." for n in range(500)]
    got = http.post("/v1/ground", json={"claims": claims, "passages": PASSAGES}).json()
    assert len(got["claims"]) == 500
    refused = http.post("/v1/ground", json={"claims": [*claims, "One more."], "passages": PASSAGES})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "claims")


@pytest.mark.parametrize(
    "body",
    [
        {"claims": ["a b c"], "passages": [{"id": "p", "text": "x" * 400_001}]},
        {"text": "x" * 100_001, "passages": []},
    ],
)
def test_sizes_beyond_reason_are_too_large(http: httpx.Client, body: dict[str, object]) -> None:
    assert http.post("/v1/ground", json=body).status_code == 413


@pytest.mark.parametrize(
    "text",
    ["", " ", "[1]", "[citation:1]", "\0 a b c.", "?" * 5000, "a b " * 20_000, '"' * 3000, "1 " * 30_000],
)
def test_odd_texts_are_answered(http: httpx.Client, text: str) -> None:
    passages = [{"id": "p", "text": text}, {"id": "q", "text": ""}]
    for body in ({"text": text}, {"claims": [text]}):
        got = http.post("/v1/ground", json={**body, "passages": passages})
        assert got.status_code == 200, got.text
        assert 0 <= got.json()["score"] <= 1


def test_nothing_to_check_scores_nothing(http: httpx.Client) -> None:
    assert http.post("/v1/ground", json={"text": "Hello!", "passages": PASSAGES}).json() == {
        "score": 0.0,
        "claims": [],
        "degraded": [],
    }


class TestGround:
    PASSAGES = (
        {"id": "p1", "text": "We agreed to push the launch to March 10. Marketing is told next week."},
        {"id": "p2", "text": "The comet Halvorsen returns every 71 years and its tail is green."},
    )

    def test_claims_are_judged_and_cited(self, http: httpx.Client) -> None:
        text = (
            "The launch was pushed to March 10. The comet returns every 75 years. "
            "Penguins live mostly in the south."
        )
        got = http.post("/v1/ground", json={"text": text, "passages": self.PASSAGES}).json()
        assert (got["claims"][0]["verdict"], got["claims"][0]["citations"]) == ("supported", ["p1"])
        assert got["claims"][2]["verdict"] == "unsupported"
        assert got["claims"][1]["verdict"] != "supported"
        assert all(text[c["span"][0] : c["span"][1]] == c["text"] for c in got["claims"])
        assert 0 < got["score"] < 1

    def test_given_claims_and_no_passages(self, http: httpx.Client) -> None:
        got = http.post("/v1/ground", json={"claims": ["Its tail is green."], "passages": []}).json()
        assert got["score"] == 0
        assert got["claims"][0]["verdict"] == "unsupported"

    def test_either_of_them(self, http: httpx.Client) -> None:
        assert http.post("/v1/ground", json={"passages": []}).status_code == 422
