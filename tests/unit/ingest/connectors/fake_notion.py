"""Notion's API as far as the connector asks: search, pages, databases, blocks, people, cursors, limits."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from tests.unit.ingest.connectors.local_site import LocalSite, Reply, SiteRequest

Json = dict[str, Any]


@dataclass
class FakeNotion:
    """One workspace. `before` sees each request first, and what it returns takes the place of the answer."""

    site: LocalSite
    token: str = "ntn_1"
    objects: dict[str, Json] = field(default_factory=dict)
    blocks: dict[str, list[Json]] = field(default_factory=dict)
    per_page: int = 2
    may_read_people: bool = True
    before: Callable[[SiteRequest], Reply | None] = lambda request: None

    def __post_init__(self) -> None:
        self.site.answer = self.answer

    def write(
        self, page: str, title: str, edited: str, *blocks: Json, parent: str | None = None, **more: Any
    ) -> None:
        """A page with its blocks; `parent` is the id of what it lies in."""
        properties = {"Name": {"type": "title", "title": rich(title)}, **more.pop("properties", {})}
        self._put(page, "page", edited, parent, properties=properties, **more)
        self.blocks[page] = list(blocks)

    def make_database(self, database: str, title: str, edited: str, **more: Any) -> None:
        self._put(database, "database", edited, None, title=rich(title), **more)

    def _put(self, key: str, kind: str, edited: str, parent: str | None, **more: Any) -> None:
        above = self.objects[parent]["object"] if parent is not None else ""
        lies_in = {"type": f"{above}_id", f"{above}_id": parent} if above else {"type": "workspace"}
        self.objects[key] = {
            "object": kind,
            "id": key,
            "url": f"https://notion.example/{key}",
            "created_by": {"object": "user", "id": "u1"},
            "last_edited_time": edited,
            "parent": lies_in,
            "archived": False,
            "in_trash": False,
            **more,
        }

    def answer(self, request: SiteRequest) -> Reply:
        found = self.before(request)
        if found is not None:
            return found
        if request.headers.get("authorization") != f"Bearer {self.token}":
            return answered({"object": "error", "code": "unauthorized"}, 401)
        if not request.headers.get("notion-version"):
            return answered({"object": "error", "code": "missing_version"}, 400)
        asked = dict(parse_qsl(request.query))
        match request.path.removeprefix("/v1/").split("/"):
            case ["search"]:
                return self._search(json.loads(request.body))
            case ["pages" | "databases" as kind, key]:
                one = self.objects.get(key)
                is_there = one is not None and f"{one['object']}s" == kind
                return answered(one) if is_there else answered({"object": "error"}, 404)
            case ["blocks", key, "children"]:
                if key not in self.blocks:
                    return answered({"object": "error", "code": "object_not_found"}, 404)
                return self._page(self.blocks[key], asked)
            case ["users"]:
                if not self.may_read_people:
                    return answered({"object": "error", "code": "restricted_resource"}, 403)
                return self._page([{"id": "u1", "name": "Ana Ruiz"}, {"id": "u2", "name": None}], asked)
        return answered({"object": "error"}, 404)

    def _search(self, asked: Json) -> Reply:
        found = [
            one
            for one in self.objects.values()
            if one["object"] == asked["filter"]["value"] and not one["archived"]
        ]
        found.sort(key=lambda one: (one["last_edited_time"], one["id"]))
        return self._page(found, {**asked, "start_cursor": asked.get("start_cursor") or ""})

    def _page(self, found: Sequence[Json], asked: Json) -> Reply:
        """A page from the object that the cursor names, as Notion's cursors do."""
        keys = [one.get("id") for one in found]
        at = asked.get("start_cursor")
        if at and at not in keys:
            return answered({"object": "error", "code": "validation_error"}, 400)
        start = keys.index(at) if at else 0
        end = start + min(self.per_page, int(asked["page_size"]))
        following = keys[end] if end < len(found) else None
        return answered(
            {"results": list(found[start:end]), "has_more": following is not None, "next_cursor": following}
        )


def answered(body: Any, status: int = 200) -> Reply:
    return Reply(json.dumps(body), status, "application/json")


def rich(text: str, **marks: bool) -> list[Json]:
    return [{"type": "text", "plain_text": text, "annotations": marks, "href": None}]


_COUNT = iter(range(1_000_000))


def block(kind: str, text: str = "", **more: Any) -> Json:
    """A block with an id of its own."""
    said = {"rich_text": rich(text), **more.pop("said", {})}
    return {"id": f"b{next(_COUNT)}", "type": kind, kind: said, "has_children": False, **more}
