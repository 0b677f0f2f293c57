"""`footnote lanes`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer, problem

CHECKS = {"expected": 40, "found": 40, "overlap": 0.75, "ndcg_live": None}


def version(number: int, status: str, **more: Any) -> dict[str, Any]:
    return {
        "number": number,
        "status": status,
        "model": "m[1]",
        "chunks": 10,
        "chunks_total": 40,
        "changes": 0,
        "takes_over": False,
        **more,
    }


def lane(live: int, *versions: dict[str, Any]) -> dict[str, Any]:
    return {"name": "document", "live": live, "models": ["m[1]", "other"], "versions": list(versions)}


BUILDING = version(2, "building", takes_over=True, per_second=15.0, seconds_left=2.0)


@pytest.fixture
def ready(server: FakeServer) -> FakeServer:
    server.answers |= {
        "GET /v1/lanes": Canned({"items": [lane(1, BUILDING, version(1, "live"))]}),
        "POST /v1/lanes/document:reembed": Canned(lane(1, BUILDING, version(1, "live")), 202),
        "GET /v1/lanes/document": Canned(lane(2, version(2, "live", checks=CHECKS), version(1, "previous"))),
    }
    return server


def test_the_list_shows_progress_rate_and_estimate(footnote: Footnote, ready: FakeServer) -> None:
    done = footnote("lanes", url=ready.url)
    assert done.status == 0
    for told in ("version 1 is searched", "10 of 40 chunks", "15 a second", "2 s left", "m[1]"):
        assert told in done.out, told


def test_reembed_follows_it_to_its_end_and_shows_the_comparison(
    footnote: Footnote, ready: FakeServer, tmp_path: Path
) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text(json.dumps({"query": "fares", "relevant": ["d1"]}) + "\n\n")
    options = ("--model", "other", "--queries", str(queries), "--hold", "--min-overlap", "0.5")
    done = footnote("lanes", "reembed", *options, url=ready.url)
    assert done.status == 0
    assert "0.750" in done.out
    (asked,) = ready.of("POST /v1/lanes/document:reembed")
    assert asked.body == {
        "model": "other",
        "queries": [{"query": "fares", "relevant": ["d1"]}],
        "switch": False,
        "min_overlap": 0.5,
        "query_prefix": "",
        "document_prefix": "",
    }


def test_a_lane_is_followed_that_takes_no_orders(footnote: Footnote, ready: FakeServer) -> None:
    facts = {**lane(1, version(1, "live", reason=None)), "name": "fact", "follows": "document"}
    ready.answers["GET /v1/lanes/fact"] = Canned(facts)
    done = footnote("lanes", "follow", "--lane", "fact", url=ready.url)
    assert done.status == 0
    assert "follows the model of the lane document by itself" in done.out


def test_a_version_that_waits_for_somebody_is_no_success(footnote: Footnote, ready: FakeServer) -> None:
    stuck = version(2, "ready", reason="By the judgements it is worse.", checks=CHECKS)
    ready.answers["GET /v1/lanes/document"] = Canned(lane(1, stuck, version(1, "live")))
    done = footnote("lanes", "reembed", url=ready.url)
    assert done.status == 1
    assert "By the judgements it is worse." in done.out


def test_queries_that_are_none_are_refused_before_anything_is_sent(
    footnote: Footnote, ready: FakeServer, tmp_path: Path
) -> None:
    broken = tmp_path / "queries.jsonl"
    broken.write_text("not json\n")
    done = footnote("lanes", "reembed", "--queries", str(broken), url=ready.url)
    assert done.status == 2
    assert not ready.of("POST /v1/lanes/document:reembed")


@pytest.mark.parametrize("what", ["switch", "rollback", "cancel", "retire"])
def test_each_act_is_one_call(footnote: Footnote, ready: FakeServer, what: str) -> None:
    path = f"POST /v1/lanes/document:{what}"
    ready.answers[path] = Canned(lane(1, version(2, "switching"), version(1, "live")), 202)
    assert footnote("lanes", what, url=ready.url).status == 0
    assert len(ready.of(path)) == 1


def test_what_the_server_refuses_is_said(footnote: Footnote, ready: FakeServer) -> None:
    ready.answers["GET /v1/lanes"] = problem(403, "Lanes belong to the whole deployment.")
    done = footnote("lanes", url=ready.url)
    assert done.status == 1
    assert "Lanes belong to the whole deployment." in done.err
