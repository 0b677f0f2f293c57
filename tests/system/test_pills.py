"""What a reader gets who opens a citation, after everything that can happen to its source (spec 2.7)."""

import re
import subprocess
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from footnote_shared.kernel.ids import new_id
from footnote_shared.settings.base import child_environment
from tests.system.files import docx_bytes, pdf_bytes
from tests.system.stacks import FOOTNOTE, Client, DistributedStack, EmbeddedStack

pytestmark = pytest.mark.system

CITED = "A room in a hotel in {place} may cost 140 euros a night at most, breakfast included."
SECTIONS = (
    "# Handbook of {place}",
    "## Greeting\n\nNew colleagues in {place} are greeted by the whole team on their first morning.",
    f"## Hotels\n\n{CITED}",
    "## Meals\n\nA dinner with guests in {place} is paid by the company up to 60 euros a head.",
)


def make_key(stack: EmbeddedStack, *options: str) -> subprocess.CompletedProcess[str]:
    environment = child_environment({"FOOTNOTE_DATA": str(stack.data)})
    command = [*FOOTNOTE, "keys", "make", "a key", *options]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def key_of(stack: EmbeddedStack, *options: str) -> str:
    """A key as the operator makes one."""
    made = make_key(stack, *options)
    assert made.returncode == 0, made.stderr
    (key,) = re.findall(r"fn_\S+", made.stdout)
    return str(key)


@pytest.fixture(scope="module")
def colleague(embedded: EmbeddedStack) -> Client:
    """A second avatar of the first workspace."""
    return Client(embedded.url, key_of(embedded, "--new-avatar", "colleague"))


class Handbook:
    """A document of its own for each test, and the conversation that cites one passage of it."""

    def __init__(self, user: Client, place: str, reader: Client | None = None, **fields: str) -> None:
        self.user = user
        self.reader = reader or user
        self.place = place
        self.fields = {"folder": f"/pills/{place}", **fields}
        self.sections = [section.format(place=place) for section in SECTIONS]
        self.id = self.upload()
        self.cited = CITED.format(place=place)
        self.conversation = self.reader.thread()
        found = self.reader.search(self.cited, scope={"document_ids": [self.id]})["passages"]
        passage = next(p for p in found if self.cited in p["text"])
        self.cite(passage_item(passage))

    def upload(self) -> str:
        content = "\n\n".join(self.sections).encode()
        document = self.user.upload("handbook.md", content, **self.fields)
        (ended,) = self.user.wait_ended([document["id"]])
        assert ended["status"] == "indexed", ended
        return str(ended["id"])

    def cite(self, item: dict[str, Any]) -> int:
        path = f"/v1/conversations/{self.conversation}/citations"
        answer = self.reader.http.post(path, json={"items": [item]})
        assert answer.status_code == 200, answer.text
        return int(answer.json()["numbers"][0])

    def pill(self, n: int = 1) -> dict[str, Any]:
        answer = self.reader.http.get(f"/v1/conversations/{self.conversation}/citations/{n}")
        assert answer.status_code == 200, answer.text
        pill: dict[str, Any] = answer.json()
        return pill

    def highlighted(self, pill: dict[str, Any]) -> str:
        """The characters that the pill's link names, of what the link serves."""
        url = urlsplit(pill["document_url"])
        start, end = map(int, parse_qs(url.fragment)["char"][0].split(","))
        content = self.reader.http.get(url.path).content.decode()
        assert pill["text_url"] == f"{url.path.removesuffix('content')}text#char={start},{end}"
        assert self.reader.http.get(pill["text_url"]).text[start:end] == content[start:end]
        return content[start:end]


def passage_item(passage: dict[str, Any]) -> dict[str, Any]:
    """A found passage as a client cites it."""
    return {
        "source_type": "kb_chunk",
        "locator": {"document_id": passage["document_id"], "chunk_id": passage["chunk_id"]},
        "display": {
            "title": passage["title"], "source": passage["source"], "date": passage["created_at"], "kind": passage["kind"],
            "heading_path": passage["heading_path"], "page_start": passage["page_start"], "page_end": passage["page_end"],
        },
        "text": passage["text"],
        "span": [passage["char_start"], passage["char_end"]],
        "source_version": passage["version"],
    }  # fmt: skip


@pytest.fixture
def handbook(user: Client, request: pytest.FixtureRequest) -> Callable[..., Handbook]:
    """Makes a handbook; the name of the test is its place."""
    place = "".join(word.capitalize() for word in request.node.name.removeprefix("test_").split("_")[:6])
    return lambda **options: Handbook(user, place, **options)


class TestAfter:
    def test_nothing_it_is_current(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        pill = book.pill()
        assert (pill["status"], pill["checked"]) == ("current", True)
        assert book.cited in pill["quote"]
        assert pill["place"]["heading_path"] == pill["display"]["heading_path"]
        assert book.cited in book.highlighted(pill)
        assert any("greeted" in neighbour["text"] for neighbour in pill["context"])
        assert any("dinner" in neighbour["text"] for neighbour in pill["context"])
        assert not {"current_text", "degraded"} & pill.keys()

    def test_an_edit_behind_it_it_is_current(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        book.sections[3] = book.sections[3].replace("60 euros", "75 euros")
        assert book.upload() == book.id
        pill = book.pill()
        assert pill["status"] == "current"
        assert any("75 euros" in neighbour["text"] for neighbour in pill["context"])

    def test_an_edit_before_it_it_is_moved(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        book.sections[1] = book.sections[1].replace("whole team", "whole and complete team, in song,")
        book.upload()
        pill = book.pill()
        assert pill["status"] == "moved"
        assert book.cited in book.highlighted(pill)

    def test_an_insertion_before_it_it_is_moved(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        before = book.pill()["place"]
        book.sections.insert(
            1, "## Visitors\n\n" + "Visitors sign the book at the door and get a badge. " * 30
        )
        book.upload()
        pill = book.pill()
        assert pill["status"] == "moved"
        assert pill["place"]["char_start"] > before["char_start"]
        assert pill["place"]["version"] > before["version"]
        assert book.cited in book.highlighted(pill)
        assert "current_text" not in pill

    def test_its_section_goes_to_the_end_it_is_moved(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        book.sections.append(book.sections.pop(2))
        book.upload()
        pill = book.pill()
        assert pill["status"] == "moved"
        assert book.cited in book.highlighted(pill)

    def test_another_heading_above_it_it_is_moved(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        book.sections[0] = book.sections[0].replace("Handbook", "Notebook")
        book.upload()
        pill = book.pill()
        assert pill["status"] == "moved"
        assert pill["place"]["heading_path"][0].startswith("Notebook")
        assert pill["display"]["heading_path"][0].startswith("Handbook")

    def test_other_text_runs_into_its_chunk_it_is_still_found(
        self, handbook: Callable[..., Handbook]
    ) -> None:
        book = handbook()
        quote = book.pill()["quote"]
        # One paragraph of prose without headings, so that chunks are cut anew from its beginning on.
        prose = " ".join(
            f"Sentence number {i} of {book.place} says something of its own." for i in range(120)
        )
        book.sections = ["# Prose", prose]
        book.upload()
        found = book.reader.search(f"Sentence number 70 of {book.place}", scope={"document_ids": [book.id]})[
            "passages"
        ]
        passage = next(p for p in found if "number 70 " in p["text"])
        n = book.cite(passage_item(passage))
        book.sections = ["# Prose", "Some words that were not there before. " * 9 + prose]
        book.upload()
        pill = book.pill(n)
        assert pill["status"] == "moved"
        assert " ".join(book.highlighted(pill).split()) == " ".join(passage["text"].split())
        assert book.pill()["quote"] == quote

    def test_an_edit_of_it_it_is_changed_with_both_texts(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        book.sections[2] = book.sections[2].replace("140 euros", "190 euros")
        book.sections[1] += " There is cake."
        book.upload()
        pill = book.pill()
        assert pill["status"] == "changed"
        assert "140 euros" in pill["quote"]
        assert "190 euros" in pill["current_text"]
        assert "190 euros" in book.highlighted(pill)
        book.sections[2] = book.sections[2].replace("190 euros", "140 euros")
        book.upload()
        assert book.pill()["status"] == "moved"

    def test_its_removal_it_is_deleted_and_the_document_is_linked(
        self, handbook: Callable[..., Handbook]
    ) -> None:
        book = handbook()
        del book.sections[2]
        book.upload()
        pill = book.pill()
        assert (pill["status"], pill["document_url"]) == ("deleted", f"/v1/documents/{book.id}/content")
        assert book.cited in pill["quote"]

    def test_a_reindex_it_is_current(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        assert book.user.http.post(f"/v1/documents/{book.id}:reindex").status_code == 202
        (ended,) = book.user.wait_ended([book.id])
        assert ended["version"] == 2
        assert book.pill()["status"] == "current"

    def test_a_move_and_a_new_title_it_is_current(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        changes = {"folder": "/elsewhere/entirely", "title": "The new handbook"}
        assert book.user.http.patch(f"/v1/documents/{book.id}", json=changes).status_code == 200
        book.user.wait_ended([book.id])
        pill = book.pill()
        assert pill["status"] == "current"
        assert book.cited in book.highlighted(pill)

    def test_deletion_it_is_deleted_and_stays_so(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        assert book.user.http.delete(f"/v1/documents/{book.id}").status_code == 202
        first = book.pill()
        assert first["status"] == "deleted"
        assert book.cited in first["quote"]
        assert not {"document_url", "text_url", "context"} & first.keys()
        book.user.wait_ended([book.upload()])
        assert book.pill() == first

    def test_it_is_made_private_the_reader_learns_the_status_alone(
        self, handbook: Callable[..., Handbook], colleague: Client
    ) -> None:
        book = handbook(reader=colleague)
        assert book.pill()["status"] == "current"
        change = {"visibility": "private"}
        assert book.user.http.patch(f"/v1/documents/{book.id}", json=change).status_code == 200
        assert book.pill() == {"n": 1, "status": "forbidden"}
        assert book.cited not in colleague.http.get(f"/v1/conversations/{book.conversation}/citations").text
        scope = {"document_ids": [book.id]}
        assert colleague.search(book.cited, scope=scope)["passages"] == []
        assert book.user.search(book.cited, scope=scope)["passages"]
        assert book.id not in str(colleague.ask(book.cited)["message"])
        change = {"visibility": "workspace"}
        assert book.user.http.patch(f"/v1/documents/{book.id}", json=change).status_code == 200
        assert book.pill()["status"] == "current"
        assert book.user.http.delete(f"/v1/documents/{book.id}").status_code == 202
        assert book.pill()["status"] == "deleted"


def test_the_quotes_of_a_withdrawn_document_are_shown_nowhere(
    handbook: Callable[..., Handbook], colleague: Client
) -> None:
    """By the rights of the one who reads, at the moment of reading: messages, turns, streams and lists."""
    book = handbook(reader=colleague)
    question = f"What may a room in a hotel in {book.place} cost?"
    turn = colleague.ask(question, book.conversation)
    assert book.id in str(turn["message"]["citations"])
    places = {
        "list": f"/v1/conversations/{book.conversation}/citations",
        "messages": f"/v1/threads/{book.conversation}/messages",
        "message": f"/v1/threads/{book.conversation}/messages/{turn['message']['id']}",
        "turn": f"/v1/turns/{turn['turn_id']}",
        "stream": f"/v1/streams/{turn['turn_id']}",
    }

    def entries() -> dict[str, str]:
        return {name: colleague.http.get(path).text for name, path in places.items()}

    shown = entries()
    assert all(book.id in text for text in shown.values()), shown
    change = {"visibility": "private"}
    assert book.user.http.patch(f"/v1/documents/{book.id}", json=change).status_code == 200
    withdrawn = entries()
    assert [name for name, text in withdrawn.items() if book.id in text] == []
    assert all('"status":"forbidden"' in text for text in withdrawn.values()), withdrawn
    assert book.user.http.delete(f"/v1/documents/{book.id}").status_code == 202
    assert [name for name, text in entries().items() if book.id in text] == []


def test_a_key_is_made_for_an_avatar_by_its_name(
    embedded: EmbeddedStack, user: Client, colleague: Client
) -> None:
    thread = colleague.thread()
    again = Client(embedded.url, key_of(embedded, "--avatar", "colleague"))
    assert again.http.get(f"/v1/threads/{thread}").status_code == 200
    assert user.http.get(f"/v1/threads/{thread}").status_code == 404
    refused = make_key(embedded, "--avatar", "nobody")
    assert refused.returncode != 0
    assert "nobody" in refused.stderr


def test_a_made_up_citation_tells_nothing_of_what_one_may_not_see(user: Client, colleague: Client) -> None:
    """Neither of a document that was always private, nor of one that was withdrawn before."""
    always = user.upload("always.txt", b"Always private words.", visibility="private")["id"]
    withdrawn = user.upload("withdrawn.txt", b"Words that were withdrawn.")["id"]
    assert user.http.patch(f"/v1/documents/{withdrawn}", json={"visibility": "private"}).status_code == 200
    user.wait_ended([always, withdrawn])
    conversation = colleague.thread()
    pills = []
    for document_id in (always, withdrawn, new_id()):
        item = {
            "source_type": "kb_document",
            "locator": {"document_id": document_id},
            "text": "A guess.",
            "display": {"title": "A guess"},
        }
        path = f"/v1/conversations/{conversation}/citations"
        n = colleague.http.post(path, json={"items": [item]}).json()["numbers"][0]
        pill = colleague.http.get(f"{path}/{n}").json()
        pills.append({k: v for k, v in pill.items() if k not in ("n", "locator")})
    assert pills[0] == pills[1] == pills[2]
    assert pills[0]["status"] == "deleted"


def test_citations_of_another_conversation_are_not_there(
    handbook: Callable[..., Handbook], colleague: Client
) -> None:
    book = handbook()
    targets = (
        f"{book.conversation}/citations/1",
        f"{book.conversation}/citations/7",
        f"{new_id()}/citations/1",
    )
    answers = [colleague.http.get(f"/v1/conversations/{target}") for target in targets]
    answers.append(book.user.http.get(f"/v1/conversations/{targets[1]}"))
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1


def test_each_type_of_source_is_rendered_and_has_a_pill(
    user: Client, handbook: Callable[..., Handbook]
) -> None:
    book = handbook()
    thread = user.thread()
    turn = user.ask(f"What may a room in a hotel in {book.place} cost?", thread)
    message = turn["message"]
    (chunk,) = [
        c for c in user.http.get(f"/v1/documents/{book.id}/chunks").json()["items"] if book.cited in c["text"]
    ]
    version = user.document(book.id)["version"]
    here = {"document_id": book.id, "chunk_id": chunk["id"]}
    items = [
        {"source_type": "kb_chunk", "locator": here, "text": chunk["text"]},
        {"source_type": "kb_document", "locator": {"document_id": book.id}, "text": "Four sections.", "source_version": version},
        {"source_type": "connector_item", "locator": {"connector_id": "slack", "external_id": "C1/17"}, "text": "Ship it."},
        {"source_type": "web_result", "locator": {"url": "https://Example.org/a/?utm_source=x#y"}, "text": "A page."},
        {"source_type": "chat_turn", "locator": {"thread_id": thread, "message_id": message["id"]}, "text": message["text"]},
        {"source_type": "anon_chunk", "locator": {"session_id": new_id(), **here}, "text": chunk["text"]},
        {"source_type": "anon_chunk", "locator": {"session_id": "s", "document_id": new_id(), "chunk_id": new_id()}, "text": "Gone."},
    ]  # fmt: skip
    conversation = user.http.post("/v1/conversations", json={}).json()["id"]
    path = f"/v1/conversations/{conversation}/citations"
    answer = user.http.post(path, json={"items": items}).json()
    assert answer["numbers"] == [1, 2, 3, 4, 5, 6, 7]
    assert all(f"[{n}] " in answer["rendered"] for n in answer["numbers"])
    pills = [user.http.get(f"{path}/{n}").json() for n in answer["numbers"]]
    assert [(pill["source_type"], pill["status"], pill["checked"]) for pill in pills] == [
        ("kb_chunk", "current", True),
        ("kb_document", "current", True),
        ("connector_item", "current", False),
        ("web_result", "current", False),
        ("chat_turn", "current", True),
        ("anon_chunk", "current", True),
        ("anon_chunk", "deleted", True),
    ]
    assert pills[3]["document_url"] == "https://example.org/a"
    book.sections[1] += " Welcome!"
    book.upload()
    assert user.http.delete(f"/v1/threads/{thread}").status_code == 204
    after = [user.http.get(f"{path}/{n}").json()["status"] for n in answer["numbers"]]
    assert after == ["current", "changed", "current", "current", "deleted", "current", "deleted"]


def test_old_messages_keep_their_pills(user: Client, handbook: Callable[..., Handbook]) -> None:
    book = handbook()
    thread = user.thread()
    turn = user.ask(f"What may a room in a hotel in {book.place} cost?", thread, settings={"top_k": 3})
    cited = next(c for c in turn["message"]["citations"] if book.cited in c["quote"])
    path = f"/v1/conversations/{thread}/citations/{cited['n']}"
    for change, status in (
        (lambda: book.sections.insert(1, "## New\n\nNew words at the beginning."), "moved"),
        (lambda: book.sections.__setitem__(3, book.sections[3].replace("140", "150")), "changed"),
        (lambda: book.sections.pop(3), "deleted"),
    ):
        change()
        book.upload()
        pill = user.http.get(path).json()
        assert (pill["status"], pill["quote"]) == (status, cited["quote"])
    stored = user.http.get(f"/v1/threads/{thread}/messages").json()["items"][-1]
    assert next(c for c in stored["citations"] if c["n"] == cited["n"])["quote"] == cited["quote"]
    assert f"[citation:{cited['n']}]" in stored["text"]


@pytest.mark.parametrize("kind", ["docx", "pdf", "html"])
def test_characters_count_in_the_text_that_was_read(user: Client, kind: str) -> None:
    said = f"The cable car of {kind} carries forty persons up the mountain each quarter of an hour."
    content = {
        "docx": lambda: docx_bytes("Cable cars", {"Figures": ["First the weather.", said]}),
        "pdf": lambda: pdf_bytes([["Weather", "It is fine."], ["Figures", said]]),
        "html": lambda: f"<html><body><h1>Figures</h1><p>Fine.</p><p>{said}</p></body></html>".encode(),
    }[kind]()
    document = user.upload(f"cable.{kind}", content, folder="/cables")
    user.wait_ended([document["id"]])
    passage = user.search(said, scope={"document_ids": [document["id"]]})["passages"][0]
    conversation = user.thread()
    path = f"/v1/conversations/{conversation}/citations"
    user.http.post(path, json={"items": [passage_item(passage)]})
    pill = user.http.get(f"{path}/1").json()
    assert pill["status"] == "current"
    start, end = pill["place"]["char_start"], pill["place"]["char_end"]
    text = user.http.get(pill["text_url"]).text
    assert " ".join(text[start:end].split()) == " ".join(passage["text"].split())
    assert said in " ".join(text[start:end].split())
    if kind == "pdf":
        assert pill["document_url"].startswith(f"/v1/documents/{document['id']}/content#page=2&char=")


@pytest.fixture
def without_ingest(distributed: DistributedStack) -> Iterator[Callable[[], None]]:
    """Stops the process of ingest; it is started again behind the test."""
    yield lambda: distributed.kill_role("ingest")
    if not distributed.ready("ingest"):
        distributed.start_service("ingest")
        distributed.wait_ready("ingest")


def test_with_ingest_stopped_nothing_of_a_document_is_shown_and_ingest_named(
    distributed: DistributedStack, without_ingest: Callable[[], None]
) -> None:
    ingest, resolver = distributed.client(), distributed.client("resolver0")
    document = ingest.upload("stopped.txt", b"The ferry to the island leaves at seven in the morning.")
    ingest.wait_ended([document["id"]])
    (chunk,) = ingest.http.get(f"/v1/documents/{document['id']}/chunks").json()["items"]
    conversation = resolver.http.post("/v1/conversations", json={}).json()["id"]
    path = f"/v1/conversations/{conversation}/citations"
    item = {
        "source_type": "kb_chunk",
        "locator": {"document_id": document["id"], "chunk_id": chunk["id"]},
        "text": chunk["text"],
        "span": [chunk["char_start"], chunk["char_end"]],
    }
    page = {"source_type": "web_result", "locator": {"url": "https://example.org/"}, "text": "A page."}
    resolver.http.post(path, json={"items": [item, page]})
    assert resolver.http.get(f"{path}/1").json()["status"] == "current"
    without_ingest()
    pill = resolver.http.get(f"{path}/1").json()
    assert (pill["status"], pill["degraded"], pill["checked"]) == ("unknown", ["ingest"], False)
    assert chunk["text"] not in str(pill)
    assert chunk["text"] not in resolver.http.get(path).text
    assert resolver.http.get(f"{path}/2").json()["status"] == "current"
    assert 'footnote_degraded_total{part="ingest"}' in resolver.http.get("/metrics").text
    distributed.start_service("ingest")
    distributed.wait_ready("ingest")
    assert resolver.http.get(f"{path}/1").json()["status"] == "current"
