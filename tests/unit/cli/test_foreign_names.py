"""File names that no request or store keeps as they are: each file goes up under a name of its own."""

import json
import os
import time
from pathlib import Path

import httpx
from pydantic import SecretStr

from footnote_cli.api_client import Api
from footnote_cli.uploads.find_files import find_files
from footnote_cli.uploads.in_step import gone_documents
from footnote_cli.uploads.local_files import LocalFile, stored_path
from footnote_cli.uploads.outage import Outage
from footnote_cli.uploads.upload import known_documents, upload
from footnote_ingest.documents.paths import normalise, plain_name
from footnote_shared.settings.base import Settings


def test_a_byte_that_is_not_utf_8_is_written_in_signs_that_are(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"sch\xf6n")
    folder.mkdir()
    for name in (b"caf\xe9.txt", b"caf\xe8.txt", "café.txt".encode()):
        (folder / os.fsdecode(name)).write_text("Gulls steal bread.")
    found = find_files([folder], os.fsdecode(b"b\xe4r"))
    assert found.roots == ["/b%E4r/sch%F6n"]
    assert sorted(file.name for file in found.files) == ["caf%E8.txt", "caf%E9.txt", "café.txt"]
    assert {file.folder for file in found.files} == {"/b%E4r/sch%F6n"}
    assert all(file.stored_path == stored_path(file.folder, file.name) for file in found.files)
    asked: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.read())
        return httpx.Response(202, json={"id": "d1", "status": "queued", "chunks": 0})

    settings = Settings(data=tmp_path, api_key=SecretStr("fn_test"), url="http://footnote.test")
    api = Api(settings, httpx.MockTransport(answer))
    assert all(upload(api, file, time.sleep, Outage()).reason is None for file in found.files)
    assert len(asked) == 3
    json.dumps([file.stored_path for file in found.files], ensure_ascii=False).encode()


def test_a_file_is_not_gone_whatever_signs_its_name_holds(tmp_path: Path) -> None:
    """The server keeps what can be seen of a name; the same file must be found under that name again."""
    names = {
        "new\nline.txt": "new%0Aline.txt",
        "tab\tstop.txt": "tab%09stop.txt",
        "red\x1b[31m.txt": "red%1B[31m.txt",
        "c1\x9b.txt": "c1%C2%9B.txt",
        "a\\b.txt": "a%5Cb.txt",
        "turned\u202egnp.txt": "turnedgnp.txt",
        "می\u200cخواهم.txt": "میخواهم.txt",
    }
    folder = tmp_path / "odd"
    (folder / "two\nlines").mkdir(parents=True)
    (folder / "two\nlines" / "a.txt").write_text("Gulls.")
    for name in names:
        (folder / name).write_text("Gulls steal bread.")
    found = find_files([folder], "")
    assert {file.path.name: file.name for file in found.files if file.folder == "/odd"} == names
    stored = [{"id": name, "folder": "/odd", "filename": plain_name(name)} for name in names.values()]
    stored.append({"id": "a", "folder": normalise("/odd/two%0Alines"), "filename": "a.txt"})
    assert gone_documents(stored, found) == []


def test_a_path_that_the_server_refuses_does_not_end_the_run(tmp_path: Path) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        items = json.loads(request.read())["items"]
        if any(item["folder"] == "/deep" for item in items):
            return httpx.Response(422, json={"code": "invalid", "detail": "The folder is too deep."})
        return httpx.Response(200, json={"items": [{"id": item["filename"]} for item in items]})

    settings = Settings(data=tmp_path, api_key=SecretStr("fn_test"), url="http://footnote.test")
    api = Api(settings, httpx.MockTransport(answer))
    files = [LocalFile(tmp_path / f"{n}.txt", "/deep" if n == 2 else "/flat") for n in range(5)]
    known = known_documents(api, [(file, "0" * 64) for file in files])
    assert [file.name for file in known] == ["0.txt", "1.txt", "3.txt", "4.txt"]
