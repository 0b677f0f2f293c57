"""`footnote docs` and `footnote status`."""

import json

import pytest

from footnote_cli.commands.docs import stage_times
from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer, problem

ID = "01a2019d-8c73-73bb-9af3-d3a64e8615d8"
DOCUMENT = {
    "id": ID,
    "status": "indexed",
    "chunks": 3,
    "folder": "/birds [sea]",
    "filename": "gulls.md",
    "title": "Gulls [sic]",
}
FAILED = {**DOCUMENT, "status": "failed", "chunks": 0, "folder": "/", "error": {"reason": "It is empty."}}
FACT = {
    "id": "f1",
    "text": "The allowance in Lisbon is 60 euros.",
    "quote": "Lisbon: 60 [euros]",
    "source_ref": {"document_id": ID, "chunk_id": "c1", "title": "Gulls"},
    "also_in": [{"document_id": ID, "chunk_id": "c2", "title": "Travel [old]"}],
}
EVENT = {"at": "2026-11-21T10:00:00Z", "version": 1, "status": "indexed", "duration_ms": 12.6, "detail": None}


class TestListing:
    def test_a_page_is_a_table_that_says_how_to_go_on(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers["GET /v1/documents"] = Canned({"items": [DOCUMENT, FAILED], "next_cursor": "c2"})
        done = footnote("docs", "--status", "indexed", "--limit", "2", url=server.url)
        assert done.status == 0
        lines = done.out.splitlines()
        assert lines[-3].split() == ["4e8615d8", "indexed", "3", "/birds", "[sea]/gulls.md", "Gulls", "[sic]"]
        assert lines[-2].split() == ["4e8615d8", "failed", "0", "/gulls.md", "It", "is", "empty."]
        assert lines[-1] == "more: --cursor c2"
        assert server.asked[0].query == "status=indexed&limit=2"

    def test_one_is_shown_with_its_timeline(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers[f"GET /v1/documents/{ID}"] = Canned(DOCUMENT)
        server.answers[f"GET /v1/documents/{ID}/events"] = Canned({"items": [EVENT]})
        done = footnote("docs", "show", ID, url=server.url)
        assert "title         Gulls [sic]" in done.out
        assert "2026-11-21T10:00:00Z" in done.out.splitlines()[-1]
        shown = json.loads(footnote("docs", "show", ID, "--json", url=server.url).out)
        assert shown == {**DOCUMENT, "timeline": [EVENT]}

    def test_times_belong_to_the_stage_that_took_them(self) -> None:
        given = [None, 5.0, 1200.0, None, 80.0]
        items = [{"status": str(n), "duration_ms": ms} for n, ms in enumerate(given)]
        assert stage_times(items) == [5.0, 1200.0, 80.0, None, None]

    def test_the_wait_between_a_failure_and_the_next_version_is_the_time_of_neither(self) -> None:
        given = [("queued", None), ("extracting", 7.0), ("failed", 30.0), ("queued", 60_000.0)]
        items = [{"status": status, "duration_ms": ms} for status, ms in given]
        assert stage_times(items) == [7.0, 30.0, None, None]

    def test_a_failure_is_told_in_words(self, footnote: Footnote, server: FakeServer) -> None:
        error = {"stage": "extracting", "code": "empty", "reason": "The file is empty.", "retryable": False}
        server.answers[f"GET /v1/documents/{ID}"] = Canned({**DOCUMENT, "status": "failed", "error": error})
        server.answers[f"GET /v1/documents/{ID}/events"] = Canned({"items": [EVENT]})
        lines = footnote("docs", "show", ID, url=server.url).out.splitlines()
        assert "error         The file is empty." in [line.rstrip() for line in lines]


class TestFacts:
    def test_each_is_shown_with_the_words_that_say_so(self, footnote: Footnote, server: FakeServer) -> None:
        found = {"document_id": ID, "fact_extraction_status": "completed", "items": [FACT]}
        server.answers[f"GET /v1/documents/{ID}/facts"] = Canned(found)
        done = footnote("facts", ID, url=server.url)
        assert done.status == 0
        assert [line.strip() for line in done.out.splitlines()] == [
            "The allowance in Lisbon is 60 euros.",
            "“Lisbon: 60 [euros]”",
            "also in Travel [old]",
        ]
        assert json.loads(footnote("facts", ID, "--json", url=server.url).out) == found

    @pytest.mark.parametrize(
        ("state", "status", "said"),
        [
            ("not_applicable", 0, "No model reads"),
            ("queued", 0, "waits"),
            ("completed", 0, "no fact was found"),
            ("failed", 1, "could not be read. It was too long."),
        ],
    )
    def test_where_there_are_none_it_says_why(
        self, footnote: Footnote, server: FakeServer, state: str, status: int, said: str
    ) -> None:
        reason = "It was too long." if state == "failed" else None
        found: dict[str, object] = {
            "document_id": ID,
            "fact_extraction_status": state,
            "reason": reason,
            "items": [],
        }
        server.answers[f"GET /v1/documents/{ID}/facts"] = Canned(found)
        done = footnote("facts", ID, url=server.url)
        assert (done.status, said in done.out) == (status, True)


class TestDeletion:
    def test_a_receipt_says_what_has_gone_where(self, footnote: Footnote, server: FakeServer) -> None:
        counts = {"rows": 4, "vectors": 3, "blobs": 2, "originals": 1}
        found = {"document_id": ID, "gone_at": "2026-11-21T10:00:00Z", "children": 1, "removed": counts}
        server.answers[f"GET /v1/documents/{ID}/receipt"] = Canned(found)
        done = footnote("docs", "receipt", ID, url=server.url)
        assert "3 vectors" in done.out
        assert "gone at 2026-11-21" in done.out
        server.answers["GET /v1/documents/4e8615d8/receipt"] = Canned(found)
        assert footnote("docs", "receipt", "4E8615D8", url=server.url).out == done.out
        assert footnote("docs", "receipt", "gulls/../x", url=server.url).status == 2

    def test_a_hold_is_set_and_lifted(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers[f"PATCH /v1/documents/{ID}"] = lambda asked: Canned({**DOCUMENT, **asked.body})
        assert "under legal hold" in footnote("docs", "hold", ID, url=server.url).out
        assert "deleted again" in footnote("docs", "hold", ID, "--lift", url=server.url).out


class TestShortIds:
    def test_either_end_of_an_id_names_its_document(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers["GET /v1/documents"] = Canned({"items": [DOCUMENT]})
        server.answers[f"DELETE /v1/documents/{ID}"] = Canned(DOCUMENT, 202)
        assert footnote("docs", "delete", "4e8615d8", url=server.url).out == f"Deleted {ID}.\n"
        assert server.asked[0].query == "id=4e8615d8&limit=6"

    def test_several_of_that_end_are_named(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers["GET /v1/documents"] = Canned({"items": [DOCUMENT, {**DOCUMENT, "id": "other"}]})
        done = footnote("docs", "delete", "4e86", url=server.url)
        assert done.status == 2
        assert f"{ID}  Gulls [sic]" in done.err
        assert server.of(f"DELETE /v1/documents/{ID}") == []

    @pytest.mark.parametrize("given", ["4e8", "%", "gulls.md"])
    def test_what_is_no_id_is_wrong_use(self, footnote: Footnote, server: FakeServer, given: str) -> None:
        assert footnote("docs", "show", given, url=server.url).status == 2
        assert server.asked == []

    def test_one_that_is_not_there_is_1(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers[f"GET /v1/documents/{ID}"] = problem(404, "There is nothing here.")
        assert footnote("docs", "show", ID, url=server.url).status == 1


class TestDeletingAndRetrying:
    def test_a_folder_goes_with_a_receipt(self, footnote: Footnote, server: FakeServer) -> None:
        folders = [
            {"id": "f1", "path": "/birds", "documents": 2},
            {"id": "f2", "path": "/birds/sea", "documents": 3},
            {"id": "f3", "path": "/birdseed", "documents": 9},
        ]
        server.answers["GET /v1/folders"] = Canned({"items": folders})
        server.answers["DELETE /v1/folders/f1"] = Canned({"id": "f1", "path": "/birds", "documents": 5}, 202)
        unasked = footnote("docs", "delete", "--folder", "birds/", url=server.url)
        assert unasked.status == 2
        assert "add --yes to delete the 5 documents" in unasked.err
        assert server.of("DELETE /v1/folders/f1") == []
        done = footnote("docs", "delete", "--folder", "birds/", "--yes", url=server.url)
        assert done.out.startswith("Deleted 5 documents below /birds.")
        assert footnote("docs", "delete", "--folder", "/", "--yes", url=server.url).status == 2
        assert footnote("docs", "delete", url=server.url).status == 2

    def test_all_that_failed_are_tried_again(self, footnote: Footnote, server: FakeServer) -> None:
        failed = [{**FAILED, "id": "d1"}, {**FAILED, "id": "d2"}]
        server.answers["GET /v1/documents"] = Canned({"items": failed})
        server.answers["POST /v1/documents/d1:retry"] = Canned({**DOCUMENT, "status": "queued"})
        server.answers["POST /v1/documents/d2:retry"] = problem(409, "This one is queued.")
        done = footnote("docs", "retry", "--status", "failed", url=server.url)
        assert done.status == 0
        assert done.out.startswith("1 document queued again.")
        assert "d2: This one is queued." in done.err
        assert footnote("docs", "retry", "--status", "indexed", url=server.url).status == 2

    def test_one_is_tried_again(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers[f"POST /v1/documents/{ID}:retry"] = Canned({**DOCUMENT, "status": "queued"})
        assert footnote("docs", "retry", ID, url=server.url).out == "Gulls [sic]: queued\n"


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


class TestCuttingAgain:
    ROUTE = "/v1/documents:rechunk"

    def test_is_followed_to_its_end(self, footnote: Footnote, server: FakeServer) -> None:
        states = iter([rechunking(left=1), rechunking(running=False, outdated=0)])
        server.answers[f"POST {self.ROUTE}"] = Canned(rechunking(left=2), 202)
        server.answers[f"GET {self.ROUTE}"] = lambda _: Canned(next(states))
        done = footnote("docs", "rechunk", url=server.url)
        assert (done.status, done.out) == (0, "All documents are cut by the settings of now.\n")

    def test_says_what_could_not_be_read_again(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers[f"POST {self.ROUTE}"] = Canned(rechunking(running=False, outdated=0, failed=2), 202)
        done = footnote("docs", "rechunk", url=server.url)
        assert done.status == 1
        assert "2 could not be read again and stay as they were." in " ".join(done.out.split())

    def test_can_be_looked_at_and_stopped(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers[f"GET {self.ROUTE}"] = Canned(rechunking(left=2))
        server.answers[f"DELETE {self.ROUTE}"] = Canned(rechunking(running=False, outdated=2))
        looked = footnote("docs", "rechunk", "--status", url=server.url)
        assert looked.out == "2 of 3 documents are still to be cut again.\n"
        stopped = footnote("docs", "rechunk", "--stop", url=server.url)
        assert stopped.out == "Other settings have cut 2 documents. Nothing is running.\n"
        assert [asked.route for asked in server.asked] == [f"GET {self.ROUTE}", f"DELETE {self.ROUTE}"]


def rechunking(
    *, running: bool = True, left: int = 0, failed: int = 0, outdated: int = 3
) -> dict[str, object]:
    return {
        "running": running,
        "total": 3 if running else 0,
        "left": left,
        "failed": failed,
        "outdated": outdated,
    }
