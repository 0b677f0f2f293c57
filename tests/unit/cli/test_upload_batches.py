"""Small files go up together, and each has an outcome of its own."""

from pathlib import Path

import httpx

from footnote_cli.uploads.local_files import LocalFile
from footnote_cli.uploads.outage import Outage
from footnote_cli.uploads.upload import in_batches, upload_batch
from tests.unit.cli.scripted_api import api_of
from tests.unit.cli.test_ingest import document, no_pause


def files_in(tmp_path: Path, count: int) -> list[LocalFile]:
    files = [LocalFile(tmp_path / f"{number}.txt", "/birds") for number in range(count)]
    for number, one in enumerate(files):
        one.path.write_text(f"Gull {number}.")
    return files


def test_small_files_share_a_request_and_a_large_one_goes_alone(tmp_path: Path) -> None:
    files = files_in(tmp_path, 60)
    files[3].path.write_bytes(b"x" * 200_000)
    batches = list(in_batches(files))
    assert [len(batch) for batch in batches] == [1, 25, 25, 9]
    assert sorted(file.name for batch in batches for file in batch) == sorted(file.name for file in files)


def test_each_has_its_own_outcome(tmp_path: Path) -> None:
    files = files_in(tmp_path, 3)
    outcomes = [
        {"status": 202, "document": document(1)},
        {"status": 415, "problem": {"detail": "Not a type we read."}},
        {"status": 202, "document": document(3)},
    ]
    api, asked = api_of(tmp_path, httpx.Response(200, json={"items": outcomes}))
    done = upload_batch(api, files, no_pause, Outage())
    assert [one.file for one in done] == files
    assert [one.document for one in done] == [document(1), None, document(3)]
    assert done[1].reason == "Not a type we read."
    assert [request.url.path for request in asked] == ["/v1/documents:batch"]


def test_a_file_that_cannot_be_read_holds_up_no_other(tmp_path: Path) -> None:
    files = files_in(tmp_path, 3)
    files[0].path.unlink()
    outcomes = [{"status": 202, "document": document(number)} for number in (1, 2)]
    api, _ = api_of(tmp_path, httpx.Response(200, json={"items": outcomes}))
    done = upload_batch(api, files, no_pause, Outage())
    assert [one.document for one in done] == [None, document(1), document(2)]
    assert "cannot be read" in (done[0].reason or "")


def test_a_server_that_takes_no_batches_is_sent_one_after_the_other(tmp_path: Path) -> None:
    files = files_in(tmp_path, 2)
    unknown = httpx.Response(404, json={"title": "Not found", "status": 404})
    api, asked = api_of(tmp_path, unknown, *[httpx.Response(202, json=document(n)) for n in (1, 2)])
    assert [one.document for one in upload_batch(api, files, no_pause, Outage())] == [
        document(1),
        document(2),
    ]
    assert [request.url.path for request in asked[1:]] == ["/v1/documents"] * 2


def test_a_try_again_has_the_same_key(tmp_path: Path) -> None:
    files = files_in(tmp_path, 2)
    outcomes = [{"status": 202, "document": document(number)} for number in (1, 2)]
    gone = httpx.ConnectError("refused")
    api, asked = api_of(tmp_path, gone, httpx.Response(200, json={"items": outcomes}))
    upload_batch(api, files, no_pause, Outage())
    first, second = (request.headers["Idempotency-Key"] for request in asked)
    assert first == second


def test_one_that_finds_the_workspace_busy_is_tried_again_by_itself(tmp_path: Path) -> None:
    files = files_in(tmp_path, 2)
    outcomes = [
        {"status": 202, "document": document(1)},
        {"status": 429, "problem": {"detail": "The workspace is full."}},
    ]
    api, _ = api_of(
        tmp_path, httpx.Response(200, json={"items": outcomes}), httpx.Response(202, json=document(2))
    )
    done = upload_batch(api, files, no_pause, Outage())
    assert [one.document for one in done] == [document(1), document(2)]
