"""The kind `notion` against a server that speaks Notion's API."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.notion import NotionItems
from footnote_ingest.connectors.notion_wire import NotionWire
from footnote_ingest.connectors.protocol import SourceItem, SyncPage
from tests.unit.ingest.connectors.fake_notion import FakeNotion, answered, block, rich
from tests.unit.ingest.connectors.in_process import InProcess
from tests.unit.ingest.connectors.local_site import LocalSite, Reply, SiteRequest

TODAY = datetime(2026, 3, 20, 12, 0, 30, tzinfo=UTC)
EARLIER = "2026-03-01T09:00:00.000Z"


@pytest.fixture
def notion() -> FakeNotion:
    return FakeNotion(LocalSite("https://api.notion.example"))


def opened(notion: FakeNotion, token: str = "ntn_1") -> NotionItems:
    return NotionItems(NotionWire(InProcess(notion.site), notion.site.url, token), clock=lambda: TODAY)


def pages(source: NotionItems) -> Iterator[SyncPage]:
    cursor: str | None = None
    while True:
        page = source.sync(cursor)
        yield page
        if not page.more:
            return
        assert page.cursor != cursor
        cursor = page.cursor


def items(source: NotionItems) -> dict[str, SourceItem]:
    return {item.id: item for page in pages(source) for item in page.items}


def text_of(notion: FakeNotion, item_id: str) -> str:
    source = opened(notion)
    return source.fetch(items(source)[item_id], None).content.decode()


class TestPages:
    def test_come_with_their_place_their_author_and_their_time(self, notion: FakeNotion) -> None:
        notion.write("p1", "Handbuch", EARLIER)
        notion.write("p2", "設備/ポンプ", EARLIER, parent="p1")
        notion.write(
            "p3", "Насос 4711", "2026-03-02T10:00:00.000Z", block("paragraph", "Läuft."), parent="p2"
        )
        found = items(opened(notion))
        assert set(found) == {"page:p1", "page:p2", "page:p3"}
        item = found["page:p3"]
        assert (item.title, item.author, item.folder) == ("Насос 4711", "Ana Ruiz", "Handbuch/設備∕ポンプ")
        assert item.url == "https://notion.example/p3"
        assert item.updated_at == datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
        assert text_of(notion, "page:p3") == "# Насос 4711\n\nLäuft.\n"

    def test_are_all_found_however_many_there_are(self, notion: FakeNotion) -> None:
        for n in range(7):
            notion.write(f"p{n}", f"Page {n}", EARLIER)
        for n in range(3):
            notion.make_database(f"d{n}", f"Database {n}", EARLIER)
        assert set(items(opened(notion))) == {
            *(f"page:p{n}" for n in range(7)),
            *(f"database:d{n}" for n in range(3)),
        }

    def test_an_edit_is_another_revision_and_what_is_archived_is_not_named(self, notion: FakeNotion) -> None:
        for n in range(4):
            notion.write(f"p{n}", f"Page {n}", EARLIER)
        before = items(opened(notion))
        notion.objects["p1"]["last_edited_time"] = "2026-03-02T09:00:00.000Z"
        notion.objects["p2"]["archived"] = True
        after = items(opened(notion))
        assert set(after) == {"page:p0", "page:p1", "page:p3"}
        assert {key for key, item in after.items() if item.revision != before[key].revision} == {"page:p1"}

    def test_one_that_was_edited_in_this_minute_is_looked_at_again(self, notion: FakeNotion) -> None:
        notion.write("p1", "Page", "2026-03-20T12:00:00.000Z")
        now = opened(notion)
        later = NotionItems(
            NotionWire(InProcess(notion.site), notion.site.url, "ntn_1"),
            clock=lambda: datetime(2026, 3, 20, 13, 0, tzinfo=UTC),
        )
        assert items(now)["page:p1"].revision != items(later)["page:p1"].revision

    def test_one_that_is_edited_while_they_are_listed_hides_no_other(self, notion: FakeNotion) -> None:
        for n in range(7):
            notion.write(f"p{n}", f"Page {n}", f"2026-03-0{n + 1}T09:00:00.000Z")
        source = opened(notion)
        page = source.sync(None)
        notion.objects["p0"]["last_edited_time"] = "2026-03-19T09:00:00.000Z"
        found = {item.id for item in page.items}
        while page.more:
            page = source.sync(page.cursor)
            found |= {item.id for item in page.items}
        assert found == {f"page:p{n}" for n in range(7)}

    def test_one_that_goes_while_they_are_read_fails_alone(self, notion: FakeNotion) -> None:
        notion.write("p1", "Page", EARLIER, block("paragraph", "Text."))
        source = opened(notion)
        (item,) = items(source).values()
        del notion.objects["p1"], notion.blocks["p1"]
        with pytest.raises(ItemFailed):
            source.fetch(item, None)

    def test_without_the_right_to_names_there_are_no_authors(self, notion: FakeNotion) -> None:
        notion.may_read_people = False
        notion.write("p1", "Page", EARLIER)
        assert items(opened(notion))["page:p1"].author is None


class TestTexts:
    def test_hold_every_block_with_what_lies_below_it(self, notion: FakeNotion) -> None:
        outer, toggle = block("bulleted_list_item", "Outer", has_children=True), block("toggle", "More")
        table = block("table", has_children=True)
        notion.write(
            "p1",
            "Page",
            EARLIER,
            block("heading_1", "Start"),
            block(
                "paragraph", said={"rich_text": [*rich("Press "), *rich("green ", bold=True), *rich("now.")]}
            ),
            outer,
            block("to_do", "Done", said={"checked": True}),
            toggle | {"has_children": True},
            block("code", "a = 1\n# no heading", said={"language": "python"}),
            block("quote", "First\nsecond"),
            table,
            block("image", said={"caption": rich("The pump"), "type": "file"}),
            block("bookmark", said={"url": "https://x.example/a"}),
            block("child_page", said={"title": "Below"}, has_children=True),
            block("a_kind_of_2030", "It says this."),
        )
        inner = block("bulleted_list_item", "Inner", has_children=True)
        notion.blocks[outer["id"]] = [inner]
        notion.blocks[inner["id"]] = [block("bulleted_list_item", "Innermost")]
        notion.blocks[toggle["id"]] = [block("paragraph", "Hidden.")]
        cells = ([rich("Größe"), rich("a|b")], [rich("7"), rich("")])
        notion.blocks[table["id"]] = [block("table_row", said={"cells": row}) for row in cells]
        assert text_of(notion, "page:p1").split("\n\n") == [
            "# Page",
            "## Start",
            "Press **green** now.",
            "- Outer\n    - Inner\n        - Innermost",
            "- [x] Done",
            "- More\n    Hidden.",
            "```python\na = 1\n# no heading\n```",
            "> First\n> second",
            "| Größe | a\\|b |\n| --- | --- |\n| 7 |  |",
            "File: The pump",
            "https://x.example/a",
            "Below",
            "It says this.\n",
        ]

    def test_a_row_of_a_database_says_its_properties(self, notion: FakeNotion) -> None:
        columns: dict[str, Any] = {"Owner": {}, "State": {}}
        notion.make_database("d1", "Tasks", EARLIER, description=rich("What to do."), properties=columns)
        properties = {
            "State": {"type": "status", "status": {"name": "läuft"}},
            "Tags": {"type": "multi_select", "multi_select": [{"name": "a"}, {"name": "b"}]},
            "Due": {"type": "date", "date": {"start": "2026-03-01", "end": None}},
            "Open": {"type": "checkbox", "checkbox": False},
            "Cost": {"type": "number", "number": 12.5},
            "Sum": {"type": "formula", "formula": {"type": "number", "number": 3}},
            "Nothing": {"type": "select", "select": None},
            "Odd": {"type": ["select"], "select": 1},
        }
        notion.write("p1", "Repair", EARLIER, parent="d1", properties=properties)
        text = text_of(notion, "page:p1")
        assert text == (
            "# Repair\n\n"
            "- State: läuft\n- Tags: a, b\n- Due: 2026-03-01\n- Open: no\n- Cost: 12.5\n- Sum: 3\n"
        )
        assert items(opened(notion))["page:p1"].folder == "Tasks"
        assert text_of(notion, "database:d1") == "# Tasks\n\nWhat to do.\n\nColumns: Owner, State\n"

    def test_blocks_without_end_end(self, notion: FakeNotion) -> None:
        deep = block("paragraph", "x", has_children=True)
        notion.write("p1", "Page", EARLIER, deep)
        notion.blocks[deep["id"]] = [deep]
        assert text_of(notion, "page:p1").count("x") == 21


class TestTrouble:
    def test_a_token_that_was_revoked_is_told_to_its_owner(self, notion: FakeNotion) -> None:
        with pytest.raises(OwnerMustAct, match="token"):
            opened(notion, "old").sync(None)

    def test_what_the_integration_may_not_read_is_told_to_its_owner(self, notion: FakeNotion) -> None:
        notion.before = lambda request: answered({"code": "restricted_resource"}, 403)
        with pytest.raises(OwnerMustAct, match="integration"):
            opened(notion).sync(None)

    @pytest.mark.parametrize(("headers", "at_least"), [({"Retry-After": "90"}, 90), ({}, 60)])
    def test_a_limit_is_kept(self, notion: FakeNotion, headers: dict[str, str], at_least: int) -> None:
        notion.before = lambda request: Reply("{}", 429, headers=headers)
        with pytest.raises(SourceBusy) as raised:
            opened(notion).sync(None)
        assert raised.value.retry_after >= at_least

    @pytest.mark.parametrize(
        "reply",
        [
            Reply("", 502),
            Reply('{"results": [{'),
            Reply("[]"),
            answered({}),
            answered({"results": [1], "has_more": False}),
            answered({"results": [], "has_more": True, "next_cursor": None}),
            answered({"results": []}),
            answered({"code": "conflict_error"}, 409),
        ],
    )
    def test_a_page_that_does_not_come_whole_is_tried_again(self, notion: FakeNotion, reply: Reply) -> None:
        for n in range(5):
            notion.write(f"p{n}", f"Page {n}", EARLIER)
        source = opened(notion)
        page = source.sync(None)
        notion.before = lambda request: reply
        with pytest.raises(SourceDown):
            source.sync(page.cursor)
        notion.before = lambda request: None
        assert source.sync(page.cursor).items

    def test_a_cursor_without_end_ends(self, notion: FakeNotion) -> None:
        notion.write("p1", "Page", EARLIER, block("paragraph", "x"))
        source = opened(notion)
        (item,) = items(source).values()
        endless = answered({"results": [], "has_more": True, "next_cursor": "again"})

        def again(request: SiteRequest) -> Reply | None:
            return endless if "/blocks/" in request.path else None

        notion.before = again
        with pytest.raises(SourceDown, match="without end"):
            source.fetch(item, None)

    def test_values_of_the_wrong_type_do_no_harm(self, notion: FakeNotion) -> None:
        odd: list[dict[str, Any]] = [
            {"id": 7},
            {"id": "p1", "parent": [], "properties": {"a": None, "b": {"type": "title", "title": [None]}}},
            {"id": "p2", "title": 3, "url": "x\ud800", "created_by": "me", "last_edited_time": {}},
        ]
        body = json.dumps({"results": odd, "has_more": False})
        notion.before = lambda request: Reply(body) if request.path == "/v1/search" else None
        notion.blocks = {"p1": [{"type": "paragraph", "paragraph": []}, {"type": 1}], "p2": []}
        source = opened(notion)
        found = items(source)
        assert {"page:p1", "page:p2"} <= set(found)
        assert source.fetch(found["page:p1"], None).content == b"# \n"
