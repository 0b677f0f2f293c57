"""What a client reads: listings, chunks, bytes, counts."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_testing.memory_blobs import MemoryBlobs
from tests.integration.ingest import rows
from tests.integration.ingest.served import Served
from tests.integration.ingest.workshop import paragraphs, refs_of, sha256

MIB = 1 << 20


def fields_of(problem: dict[str, Any]) -> set[str]:
    return {error["field"] for error in problem["errors"]}


class TestReading:
    def test_the_listing_is_filtered_and_paged(self, served: Served) -> None:
        ids = [
            served.upload(f"{n}.txt", f"Text {n}.".encode(), folder="/a" if n % 2 else "/a/b")["id"]
            for n in range(7)
        ]
        served.upload(
            "page.html", b"<html><body><p>Hello there</p></body></html>", folder="/ab", title="100% Web_page"
        )
        served.work()

        def listed(**params: Any) -> list[str]:
            answer = served.http.get("/v1/documents", params=params)
            assert answer.status_code == 200, answer.text
            return [item["filename"] for item in answer.json()["items"]]

        assert len(listed()) == 8
        assert listed(folder="/a/b") == ["6.txt", "4.txt", "2.txt", "0.txt"]
        assert len(listed(folder="a/")) == 7
        assert listed(type="web") == listed(type="text/html") == ["page.html"]
        assert len(listed(type="upload")) == 8
        assert listed(q="WEB_PAGE") == listed(q="100%") == ["page.html"]
        assert listed(q="_") == ["page.html"]
        assert listed(status="failed") == []
        assert len(listed(status=["failed", "indexed"])) == 8
        assert listed(**{"from": "2100-01-01T00:00:00Z"}) == []
        seen: list[str] = []
        cursor = None
        while True:
            page = served.http.get(
                "/v1/documents", params={"limit": 3, "folder": "/a", **({"cursor": cursor} if cursor else {})}
            ).json()
            seen += [item["id"] for item in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert seen == ids[::-1]

    def test_a_document_and_its_chunks_say_their_languages(self, served: Served) -> None:
        text = "Die Garantie gilt zwei Jahre ab dem Tag des Kaufs.\n\n```py\ndays = 730\n```\n"
        document = served.upload("garantie.md", text.encode())
        served.work()
        path = f"/v1/documents/{document['id']}"
        assert served.http.get(path).json()["language"] == "de"
        chunks = served.http.get(f"{path}/chunks").json()["items"]
        assert [(one["kind"], one["language"], one["code_language"]) for one in chunks] == [
            ("paragraph", "de", None),
            ("code", None, "python"),
        ]

    @pytest.mark.parametrize(
        "query",
        [
            "limit=0",
            "limit=201",
            "cursor=rubbish",
            "cursor=WzFd",
            "type=nosuch",
            "status=nosuch",
            "q=%00",
            "folder=..",
            "from=yesterday",
            "surprise=1",
        ],
    )
    def test_a_filter_that_cannot_be_is_named(self, served: Served, query: str) -> None:
        answer = served.http.get(f"/v1/documents?{query}")
        assert answer.status_code == 422
        assert query.split("=")[0] in {field.removesuffix(".0") for field in fields_of(answer.json())}

    def test_chunks_come_in_order_page_by_page_and_around_one(self, served: Served) -> None:
        text = paragraphs(*"abcdefgh")
        document = served.upload("a.txt", text.encode())
        path = f"/v1/documents/{document['id']}/chunks"
        assert served.http.get(path).json()["items"] == []
        served.work()
        first = served.http.get(path, params={"limit": 5}).json()
        rest = served.http.get(path, params={"limit": 5, "cursor": first["next_cursor"]}).json()
        chunks = [*first["items"], *rest["items"]]
        assert [chunk["ordinal"] for chunk in chunks] == list(range(8))
        assert rest["next_cursor"] is None
        assert all(text[chunk["char_start"] : chunk["char_end"]] == chunk["text"] for chunk in chunks)
        near = served.http.get(path, params={"around": chunks[4]["id"]}).json()["items"]
        assert [chunk["ordinal"] for chunk in near] == [2, 3, 4, 5, 6]
        for unknown in (new_id(), "rubbish"):
            assert served.http.get(path, params={"around": unknown}).status_code == 404

    def test_a_chunk_that_the_live_version_lacks_is_shown_as_a_tombstone(self, served: Served) -> None:
        document = served.upload("a.txt", paragraphs("keep", "drop").encode())
        served.work()
        path = f"/v1/documents/{document['id']}/chunks"
        dropped = served.http.get(path).json()["items"][1]
        served.upload("a.txt", paragraphs("keep").encode())
        served.work()
        (shown,) = served.http.get(path, params={"around": dropped["id"]}).json()["items"]
        assert (shown["id"], shown["text"], shown["tombstone"]) == (dropped["id"], dropped["text"], True)
        assert len(served.http.get(path).json()["items"]) == 1

    def test_lookup_answers_with_what_is_live_and_counts_nothing_of_others(self, served: Served) -> None:
        document = served.upload("a.txt", paragraphs("one", "two").encode())
        served.work()
        refs = [ref.model_dump() for ref in refs_of(served.workshop.live(document["id"]))]
        wrong = [
            {**refs[0], "text_hash": "0" * 32},
            {**refs[0], "document_id": new_id()},
            {**refs[0], "chunk_id": "rubbish"},
            {**refs[0], "chunk_id": "with\0NUL"},
        ]
        answer = served.http.post("/v1/chunks:lookup", json={"refs": [*refs, *wrong, refs[0]]}).json()
        assert [(item["chunk_id"], item["text_hash"]) for item in answer["items"]] == [
            (r["chunk_id"], r["text_hash"]) for r in refs
        ]
        assert list(answer) == ["items"], "the generation counts changes of colleagues' private documents"
        assert answer["items"][0]["created_at"].endswith("Z")
        served.http.delete(f"/v1/documents/{document['id']}")
        assert served.http.post("/v1/chunks:lookup", json={"refs": refs}).json() == {"items": []}

    def test_the_bytes_come_back_as_they_were_and_html_is_never_shown_in_place(self, served: Served) -> None:
        html = served.upload("ä.html", b"<html><body><script>alert(1)</script><p>Hi</p></body></html>")
        text = served.upload("a.txt", b"Plain." * 1000)
        served.work()
        answer = served.http.get(f"/v1/documents/{html['id']}/content")
        assert answer.content.startswith(b"<html>")
        assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''%C3%A4.html"
        assert "sandbox" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        plain = served.http.get(f"/v1/documents/{text['id']}/content")
        assert plain.content == b"Plain." * 1000
        assert plain.headers["content-type"] == "text/plain"
        assert plain.headers["content-disposition"].startswith("inline")

    def test_large_bytes_are_read_piece_by_piece(self, served: Served) -> None:
        class RecordedRanges(MemoryBlobs):
            def get_range(self, key: str, start: int, end: int) -> bytes:
                pieces.append((start, end))
                return super().get_range(key, start, end)

        pieces: list[tuple[int, int]] = []
        content = b"x" * (2 * MIB + 1)
        (document_id,) = rows.live_documents(served.workshop.database, served.principal, size=len(content))
        blobs = RecordedRanges()
        blobs.put(f"originals/{served.principal.workspace_id}/{sha256(document_id)}", content)
        served.app.state.ingest = replace(served.app.state.ingest, blobs=blobs)
        assert served.http.get(f"/v1/documents/{document_id}/content").content == content
        assert pieces == [(0, MIB), (MIB, 2 * MIB), (2 * MIB, 2 * MIB + 1)]

    def test_stats_count_documents_and_chunks(self, served: Served) -> None:
        served.upload("a.txt", paragraphs("one", "two").encode())
        served.work()
        waiting = served.upload("b.txt", b"Waiting.")
        served.workshop.set(waiting["id"], accepted_at=now() - timedelta(hours=1))
        stats = served.http.get("/v1/documents:stats").json()
        assert stats["counts"] == {"indexed": 1, "queued": 1}
        assert stats["chunks"] == 2
        assert stats["oldest_waiting_s"] >= 3600

    def test_lookup_of_several_leaves_out_what_is_unknown(self, served: Served) -> None:
        made = served.upload("a.txt", b"One.")
        items = served.http.post(
            "/v1/documents:lookup", json={"ids": [new_id(), "rubbish", made["id"]]}
        ).json()["items"]
        assert [item["id"] for item in items] == [made["id"]]


def test_what_belongs_to_another_workspace_looks_like_what_is_not_there(served: Served) -> None:
    document = served.upload("a.txt", b"One.", folder="/x")
    served.work()
    stranger = served.as_stranger()
    for method, path in [
        ("GET", "/v1/documents/{}"),
        ("DELETE", "/v1/documents/{}"),
        ("GET", "/v1/documents/{}/chunks"),
        ("GET", "/v1/documents/{}/content"),
        ("GET", "/v1/documents/{}/events"),
        ("POST", "/v1/documents/{}:retry"),
        ("POST", "/v1/documents/{}:reindex"),
        ("GET", "/v1/folders/{}"),
        ("DELETE", "/v1/folders/{}"),
    ]:
        theirs = document["folder_id"] if "folders" in path else document["id"]
        answers = [
            stranger.request(method, path.format(name)) for name in (theirs, new_id(), "rubbish", "..%2f")
        ]
        assert [answer.status_code for answer in answers[:3]] == [404, 404, 404], path
        assert len({answer.content for answer in answers[:3]}) == 1, path
    assert stranger.get("/v1/documents").json()["items"] == []
    assert stranger.get("/v1/folders").json()["items"] == []
    assert served.http.get(f"/v1/documents/{document['id']}").status_code == 200


def test_ready_names_what_it_stands_on(served: Served) -> None:
    answer = served.http.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["checks"] == {"sql": "ok", "redis": "ok", "blobs": "ok"}
