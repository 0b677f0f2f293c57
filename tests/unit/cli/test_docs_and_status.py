"""`footnote docs` and `footnote status`."""

import json

import pytest

from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer, problem

DOCUMENT = {"id": "d1", "status": "indexed", "chunks": 3, "folder": "/birds [sea]", "title": "Gulls [sic]"}
EVENT = {"at": "2026-11-21T10:00:00Z", "version": 1, "status": "indexed", "duration_ms": 12.6, "detail": None}


class TestDocs:
    def test_a_page_is_a_table_that_says_how_to_go_on(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers["GET /v1/documents"] = Canned({"items": [DOCUMENT], "next_cursor": "c2"})
        done = footnote("docs", "--status", "indexed", "--limit", "1", url=server.url)
        assert done.status == 0
        assert done.out.splitlines()[-2].split() == [
            "d1",
            "indexed",
            "3",
            "/birds",
            "[sea]",
            "Gulls",
            "[sic]",
        ]
        assert done.out.splitlines()[-1] == "more: --cursor c2"
        assert server.asked[0].query == "status=indexed&limit=1"

    def test_one_is_shown_with_its_timeline(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers["GET /v1/documents/d1"] = Canned(DOCUMENT)
        server.answers["GET /v1/documents/d1/events"] = Canned({"items": [EVENT]})
        done = footnote("docs", "show", "d1", url=server.url)
        assert "title         Gulls [sic]" in done.out
        assert "2026-11-21T10:00:00Z" in done.out.splitlines()[-1]
        shown = json.loads(footnote("docs", "show", "d1", "--json", url=server.url).out)
        assert shown == {**DOCUMENT, "timeline": [EVENT]}

    def test_one_is_deleted_or_tried_again(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers["DELETE /v1/documents/d1"] = Canned({"receipt_url": "/v1/x"}, 202)
        server.answers["POST /v1/documents/d1:retry"] = Canned({**DOCUMENT, "status": "queued"})
        assert footnote("docs", "delete", "d1", url=server.url).out == "Deleted d1.\n"
        assert footnote("docs", "retry", "d1", url=server.url).out == "Gulls [sic]: queued\n"

    def test_one_that_is_not_there_is_1(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers["GET /v1/documents/d9"] = problem(404, "There is nothing here.")
        assert footnote("docs", "show", "d9", url=server.url).status == 1


class TestStatus:
    @pytest.mark.parametrize(("ready", "status"), [(200, 0), (503, 1)])
    def test_a_part_that_is_down_is_1(
        self, footnote: Footnote, server: FakeServer, ready: int, status: int
    ) -> None:
        services = {"ingest": {"sql": "ok", "redis": "ok" if ready == 200 else "does not answer"}}
        server.answers["GET /readyz"] = Canned({"status": "x", "services": services}, ready)
        server.answers["GET /v1/documents:stats"] = Canned(
            {"counts": {"indexed": 7}, "oldest_waiting_s": 61.7}
        )
        done = footnote("status", url=server.url)
        assert done.status == status
        assert f"ingest     sql ok, redis {services['ingest']['redis']}" in done.out
        assert "waited 62 s" in done.out
        assert json.loads(footnote("status", "--json", url=server.url).out)["documents"]["counts"] == {
            "indexed": 7
        }
