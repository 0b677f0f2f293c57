"""`footnote ingest`: what is uploaded, what is skipped, what is said of failures."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from footnote_cli.api_client import Api
from footnote_cli.uploads.follow import follow
from footnote_cli.uploads.local_files import LocalFile, find_files
from footnote_cli.uploads.upload import UploadedFile, upload, upload_all
from footnote_shared.kernel.errors import TryLater, Unavailable
from footnote_shared.settings.base import Settings
from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Asked, Canned, FakeServer, problem


def document(number: int, status: str = "indexed", **more: Any) -> dict[str, Any]:
    return {"id": f"d{number}", "status": status, "chunks": 3, **more}


def api_of(tmp_path: Path, *answers: httpx.Response | Exception) -> tuple[Api, list[httpx.Request]]:
    """A client of a server that gives these answers in turn, and what it was asked."""
    asked: list[httpx.Request] = []
    waiting: Iterator[httpx.Response | Exception] = iter(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        request.read()
        asked.append(request)
        found = next(waiting)
        if isinstance(found, Exception):
            raise found
        return found

    settings = Settings(data=tmp_path, api_key=SecretStr("fn_test"), url="http://footnote.test")
    return Api(settings, httpx.MockTransport(answer)), asked


@pytest.fixture
def file(tmp_path: Path) -> LocalFile:
    path = tmp_path / "gulls.txt"
    path.write_text("Gulls steal bread.")
    return LocalFile(path, "/birds")


class TestFinding:
    def test_folders_are_walked_and_keep_their_structure(self, tmp_path: Path) -> None:
        for name in (
            "birds/gulls.txt",
            "birds/sea/terns.txt",
            "birds/.git/config",
            "birds/sea/.hidden",
            "a.txt",
        ):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(name)
        found = list(find_files([tmp_path / "birds", tmp_path / "a.txt"], "team"))
        assert [(file.path.name, file.folder) for file in found] == [
            ("gulls.txt", "/team/birds"),
            ("terns.txt", "/team/birds/sea"),
            ("a.txt", "/team"),
        ]


class TestUploading:
    def test_a_busy_server_is_tried_five_times_as_it_asks(self, tmp_path: Path, file: LocalFile) -> None:
        busy = httpx.Response(429, headers={"Retry-After": "7"}, json={"title": "Slow down", "status": 429})
        pauses: list[float] = []
        api, asked = api_of(tmp_path, *[busy] * 4, httpx.Response(202, json=document(1)))
        assert upload(api, file, pauses.append).document == document(1)
        assert pauses == [7.0] * 4
        assert b"Gulls steal bread." in asked[-1].content
        api, _ = api_of(tmp_path, *[busy] * 5)
        with pytest.raises(TryLater):
            upload(api, file, pauses.append)

    def test_a_server_that_asks_for_no_pause_gets_one_of_a_second(
        self, tmp_path: Path, file: LocalFile
    ) -> None:
        pauses: list[float] = []
        busy = httpx.Response(429, headers={"Retry-After": "0"}, json={"title": "Not now", "status": 429})
        api, _ = api_of(tmp_path, busy, httpx.Response(202, json=document(1)))
        upload(api, file, pauses.append)
        assert pauses == [1.0]

    def test_a_server_that_answers_is_not_gone(self, tmp_path: Path, file: LocalFile) -> None:
        broken = httpx.Response(503, headers={"Retry-After": "1"}, json={"title": "No store", "status": 503})
        api, asked = api_of(tmp_path, *[broken] * 5)
        with pytest.raises(Unavailable):
            upload(api, file, lambda _: None)
        assert len(asked) == 5

    def test_a_server_that_is_gone_is_tried_once_more(self, tmp_path: Path, file: LocalFile) -> None:
        gone = httpx.ConnectError("refused")
        api, asked = api_of(tmp_path, gone, gone)
        with pytest.raises(Unavailable):
            upload(api, file, lambda _: None)
        assert len(asked) == 2

    def test_a_file_that_is_refused_or_cannot_be_read_has_its_reason(
        self, tmp_path: Path, file: LocalFile
    ) -> None:
        refused = httpx.Response(415, json={"title": "No", "status": 415, "detail": "Not a type we read."})
        api, _ = api_of(tmp_path, refused)
        assert upload(api, file).reason == "Not a type we read."
        missing = LocalFile(tmp_path / "gone.txt", "/")
        assert upload(api, missing).reason == "The file cannot be read: No such file or directory."

    def test_what_the_server_has_does_not_travel_again(self, tmp_path: Path) -> None:
        files = []
        for number in range(201):
            (tmp_path / f"{number}.txt").write_text(str(number))
            files.append(LocalFile(tmp_path / f"{number}.txt", "/"))
        missing = LocalFile(tmp_path / "gone.txt", "/")
        api, asked = api_of(
            tmp_path,
            httpx.Response(200, json={"items": [document(n) for n in range(200)]}),
            httpx.Response(200, json={"items": [document(200)]}),
        )
        seen: list[None] = []
        uploaded = upload_all(api, [*files, missing], lambda: seen.append(None))
        assert [len(json.loads(request.content)["items"]) for request in asked] == [200, 1]
        assert all(one.unchanged for one in uploaded[:-1])
        assert uploaded[-1].reason is not None
        assert len(seen) == 202


class TestFollowing:
    def test_documents_are_asked_for_until_all_have_ended(self, tmp_path: Path, file: LocalFile) -> None:
        files = [UploadedFile(file, document(n, "queued")) for n in range(3)]
        failed = document(1, "failed", error={"reason": "It is empty."})
        api, asked = api_of(
            tmp_path,
            httpx.Response(200, json={"items": [document(0, "chunking"), failed, document(2, "embedding")]}),
            httpx.Response(200, json={"items": [document(0, "indexing"), document(2)]}),
            httpx.Response(200, json={"items": [document(0, "skipped")]}),
        )
        shown: list[list[int]] = []
        pauses: list[float] = []
        follow(api, files, lambda done: shown.append(list(done)), pauses.append)
        assert shown == [[3, 2, 1, 1], [3, 3, 3, 2], [3, 3, 3, 3]]
        assert [json.loads(request.content)["ids"] for request in asked] == [
            ["d0", "d1", "d2"],
            ["d0", "d2"],
            ["d0"],
        ]
        assert [one.reason for one in files] == [None, "It is empty.", None]
        assert pauses == [0.25, 0.25]

    def test_many_are_asked_for_in_several_requests(self, tmp_path: Path, file: LocalFile) -> None:
        files = [UploadedFile(file, document(n, "queued")) for n in range(201)]
        api, asked = api_of(
            tmp_path,
            httpx.Response(200, json={"items": [document(n) for n in range(200)]}),
            httpx.Response(200, json={"items": [document(200)]}),
        )
        follow(api, files, lambda done: None)
        assert [len(json.loads(request.content)["ids"]) for request in asked] == [200, 1]


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
            "POST /v1/documents:lookup": lambda asked: Canned(
                {"items": [ended[key] for key in asked.body["ids"]]}
            ),
        }
        return folder

    def test_a_failure_is_shown_with_its_reason(
        self, footnote: Footnote, server: FakeServer, folder: Path
    ) -> None:
        done = footnote("ingest", str(folder), url=server.url)
        assert done.status == 1
        (line,) = [line for line in done.err.splitlines() if "terns.txt" in line]
        assert "It is empty." in line
        assert done.out.startswith("1 of 2 documents in, 3 chunks, 0 unchanged, 1 failed,")

    def test_without_waiting_nothing_is_asked_for(
        self, footnote: Footnote, server: FakeServer, folder: Path
    ) -> None:
        assert footnote("ingest", str(folder), "--no-wait", url=server.url).status == 0
        assert server.of("POST /v1/documents:lookup") == []

    def test_json_holds_every_file(self, footnote: Footnote, server: FakeServer, folder: Path) -> None:
        server.answers["POST /v1/documents"] = problem(413, "Too large.")
        done = footnote("ingest", str(folder), "--json", url=server.url)
        assert done.status == 1
        items = json.loads(done.out)["items"]
        assert [item["error"]["reason"] for item in items] == ["Too large."] * 2
        assert items[0]["filename"].endswith("birds/gulls.txt")

    def test_an_empty_folder_is_wrong_use(self, footnote: Footnote, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        done = footnote("ingest", str(tmp_path / "empty"))
        assert done.status == 2
        assert "no files" in done.err
