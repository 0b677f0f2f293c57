"""What `title:`, `folder:` and `type:` in a query stand for."""

import unicodedata
from typing import Any

from footnote_shared.contracts.identity import Principal
from footnote_shared.security.service_identity import service_secret, sign
from tests.integration.ingest.avatars import Avatar, change
from tests.integration.ingest.served import Served


def named(served: Served, who: Principal, **names: list[str]) -> dict[str, Any]:
    token = sign(who, "ingest", service_secret(served.settings))
    headers = {"Authorization": f"Bearer {token}"}
    answer = served.new_client().post("/v1/documents:named", json=names, headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_titles_are_those_that_the_caller_sees(served: Served, other: Avatar) -> None:
    log = served.upload("Harbour Log.txt", b"One.")["id"]
    notes = served.upload("yard notes.txt", b"Two.")["id"]
    mine, theirs = served.principal, other.principal
    assert named(served, mine, titles=["harbour"]) == {"document_ids": [log]}
    assert named(served, mine, titles=["HARBOUR", "yard"]) == {"document_ids": [notes, log]}
    assert named(served, mine, titles=["%", "_", "nowhere", "\x00"]) == {"document_ids": []}
    change(served.http, log, visibility="private")
    assert named(served, theirs, titles=["harbour"]) == {"document_ids": []}
    assert named(served, mine, titles=["harbour"]) == {"document_ids": [log]}


def test_letters_of_any_size_and_form_are_the_same_name(served: Served) -> None:
    who = served.principal
    titles = {
        "Übersicht ÄÖ.txt": "übersicht äö",
        "ΟΔΟΣ.txt": "οδος",
        "Łódź İzmir.txt": "ŁÓDŹ İ",
        "Große.txt": "GROẞE",
    }
    for place, (title, other) in enumerate(titles.items()):
        found = served.upload(title, f"Text {place}.".encode())["id"]
        apart = unicodedata.normalize("NFD", title)
        for typed in (title, other, title.removesuffix(".txt").lower(), apart):
            assert named(served, who, titles=[typed]) == {"document_ids": [found]}, typed
        listed = served.http.get("/v1/documents", params={"q": other}).json()["items"]
        assert [one["id"] for one in listed] == [found]
    assert named(served, who, titles=["ubersicht", "\u00dc\u00c4", "%ü%"]) == {"document_ids": []}
    many = "".join(map(chr, range(0xC0, 0x1C0)))
    assert named(served, who, titles=[many], folders=[many]) == {"document_ids": [], "folder_ids": []}
    folder = served.http.post("/v1/folders", json={"path": "/Verträge/ÄRA"}).json()["id"]
    assert named(served, who, folders=["ära"]) == {"folder_ids": [folder]}
    assert named(served, who, folders=["/verträge/Ära"]) == {"folder_ids": [folder]}


def test_folders_go_by_their_path_or_its_end(served: Served) -> None:
    paths = {}
    for path in ("/reports/2026", "/plans/2026", "/plans/old2026"):
        paths[path] = served.http.post("/v1/folders", json={"path": path}).json()["id"]
    who = served.principal
    assert named(served, who, folders=["/Reports/2026/"]) == {"folder_ids": [paths["/reports/2026"]]}
    both = {"folder_ids": [paths["/plans/2026"], paths["/reports/2026"]]}
    assert named(served, who, folders=["2026"]) == both
    assert named(served, who, folders=["/2026", "\x00", "../x"]) == {"folder_ids": []}
    stranger = who.model_copy(update={"workspace_id": "another"})
    assert named(served, stranger, folders=["2026"]) == {"folder_ids": []}


def test_types_are_formats_media_types_and_source_types(served: Served) -> None:
    who = served.principal
    assert named(served, who, types=["PDF"]) == {"document_types": ["application/pdf"]}
    assert named(served, who, types=["upload"]) == {"source_types": ["upload"]}
    for ending, mime in (("md", "text/markdown"), (".MD", "text/markdown"), ("doc", "application/msword")):
        assert named(served, who, types=[ending]) == {"document_types": [mime]}
    for word, one in (("html", "text/html"), ("mail", "message/rfc822"), ("spreadsheet", "text/csv")):
        assert one in named(served, who, types=[word])["document_types"]
    assert named(served, who, types=["no such type"]) == {"source_types": []}
    assert named(served, who) == {}


def test_with_an_api_key_there_is_nothing_here(served: Served) -> None:
    assert served.http.post("/v1/documents:named", json={"titles": ["a"]}).status_code == 404
