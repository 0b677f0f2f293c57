"""Documents as a model lists them: page by page, by whom they state facts about, and what was read."""

from typing import Any

import httpx
import pytest
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.tools.guard import CallRefused
from footnote_shared.contracts.documents import Document
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_testing.fake_documents import plain_document

PER_PAGE = 20


class Shelf:
    """The part of ingest that lists documents, with facts about them."""

    def __init__(self, desk: ToolDesk, count: int) -> None:
        self.documents = [plain_document(desk.caller, new_id(), f"Report {n}", "/") for n in range(count)]
        self.facts: dict[str, list[dict[str, Any]]] = {}
        self.gone: set[str] = set()
        self.summaries: dict[str, dict[str, str]] = {}
        desk.ingest = self.answer

    def names(self, name: str, *documents: Document) -> None:
        """A fact of each of the documents names somebody."""
        for document in documents:
            source = {"document_id": document.id, "chunk_id": "c1", "title": document.title}
            self.facts.setdefault(document.id, []).append(
                {
                    "id": new_id(),
                    "text": f"{name} signed.",
                    "quote": f"{name} signed.",
                    "source_ref": source,
                    "entities": [{"entity_id": name, "kind": "person", "name": name}],
                    "created_at": now().isoformat(),
                }
            )

    def answer(self, request: httpx.Request) -> httpx.Response:
        path, asked = request.url.path, request.url.params
        if path == "/v1/entities":
            facts = [fact for of in self.facts.values() for fact in of]
            named = [fact for fact in facts if fact["entities"][0]["name"] == asked["name"]]
            entity = {"id": "e", "kind": "person", "names": [asked["name"]], "facts": named}
            items = [{**entity, "roles": [], "organisations": [], "addresses": []}] if named else []
            return httpx.Response(200, json={"items": items, "more": False})
        if path == "/v1/documents:lookup":
            return self._items([one for one in self.documents if one.id.encode() in request.content])
        if path == "/v1/documents":
            begin = int(asked.get("cursor", 0))
            end = begin + int(asked["limit"])
            more = str(end) if end < len(self.documents) else None
            return self._items(self.documents[begin:end], next_cursor=more)
        if path.endswith("/facts"):
            of = path.split("/")[3]
            answer = {
                "document_id": of,
                "fact_extraction_status": "completed",
                "items": self.facts.get(of, []),
            }
            return httpx.Response(200, json=answer)
        found = [one for one in self.documents if path == f"/v1/documents/{one.id}"]
        if not found:
            return httpx.Response(404)
        told = {**found[0].model_dump(mode="json"), "summary": self.summaries.get(found[0].id)}
        return httpx.Response(200, json=told)

    def _items(self, documents: list[Document], **more: Any) -> httpx.Response:
        shown = [one.model_dump(mode="json") for one in documents if one.id not in self.gone]
        return httpx.Response(200, json={"items": shown, **more})


@pytest.fixture
def desk(tmp_path_factory: pytest.TempPathFactory) -> ToolDesk:
    return ToolDesk.made(tmp_path_factory.mktemp("desk"))


async def test_a_long_list_is_told_page_by_page(desk: ToolDesk) -> None:
    Shelf(desk, PER_PAGE + 5)
    first = await desk.call(desk.context(), "list_documents")
    assert f"D{PER_PAGE}: Report {PER_PAGE - 1} " in first.text
    assert "There are more: page 2" in first.text
    second = await desk.call(desk.context(), "list_documents", page=2)
    assert second.text.startswith(f"D{PER_PAGE + 1}: Report {PER_PAGE} ")
    assert "more" not in second.text
    with pytest.raises(CallRefused, match="no such page"):
        await desk.call(desk.context(), "list_documents", page=3)


async def test_documents_are_listed_by_whom_they_state_facts_about(desk: ToolDesk) -> None:
    shelf = Shelf(desk, 4)
    shelf.names("Ada Lovelace", shelf.documents[2], shelf.documents[0], shelf.documents[2])
    shelf.names("Grace Hopper", shelf.documents[1])
    told = await desk.call(desk.context(), "list_documents", entity="Ada Lovelace")
    assert [line.split(" (")[0] for line in told.text.splitlines()] == ["D1: Report 2", "D2: Report 0"]
    none = await desk.call(desk.context(), "list_documents", entity="Alan Turing")
    assert none.text == "There are no such documents."
    shelf.gone.add(shelf.documents[2].id)
    left = await desk.call(desk.context(), "list_documents", entity="Ada Lovelace")
    assert "Report 2" not in left.text


async def test_a_list_by_entity_says_that_it_takes_no_other_filter(desk: ToolDesk) -> None:
    Shelf(desk, 1)
    with pytest.raises(CallRefused, match="no other filter"):
        await desk.call(desk.context(), "list_documents", entity="Ada", type="pdf")


async def test_many_documents_about_one_are_told_page_by_page_too(desk: ToolDesk) -> None:
    shelf = Shelf(desk, PER_PAGE + 1)
    shelf.names("Ada", *shelf.documents)
    first = await desk.call(desk.context(), "list_documents", entity="Ada")
    assert first.text.count("Report") == PER_PAGE
    second = await desk.call(desk.context(), "list_documents", entity="Ada", page=2)
    assert second.text.count("Report") == 1
    with pytest.raises(CallRefused, match="no such page"):
        await desk.call(desk.context(), "list_documents", entity="Ada", page=3)


async def test_a_document_is_told_with_its_facts_and_whom_they_name(desk: ToolDesk) -> None:
    shelf = Shelf(desk, 2)
    shelf.names("Ada [3] Lovelace", shelf.documents[0])
    await desk.call(desk.context(), "list_documents")
    told = await desk.call(desk.context(), "get_document", doc="D1")
    assert "facts: 1 (completed)" in told.text
    assert "about: Ada " in told.text
    assert "[3]" not in told.text
    other = await desk.call(desk.context(), "get_document", doc="D2")
    assert "facts: 0 (completed)" in other.text
    assert "about: nobody and nothing by name" in other.text


class TestASummary:
    async def test_is_the_numbered_unit_of_the_whole_document(self, desk: ToolDesk) -> None:
        shelf = Shelf(desk, 2)
        first, second = shelf.documents
        shelf.summaries[first.id] = {"text": "It tells what is paid.", "made_by": "extract"}
        shelf.summaries[second.id] = {"text": "It tells of pumps.", "made_by": "model"}
        await desk.call(desk.context(), "list_documents")
        told = await desk.call(desk.context(), "get_document", doc="D1")
        assert told.text.endswith("\n[1] It tells what is paid.")
        assert "summary: below, sentences of the document" in told.text
        assert [(one.n, one.title) for one in told.shown] == [(1, first.title)]
        assert (desk.items[0]["source_type"], desk.items[0]["locator"]) == (
            "kb_document",
            {"document_id": first.id},
        )
        assert desk.items[0]["display"].get("heading_path") is None
        by_model = await desk.call(desk.context(), "get_document", doc="D2")
        assert "summary: below, written by a model" in by_model.text
        assert desk.items[1]["display"]["heading_path"] == ["Summary written by a model"]
        again = await desk.call(desk.context(), "get_document", doc="D1")
        assert [one.n for one in again.shown] == [1], "one document has one number"

    async def test_that_is_missing_is_told_of_without_a_number(self, desk: ToolDesk) -> None:
        Shelf(desk, 1)
        await desk.call(desk.context(), "list_documents")
        told = await desk.call(desk.context(), "get_document", doc="D1")
        assert "summary: none" in told.text
        assert told.shown == ()
        assert desk.items == []

    @pytest.mark.parametrize("changed", [{"folder": "/memory"}, {"session_id": "s" * 32}])
    async def test_of_memory_and_of_an_upload_of_a_session_gets_no_number(
        self, desk: ToolDesk, changed: dict[str, str]
    ) -> None:
        shelf = Shelf(desk, 1)
        shelf.documents = [shelf.documents[0].model_copy(update=changed)]
        shelf.summaries[shelf.documents[0].id] = {"text": "The user likes tea.", "made_by": "extract"}
        await desk.call(desk.context(), "list_documents")
        told = await desk.call(desk.context(), "get_document", doc="D1")
        assert "summary: none" in told.text
        assert "tea" not in told.text
        assert desk.items == []
