"""Confluence and Jira as far as the connectors ask: pages by tokens in the cloud, by numbers on a server."""

import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

from footnote_shared.kernel.clock import now, rfc3339
from tests.unit.ingest.connectors.local_site import LocalSite, Reply, SiteRequest

Json = dict[str, Any]


def answered(body: Any, status: int = 200) -> Reply:
    return Reply(json.dumps(body), status, "application/json")


@dataclass
class FakeAtlassian:
    """One site. `before` sees each request first, and what it returns takes the place of the answer.

    The account `ana@example.org` is let in in the cloud, and whoever brings the token on a server.
    """

    site: LocalSite
    is_cloud: bool = True
    token: str = "t1"
    per_page: int = 2
    before: Callable[[SiteRequest], Reply | None] = lambda request: None
    asked: list[Json] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.site.answer = self.answer

    def answer(self, request: SiteRequest) -> Reply:
        found = self.before(request)
        if found is not None:
            return found
        known = b64encode(f"ana@example.org:{self.token}".encode()).decode()
        wanted = f"Basic {known}" if self.is_cloud else f"Bearer {self.token}"
        # Whoever is not known is a stranger, who sees hardly anything.
        is_known = request.headers.get("authorization") == wanted
        asked = dict(parse_qsl(request.query))
        self.asked.append(asked)
        if request.body:
            return self.write_to(request.path, json.loads(request.body), is_known=is_known)
        return self.route(request.path, asked, is_known=is_known)

    def route(self, path: str, asked: Json, *, is_known: bool) -> Reply:
        raise NotImplementedError

    def write_to(self, path: str, wanted: Json, *, is_known: bool) -> Reply:
        return answered({}, 405)


@dataclass
class FakeConfluence(FakeAtlassian):
    pages: dict[str, Json] = field(default_factory=dict)
    spaces: dict[str, list[Json]] = field(default_factory=dict)

    def let_in(self, space: str, *, groups: Sequence[str] = (), people: Sequence[str] = ()) -> None:
        """These may see the space, and nobody else. Others may do other things with it."""
        subjects = {
            "group": {"results": [{"type": "group", "name": one} for one in groups]},
            "user": {"results": [{"accountId": one} for one in people]},
        }
        others = {"group": {"results": [{"name": "admins"}]}}
        self.spaces[space] = [
            {"operation": {"operation": "read", "targetType": "space"}, "subjects": subjects},
            {"operation": {"operation": "administer", "targetType": "space"}, "subjects": others},
        ]

    def write(
        self,
        page: str,
        title: str,
        body: str = "",
        *,
        below: Sequence[str] = (),
        groups: Sequence[str] = (),
        people: Sequence[str] = (),
    ) -> None:
        """A page, or its next version. `below`: the pages above it, from the top."""
        number = self.pages[page]["version"]["number"] + 1 if page in self.pages else 1
        self.pages[page] = {
            "id": page,
            "type": "page",
            "title": title,
            "space": {"key": "OPS", "name": "Betrieb"},
            "version": {"number": number, "when": f"2026-03-0{number}T09:00:00.000Z"},
            "history": {"createdBy": {"displayName": "Ana Ruiz"}},
            "ancestors": [{"id": one, "title": self.pages[one]["title"]} for one in below],
            "restrictions": {
                "read": {
                    "restrictions": {
                        "group": {"results": [{"name": one} for one in groups]},
                        "user": {"results": [{"accountId": one} for one in people]},
                    }
                }
            },
            "_links": {"webui": f"/spaces/OPS/pages/{page}"},
            "body": {"export_view": {"value": body}},
        }

    def route(self, path: str, asked: Json, *, is_known: bool) -> Reply:
        if path == "/wiki/rest/api/user/current":
            return answered({"type": "known" if is_known else "anonymous"})
        if path.startswith("/wiki/rest/api/space/"):
            shown = is_known and "permissions.subjects.group" in str(asked["expand"])
            told = {"permissions": self.spaces[path.rpartition("/")[2]]} if self.spaces and shown else {}
            return answered(told)
        if path != "/wiki/rest/api/content/search":
            return answered({}, 404)
        wanted = str(asked["cql"])
        if 'space in ("NONE")' in wanted:
            return answered({"message": "No space"}, 400)
        found = list(self.pages.values()) if is_known else []
        if wanted.startswith("id in ("):
            ids = wanted.removeprefix("id in (").removesuffix(")").split(",")
            return answered({"results": [one for one in found if one["id"] in ids], "_links": {}})
        if wanted.startswith("id="):
            found = [one for one in found if one["id"] == wanted.removeprefix("id=")]
            return answered({"results": found, "_links": {}})
        if self.is_cloud:
            return self._by_cursor(found, asked)
        start = int(asked.get("start", 0))
        end = start + self.per_page
        links = {"next": f"/rest/api/content/search?start={end}"} if end < len(found) else {}
        return answered({"results": found[start:end], "_links": links})

    def _by_cursor(self, found: Sequence[Json], asked: Json) -> Reply:
        after = str(asked.get("cursor", ""))
        left = [one for one in found if one["id"] > after]
        page = left[: self.per_page]
        links = {"next": f"/x?{urlencode({'cursor': page[-1]['id']})}"} if len(left) > len(page) else {}
        return answered({"results": page, "_links": links})


@dataclass
class FakeJira(FakeAtlassian):
    issues: dict[str, Json] = field(default_factory=dict)
    comments: dict[str, list[Json]] = field(default_factory=dict)
    grants: list[Json] | None = None
    actors: list[Json] = field(default_factory=list)

    def let_in(self, *holders: Json) -> None:
        """These may browse the project OPS. Others may do other things in it."""
        self.grants = [{"permission": "BROWSE_PROJECTS", "holder": one} for one in holders]
        self.grants.append({"permission": "ADD_COMMENTS", "holder": {"type": "anyone"}})

    def write(self, issue: str, summary: str, updated: str, description: str = "", **fields: Any) -> None:
        self.issues[issue] = {
            "id": issue,
            "key": f"OPS-{issue}",
            "fields": {
                "summary": summary,
                "updated": updated,
                "creator": {"displayName": "Ana Ruiz"},
                "project": {"key": "OPS", "name": "Betrieb"},
                "status": {"name": "Open"},
                "issuetype": {"name": "Bug"},
                "labels": ["pump"],
                **fields,
            },
            "renderedFields": {"description": description},
        }

    def say(self, issue: str, author: str, body: str, **more: Any) -> None:
        said = {"author": {"displayName": author}, "created": "2026-03-05T10:00:00.000+0000"}
        self.comments.setdefault(issue, []).append({**said, "renderedBody": body, **more})

    def write_to(self, path: str, wanted: Json, *, is_known: bool) -> Reply:
        match path.removeprefix("/rest/api/2/issue/").split("/"):
            case [key, "comment"] if key in self.issues and is_known:
                self.say(key, "Bot", wanted["body"], id=f"c{len(self.comments.get(key, []))}")
                self.comments[key][-1] |= {**wanted, "created": rfc3339(now())}
                return answered(self.comments[key][-1], 201)
        return answered({}, 404)

    def route(self, path: str, asked: Json, *, is_known: bool) -> Reply:
        if path == "/rest/api/2/myself":
            return answered({"accountId": "a"} if is_known else {}, 200 if is_known else 401)
        if path == ("/rest/api/2/search/jql" if self.is_cloud else "/rest/api/2/search"):
            return self._search(asked, is_known=is_known)
        match path.removeprefix("/rest/api/2/project/OPS").split("/"):
            case ["", "permissionscheme"] if self.grants is not None:
                return answered({"id": 1, "permissions": self.grants})
            case ["", "role", "10002"]:
                return answered({"name": "Users", "actors": self.actors})
        match path.removeprefix("/rest/api/2/issue/").split("/"):
            case [key, "comment"] if key in self.issues:
                found = self.comments.get(key, [])
                start = int(asked.get("startAt", 0))
                return answered({"comments": found[start : start + self.per_page], "total": len(found)})
            case [key] if key in self.issues:
                return answered(self.issues[key])
        return answered({}, 404)

    def _search(self, asked: Json, *, is_known: bool) -> Reply:
        wanted = str(asked["jql"])
        if 'project in ("NONE")' in wanted:
            return answered({"errorMessages": ["No project"]}, 400)
        found = list(self.issues.values()) if is_known else []
        if "updated >= -2d" in wanted:
            found = [one for one in found if one["fields"]["updated"] >= "2026-03-18"]
        if not self.is_cloud:
            start = int(asked.get("startAt", 0))
            return answered({"issues": found[start : start + self.per_page], "total": len(found)})
        left = [one for one in found if one["id"] > str(asked.get("nextPageToken", ""))]
        page, more = left[: self.per_page], len(left) > self.per_page
        token = {"nextPageToken": page[-1]["id"]} if more else {}
        return answered({"issues": page, "isLast": not more, **token})
