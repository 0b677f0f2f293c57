"""File names that are not UTF-8, as old systems wrote them: each file is uploaded under a name of its own."""

import json
import os
import time
from pathlib import Path

import httpx
from pydantic import SecretStr

from footnote_cli.api_client import Api
from footnote_cli.uploads.find_files import find_files
from footnote_cli.uploads.local_files import stored_path
from footnote_cli.uploads.outage import Outage
from footnote_cli.uploads.upload import upload
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
