"""`footnote ingest`: what is uploaded, what is said of failures, and what stays when it ends early."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote_cli.uploads.bars import waiting_line
from footnote_cli.uploads.follow import StagesDone, follow, pause_after
from footnote_cli.uploads.local_files import LocalFile
from footnote_cli.uploads.outage import Outage
from footnote_cli.uploads.upload import UploadedFile, known_documents, upload, upload_all
from footnote_cli.uploads.watch import keep_in_step
from footnote_ingest.parsing.ocr import NEEDED
from footnote_shared.kernel.errors import TryLater, Unavailable
from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Asked, Canned, FakeServer, problem
from tests.unit.cli.scripted_api import api_of


def document(number: int, status: str = "indexed", **more: Any) -> dict[str, Any]:
    return {"id": f"d{number}", "status": status, "chunks": 3, **more}


def progress(*ended: dict[str, Any], absent: tuple[str, ...] = (), **waiting: int) -> dict[str, Any]:
    return {"waiting": waiting, "ended": list(ended), "absent": list(absent)}


def no_pause(seconds: float) -> None:
    """Nobody waits in these tests."""


@pytest.fixture
def file(tmp_path: Path) -> LocalFile:
    path = tmp_path / "gulls.txt"
    path.write_text("Gulls steal bread.")
    return LocalFile(path, "/birds")


class TestUploading:
    def test_a_busy_server_is_tried_five_times_as_it_asks(self, tmp_path: Path, file: LocalFile) -> None:
        busy = httpx.Response(429, headers={"Retry-After": "7"}, json={"title": "Slow down", "status": 429})
        pauses: list[float] = []
        api, asked = api_of(tmp_path, *[busy] * 4, httpx.Response(202, json=document(1)))
        assert upload(api, file, pauses.append, Outage()).document == document(1)
        assert pauses == [7.0] * 4
        assert b"Gulls steal bread." in asked[-1].content
        api, _ = api_of(tmp_path, *[busy] * 5)
        with pytest.raises(TryLater):
            upload(api, file, pauses.append, Outage())

    def test_a_server_that_asks_for_no_pause_gets_one_of_a_second(
        self, tmp_path: Path, file: LocalFile
    ) -> None:
        pauses: list[float] = []
        busy = httpx.Response(429, headers={"Retry-After": "0"}, json={"title": "Not now", "status": 429})
        api, _ = api_of(tmp_path, busy, httpx.Response(202, json=document(1)))
        upload(api, file, pauses.append, Outage())
        assert pauses == [1.0]

    def test_a_server_that_answers_is_not_gone(self, tmp_path: Path, file: LocalFile) -> None:
        broken = httpx.Response(503, headers={"Retry-After": "1"}, json={"title": "No store", "status": 503})
        api, asked = api_of(tmp_path, *[broken] * 5)
        with pytest.raises(Unavailable):
            upload(api, file, no_pause, Outage())
        assert len(asked) == 5

    def test_a_file_that_is_refused_or_cannot_be_read_has_its_reason(
        self, tmp_path: Path, file: LocalFile
    ) -> None:
        refused = httpx.Response(415, json={"title": "No", "status": 415, "detail": "Not a type we read."})
        api, _ = api_of(tmp_path, refused)
        assert upload(api, file, no_pause, Outage()).reason == "Not a type we read."
        missing = LocalFile(tmp_path / "gone.txt", "/")
        assert (
            upload(api, missing, no_pause, Outage()).reason
            == "The file cannot be read: No such file or directory."
        )

    def test_what_the_server_has_is_asked_in_several_requests(self, tmp_path: Path) -> None:
        hashed = [(LocalFile(tmp_path / f"{number}.txt", "/"), "0" * 64) for number in range(201)]
        api, asked = api_of(
            tmp_path,
            httpx.Response(200, json={"items": [document(n) for n in range(200)]}),
            httpx.Response(200, json={"items": [None]}),
        )
        known = known_documents(api, hashed)
        assert [len(json.loads(request.content)["items"]) for request in asked] == [200, 1]
        assert [file for file, _ in hashed[:-1]] == list(known)

    def test_what_is_ready_does_not_travel(self, tmp_path: Path, file: LocalFile) -> None:
        api, asked = api_of(tmp_path)
        ready = {file: UploadedFile(file, document(1), unchanged=True)}
        seen: list[None] = []
        assert upload_all(api, [file], ready, lambda: seen.append(None)).files == [ready[file]]
        assert (asked, len(seen)) == ([], 1)

    def test_a_server_that_refuses_everything_ends_the_uploads_and_every_file_is_told_of(
        self, tmp_path: Path
    ) -> None:
        files = [LocalFile(tmp_path / f"{number}.txt", "/") for number in range(30)]
        for one in files:
            one.path.write_text("Gulls.")
        gone = httpx.ConnectError("refused")
        api, _ = api_of(tmp_path, *[gone] * 60)
        uploads = upload_all(api, files, {}, lambda: None, Outage(patience_s=0))
        assert isinstance(uploads.stopped, Unavailable)
        assert uploads.accepted == 0
        assert all("It was not sent: Footnote does not answer" in (one.reason or "") for one in uploads.files)


class TestFollowing:
    def test_documents_are_asked_for_until_all_have_ended(self, tmp_path: Path, file: LocalFile) -> None:
        """By a server that answers when something has changed."""
        files = [UploadedFile(file, document(n, "queued")) for n in range(3)]
        failed = document(1, "failed", error={"reason": "It is empty."})
        api, asked = api_of(
            tmp_path,
            httpx.Response(200, json=progress(failed, chunking=1, embedding=1) | {"cursor": "one"}),
            httpx.Response(200, json=progress(document(2), indexing=1) | {"cursor": "two"}),
            httpx.Response(200, json=progress(document(0))),
        )
        shown: list[StagesDone] = []
        pauses: list[float] = []
        follow(api, files, shown.append, pauses.append, clock=lambda: 0.0)
        assert [list(one.done) for one in shown] == [[0] * 4, [3, 2, 1, 1], [3, 3, 3, 2], [3, 3, 3, 3]]
        assert [json.loads(request.content) for request in asked] == [
            {"ids": ["d0", "d1", "d2"]},
            {"ids": ["d0", "d2"], "wait_s": 5.0, "cursor": "one"},
            {"ids": ["d0"], "wait_s": 5.0, "cursor": "two"},
        ]
        assert [one.reason for one in files] == [None, "It is empty.", None]
        assert pauses == []

    def test_a_server_that_knows_nothing_of_waiting_is_asked_now_and_then(
        self, tmp_path: Path, file: LocalFile
    ) -> None:
        api, asked = api_of(
            tmp_path,
            httpx.Response(200, json=progress(indexing=1)),
            httpx.Response(200, json=progress(document(0))),
        )
        pauses: list[float] = []
        followed = [UploadedFile(file, document(0, "queued"))]
        follow(api, followed, lambda done: None, pauses.append, clock=lambda: 0.0)
        assert [json.loads(request.content) for request in asked] == [{"ids": ["d0"]}] * 2
        assert pauses == [0.25]

    def test_what_is_unchanged_is_not_asked_for(self, tmp_path: Path, file: LocalFile) -> None:
        api, asked = api_of(tmp_path)
        follow(api, [UploadedFile(file, document(1), unchanged=True)], lambda done: None, no_pause)
        assert asked == []

    def test_many_are_asked_for_in_several_requests(self, tmp_path: Path, file: LocalFile) -> None:
        files = [UploadedFile(file, document(n, "queued")) for n in range(1001)]
        api, asked = api_of(
            tmp_path,
            httpx.Response(200, json=progress(*(document(n) for n in range(1000)))),
            httpx.Response(200, json=progress(document(1000))),
        )
        follow(api, files, lambda done: None, no_pause)
        assert [len(json.loads(request.content)["ids"]) for request in asked] == [1000, 1]

    def test_of_many_requests_the_first_waits_and_the_others_cost_a_pause(
        self, tmp_path: Path, file: LocalFile
    ) -> None:
        files = [UploadedFile(file, document(n, "queued")) for n in range(1001)]
        api, asked = api_of(
            tmp_path,
            httpx.Response(200, json=progress(queued=1000) | {"cursor": "one"}),
            httpx.Response(200, json=progress(queued=1) | {"cursor": "other"}),
            httpx.Response(200, json=progress(*(document(n) for n in range(1000))) | {"cursor": "two"}),
            httpx.Response(200, json=progress(document(1000)) | {"cursor": "other"}),
        )
        pauses: list[float] = []
        follow(api, files, lambda done: None, pauses.append, clock=lambda: 0.0)
        assert [json.loads(request.content).get("cursor") for request in asked] == [None, None, "one", None]
        assert pauses == [0.25]

    def test_a_document_that_somebody_deletes_is_not_waited_for(
        self, tmp_path: Path, file: LocalFile
    ) -> None:
        followed = UploadedFile(file, document(1, "queued"))
        api, _ = api_of(tmp_path, httpx.Response(200, json=progress(absent=("d1",))))
        follow(api, [followed], lambda done: None, no_pause)
        assert followed.reason == "Its document was deleted meanwhile."

    def test_a_server_that_restarts_is_waited_for(self, tmp_path: Path, file: LocalFile) -> None:
        followed = UploadedFile(file, document(1, "queued"))
        away = httpx.ConnectError("refused")
        api, _ = api_of(tmp_path, away, away, httpx.Response(200, json=progress(document(1))))
        shown: list[StagesDone] = []
        follow(api, [followed], shown.append, no_pause)
        assert [one.silent for one in shown] == [False, True, True, False]
        assert waiting_line(shown[1]) == "the server does not answer; asking again"
        assert followed.document == document(1)

    def test_a_server_that_stays_away_for_minutes_is_given_up(self, tmp_path: Path, file: LocalFile) -> None:
        now = [0.0]

        def pause(seconds: float) -> None:
            now[0] += seconds

        api, asked = api_of(tmp_path, *[httpx.ConnectError("refused")] * 1000)
        with pytest.raises(Unavailable):
            follow(api, [UploadedFile(file, document(1, "queued"))], lambda done: None, pause, lambda: now[0])
        assert 300 < now[0] <= 310
        assert len(asked) > 50

    @pytest.mark.parametrize(("answer_s", "pause_s"), [(0.001, 0.25), (0.05, 2.0), (1.0, 5.0)])
    def test_a_slow_server_is_asked_less_often(self, answer_s: float, pause_s: float) -> None:
        assert pause_after(answer_s) == pytest.approx(pause_s)

    def test_what_is_waited_for_is_named(self) -> None:
        assert waiting_line(StagesDone([0] * 4, {"queued": 12, "embedding": 3})) == "3 embedding, 12 queued"


class TestWatching:
    def test_it_runs_after_a_change_and_again_when_the_server_is_back(self) -> None:
        outcomes = iter([None, Unavailable("footnote", "It does not answer."), None])
        runs: list[int] = []

        def run() -> None:
            runs.append(1)
            if (error := next(outcomes)) is not None:
                raise error

        keep_in_step([True, False, True, False, False], run)
        assert len(runs) == 3


class TestTheCommand:
    @pytest.fixture
    def folder(self, tmp_path: Path, server: FakeServer) -> Path:
        """Two files; the server has none, takes both, and fails the second."""
        folder = tmp_path / "birds"
        folder.mkdir()
        (folder / "gulls.txt").write_text("Gulls.")
        (folder / "terns.txt").write_text("Terns.")
        ended = {"d1": document(1), "d2": document(2, "failed", error={"reason": "It is empty."})}

        def accept(asked: Asked) -> Canned:
            return Canned(document(1 if b"gulls.txt" in asked.content else 2, "queued"), 202)

        server.answers |= {
            "POST /v1/documents:known": Canned({"items": [None, None]}),
            "POST /v1/documents": accept,
            "POST /v1/documents:progress": lambda asked: Canned(
                progress(*(ended[key] for key in asked.body["ids"]))
            ),
            "GET /v1/documents": Canned({"items": []}),
        }
        return folder

    def test_a_failure_is_shown_with_its_reason(
        self, footnote: Footnote, server: FakeServer, folder: Path
    ) -> None:
        done = footnote("ingest", str(folder), url=server.url)
        assert done.status == 1
        lines = done.err.splitlines()
        assert lines[lines.index("1 file: It is empty.") + 1].endswith("birds/terns.txt")
        assert done.out.startswith("1 of 2 documents in, 3 chunks, 0 unchanged, 1 failed,")

    def test_pictures_of_a_folder_that_no_program_reads_are_left_out(
        self, footnote: Footnote, server: FakeServer, folder: Path
    ) -> None:
        failed = document(2, "failed", error={"reason": f"The file is an image. {NEEDED}"})
        unread = {"d1": document(1), "d2": failed}
        server.answers["POST /v1/documents:progress"] = lambda asked: Canned(
            progress(*(unread[key] for key in asked.body["ids"]))
        )
        done = footnote("ingest", str(folder), url=server.url)
        assert done.status == 0
        assert "Failed" not in done.err
        assert "1 picture was left out: reading pictures (OCR) needs the program tesseract" in done.err
        assert done.out.startswith(
            "1 of 2 documents in, 3 chunks, 0 unchanged, 1 picture left out, 0 failed,"
        )
        # One that is named was meant to be read.
        named = footnote("ingest", str(folder / "gulls.txt"), str(folder / "terns.txt"), url=server.url)
        assert named.status == 1
        assert "1 failed" in named.out

    def test_without_waiting_nothing_is_asked_for(
        self, footnote: Footnote, server: FakeServer, folder: Path
    ) -> None:
        assert footnote("ingest", str(folder), "--no-wait", url=server.url).status == 0
        assert server.of("POST /v1/documents:progress") == []

    def test_json_holds_every_file(self, footnote: Footnote, server: FakeServer, folder: Path) -> None:
        server.answers["POST /v1/documents"] = problem(413, "Too large.")
        done = footnote("ingest", str(folder), "--json", url=server.url)
        assert done.status == 1
        items = json.loads(done.out)["items"]
        assert [item["error"]["reason"] for item in items] == ["Too large."] * 2
        assert items[0]["filename"].endswith("birds/gulls.txt")

    def test_an_empty_folder_is_wrong_use(
        self, footnote: Footnote, server: FakeServer, tmp_path: Path
    ) -> None:
        (tmp_path / "empty").mkdir()
        server.answers["GET /v1/documents"] = Canned({"items": []})
        done = footnote("ingest", str(tmp_path / "empty"), url=server.url)
        assert done.status == 2
        assert "no files" in done.err

    def test_json_is_whole_when_the_server_breaks_down(
        self, footnote: Footnote, server: FakeServer, folder: Path
    ) -> None:
        server.answers["POST /v1/documents"] = problem(403, "This key may only read.")
        forbidden = footnote("ingest", str(folder), "--json", url=server.url)
        assert len(json.loads(forbidden.out)["items"]) == 2
        server.answers["POST /v1/documents"] = problem(500, "A bug.")
        done = footnote("ingest", str(folder), "--json", url=server.url)
        assert done.status == 1
        told = json.loads(done.out)
        assert len(told["items"]) == 2
        assert told["stopped"] is not None

    def test_files_that_are_gone_are_named(
        self, footnote: Footnote, server: FakeServer, folder: Path
    ) -> None:
        self._has_gone(server, "/birds", "auks.txt", "puffins.txt")
        done = footnote("ingest", str(folder), "--no-wait", url=server.url)
        assert "2 files are gone; --sync removes them:\n  /birds/auks.txt\n  /birds/puffins.txt\n" in done.err

    def test_sync_refuses_to_remove_more_than_half_unless_it_is_forced(
        self, footnote: Footnote, server: FakeServer, folder: Path
    ) -> None:
        self._has_gone(server, "/birds", "auks.txt", "puffins.txt")
        server.answers["POST /v1/documents:delete"] = Canned({"documents": 2, "kept": []}, 202)
        sync = ["ingest", str(folder), "--no-wait", "--sync", "--yes"]
        refused = footnote(*sync, url=server.url)
        assert refused.status == 1
        assert "2 of 2 documents below /birds would be removed" in refused.err
        assert server.of("POST /v1/documents:delete") == []
        forced = footnote(*sync, "--force", url=server.url)
        assert forced.status == 0
        assert "2 removed" in forced.out
        (asked,) = server.of("POST /v1/documents:delete")
        assert asked.body["items"][0] == {"id": "auks.txt", "if_sha256": "0" * 64}

    def test_sync_removes_nothing_where_nobody_agrees(
        self, footnote: Footnote, server: FakeServer, folder: Path
    ) -> None:
        self._has_gone(server, "/birds", "auks.txt")
        done = footnote("ingest", str(folder), "--no-wait", "--sync", "--force", url=server.url)
        assert done.status == 2
        assert "add --yes" in done.err
        assert server.of("POST /v1/documents:delete") == []

    def test_a_dry_run_changes_nothing_and_says_what_and_why(
        self, footnote: Footnote, server: FakeServer, folder: Path
    ) -> None:
        self._has_gone(server, "/birds", "auks.txt")
        (folder / ".env").write_text("secret")
        done = footnote("ingest", str(folder), "--dry-run", url=server.url)
        assert done.status == 0
        rows = [line.split() for line in done.out.splitlines()]
        assert ["upload", "6", "birds/gulls.txt", "new"] in rows
        assert ["leave", "6", "birds/.env", "hidden"] in rows
        assert ["gone", "7", "/birds/auks.txt", "its", "file", "is", "gone"] in rows
        assert done.out.splitlines()[-1].startswith("2 files of 2 would be uploaded, 12 bytes; 1 left out,")
        assert {asked.route for asked in server.asked} == {"POST /v1/documents:known", "GET /v1/documents"}

    def test_standard_input_goes_up_under_the_name_that_it_is_given(
        self, footnote: Footnote, server: FakeServer, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server.answers["POST /v1/documents:known"] = Canned({"items": [None]})
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Gulls from a pipe.")))
        done = footnote("ingest", "-", "--name", "gulls.txt", "--folder", "birds", url=server.url)
        assert done.status == 0
        (asked,) = server.of("POST /v1/documents")
        assert b"Gulls from a pipe." in asked.content
        assert footnote("ingest", "-", url=server.url).status == 2

    def test_a_path_that_is_not_there_is_wrong_use(self, footnote: Footnote) -> None:
        done = footnote("ingest", "nowhere")
        assert done.status == 2
        assert "There is no file or folder nowhere." in done.err

    @staticmethod
    def _has_gone(server: FakeServer, folder: str, *names: str) -> None:
        """The server holds documents of these names, whose files are not there."""
        items = [
            {
                "id": name,
                "folder": folder,
                "filename": name,
                "sha256": "0" * 64,
                "size": 7,
                "status": "indexed",
            }
            for name in names
        ]
        server.answers["GET /v1/documents"] = Canned({"items": items})
