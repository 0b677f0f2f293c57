"""`footnote doctor`: what is configured, what answers and what is missing."""

import json
from pathlib import Path

from footnote_testing.redis_process import start_redis
from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Asked, Canned, FakeServer, problem


def test_what_does_not_work_is_named_with_what_to_do(footnote: Footnote) -> None:
    done = footnote("doctor", url="http://127.0.0.1:9")
    assert done.status == 1
    assert "run `footnote migrate`" in done.out
    assert "start it with `footnote up`" in done.out
    assert "the extractive engine answers" in done.out
    assert "fn_test" not in done.out
    (line,) = [line for line in done.out.splitlines() if line.startswith("FOOTNOTE_API_KEY")]
    assert line.split()[1:3] == ["********", "environment"]


def test_a_database_that_is_away_is_named_and_no_command_crashes(footnote: Footnote, tmp_path: Path) -> None:
    away = {"url": "http://127.0.0.1:9", "database_url": "postgresql+psycopg://ours:planted@127.0.0.1:9/none"}
    (tmp_path / "backup").mkdir()
    done = footnote("doctor", "--json", **away)
    assert done.status == 1
    assert json.loads(done.out)["checks"]["database"] == "The database does not answer."
    for words in (["migrate"], ["migrate", "--check"], ["backup", str(tmp_path / "backup")]):
        done = footnote(*words, **away)
        assert (done.status, "The database does not answer." in done.err) == (1, True), words
        assert "planted" not in done.out + done.err


def test_no_secret_is_shown_that_stands_in_an_address_or_an_option(footnote: Footnote) -> None:
    endpoint = "http://us:planted-s3@127.0.0.1:9"
    planted = {
        "url": "http://127.0.0.1:9",
        "database_url": "postgresql+psycopg://127.0.0.1:9/none?user=us&password=planted-sql",
        "redis_url": "redis://:planted-redis@127.0.0.1:9/0",
        "stream_redis_urls": json.dumps(["redis://:planted-one@127.0.0.1:9/1"]),
        "qdrant_url": "http://us:planted-qdrant@127.0.0.1:9",
        "blob_url": "s3://ours/prefix",
        "blob_options": json.dumps({"endpoint": endpoint, "session_token": "planted-session"}),
        "chat_base_url": "http://planted-user@127.0.0.1:9/v1?api_key=planted-query",
        "chat_model": "gull-7b",
        "reranker_http": "tei",
        "reranker_http_url": "http://us:planted-rank@127.0.0.1:9",
        "otlp_endpoint": "http://us:planted-traces@127.0.0.1:9",
    }
    for words in (["doctor"], ["doctor", "--json"]):
        done = footnote(*words, **planted)
        assert "planted" not in done.out + done.err
        assert "127.0.0.1:9/v1" in done.out


def test_a_redis_of_streams_that_does_not_answer_is_named(footnote: Footnote, tmp_path: Path) -> None:
    one = start_redis(tmp_path / "one")
    urls = [one.url, "redis://:planted@127.0.0.1:9/0"]
    found = footnote("doctor", "--json", stream_redis_urls=json.dumps(urls))
    whole = footnote("doctor", "--json", stream_redis_urls=json.dumps(urls[:1]))
    one.stop()
    told = json.loads(found.out)["checks"]["redis"]
    assert told == "Redis at 127.0.0.1:9/0, which keeps streams of turns, does not answer."
    assert f"; streams of turns in 127.0.0.1:{one.port}/0 (Redis " in json.loads(whole.out)["checks"]["redis"]


def test_all_well_is_0(footnote: Footnote, server: FakeServer) -> None:
    server.answers["GET /readyz"] = Canned({"status": "ready"})
    server.answers["GET /qdrant"] = Canned({"title": "qdrant", "version": "9.9"})
    server.answers["GET /models/models"] = Canned({"data": []})
    assert footnote("migrate").status == 0
    settings = {
        "url": server.url,
        "qdrant_url": f"{server.url}/qdrant",
        "chat_base_url": f"{server.url}/models",
        "chat_model": "gull-7b",
        "parse_confinement": "off",
        "reranker_http": "tei",
        "reranker_http_url": "http://ranks.example",
        "reranker_http_key": "secret of the reranker",
    }
    done = footnote("doctor", "--json", **settings)
    assert done.status == 0
    found = json.loads(done.out)
    assert found["checks"]["vectors"] == "ok, qdrant 9.9"
    assert found["checks"]["database"] == "ok, SQLite, up to date"
    assert found["checks"]["parser"] == "ok, but not confined: FOOTNOTE_PARSE_CONFINEMENT is off"
    assert found["optional"]["chat model"] == f"gull-7b at {server.url}/models: answers 200"
    assert found["optional"]["reranker"] == "tei at http://ranks.example, with a key"
    assert "secret of the reranker" not in done.out
    assert found["settings"]["api_key"] == {"value": "********", "source": "environment"}


def test_the_flags_of_the_workspace_are_named(footnote: Footnote, server: FakeServer) -> None:
    def told() -> str:
        found = json.loads(footnote("doctor", "--json", url=server.url).out)
        return str(found["optional"]["flags"])

    assert "no server is ready" in told()
    server.answers["GET /readyz"] = Canned({"status": "ready"})
    server.answers["GET /v1/flags"] = Canned({"items": []}, status=403)
    assert told().startswith("the workspace's flags are not known")
    flags = [
        {"name": "fusion", "value": "rrf", "source": "workspace"},
        {"name": "alpha", "value": 0.5, "source": "environment"},
    ]
    server.answers["GET /v1/flags"] = Canned({"items": flags})
    assert told() == "the workspace has set fusion=rrf (see `footnote flags`)"
    server.answers["GET /v1/flags"] = Canned({"items": flags[1:]})
    assert "has set no flag" in told()


def test_how_far_the_next_version_of_a_lane_is(footnote: Footnote, server: FakeServer) -> None:
    def told() -> str:
        found = json.loads(footnote("doctor", "--json", url=server.url).out)
        return str(found["optional"]["lanes"])

    server.answers["GET /readyz"] = Canned({"status": "ready"})
    server.answers["GET /v1/lanes"] = Canned({"items": []}, status=403)
    assert told().startswith("not known")
    building = {"number": 2, "status": "building", "chunks": 10, "chunks_total": 40}
    rate = {"per_second": 15.0, "seconds_left": 2.0}
    live = {"number": 1, "status": "live"}
    lane = {"name": "document", "live": 1, "versions": [{**building, **rate}, live]}
    server.answers["GET /v1/lanes"] = Canned({"items": [lane]})
    assert "2 is building (10 of 40 chunks, 15 a second, 2 s left)" in told()


def test_the_stores_are_compared_and_what_was_done_is_said(footnote: Footnote, server: FakeServer) -> None:
    counts = dict.fromkeys(
        (
            "vectors_without_row",
            "rows_without_vector",
            "rows_without_bytes",
            "blobs_without_row",
            "documents_stuck",
            "documents_failed",
            "removals_stuck",
        ),
        0,
    )
    server.answers["POST /v1/documents:reconcile"] = Canned(
        {**counts, "part": "vectors", "looked_at": 7, "vectors_without_row": 3}
    )
    done = footnote("doctor", "--reconcile", url=server.url)
    assert done.status == 0
    assert "3 vectors that no document needs: removed" in done.out
    found = json.loads(footnote("doctor", "--reconcile", "--json", url=server.url).out)
    assert (found["vectors_without_row"], found["texts_lost"]) == (3, 0)
    server.answers["POST /v1/documents:reconcile"] = Canned(
        {**counts, "part": "documents", "looked_at": 7, "rows_without_bytes": 1}
    )
    assert footnote("doctor", "--reconcile", url=server.url).status == 1


def test_a_comparison_goes_on_portion_after_portion_and_where_it_was_interrupted(
    footnote: Footnote, server: FakeServer
) -> None:
    is_down = True

    def portion(asked: Asked) -> Canned:
        following = {None: "two", "two": "three", "three": None}[asked.body.get("cursor")]
        if following is None and is_down:
            return problem(503, "The vectors do not answer.")
        return Canned({"part": "documents", "looked_at": 5, "texts_lost": 1, "next_cursor": following})

    server.answers["POST /v1/documents:reconcile"] = portion
    broken = footnote("doctor", "--reconcile", url=server.url)
    assert broken.status != 0
    assert "footnote doctor --reconcile --from three" in broken.err
    is_down = False
    done = footnote("doctor", "--reconcile", "--from", "three", url=server.url)
    assert (done.status, "1 documents whose text was lost" in done.out) == (0, True)
