"""GitHub's REST interface as far as the connector asks: trees, blobs, issues in pages, comments, limits."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha1
from typing import Any
from urllib.parse import parse_qsl, unquote

from footnote_ingest.connectors.github import GithubItems
from footnote_shared.kernel.clock import now, rfc3339
from tests.unit.ingest.connectors.local_site import LocalSite, Reply, SiteRequest

Json = dict[str, Any]
ROOT = "/repos/team/wiki"


@dataclass
class FakeGithub:
    """One repository. `before` sees each request first, and what it returns takes the place of the answer."""

    site: LocalSite
    token: str | None = "t0ken"
    files: dict[str, bytes] = field(default_factory=dict)
    threads: dict[int, Json] = field(default_factory=dict)
    comments: dict[str, list[Json]] = field(default_factory=dict)
    truncated: bool = False
    private: bool = False
    people: list[str] | None = field(default_factory=list)
    teams: list[str] = field(default_factory=list)
    opened: list[GithubItems] = field(default_factory=list)
    before: Callable[[SiteRequest], Reply | None] = lambda request: None

    def __post_init__(self) -> None:
        self.site.answer = self.answer

    def open_thread(
        self, number: int, title: str, updated: str, *, body: str = "", pull: bool = False
    ) -> None:
        thread: Json = {
            "number": number,
            "title": title,
            "body": body or None,
            "state": "open",
            "labels": [{"name": "bug"}],
            "user": {"login": "ana"},
            "html_url": f"https://github.example/team/wiki/issues/{number}",
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": updated,
        }
        self.threads[number] = {**thread, "pull_request": {}} if pull else thread

    def answer(self, request: SiteRequest) -> Reply:
        found = self.before(request)
        if found is not None:
            return found
        if self.token is not None and request.headers.get("authorization") != f"Bearer {self.token}":
            return self._json({"message": "Bad credentials"}, 401)
        asked = dict(parse_qsl(request.query))
        path = unquote(request.path).removeprefix(ROOT)
        match path.split("/")[1:]:
            case []:
                about = {"default_branch": "main", "html_url": "https://github.example/team/wiki"}
                visibility = "private" if self.private else "public"
                return self._json({**about, "private": self.private, "visibility": visibility})
            case ["collaborators"] if self.people is not None:
                size, page = int(asked["per_page"]), int(asked["page"])
                some = self.people[(page - 1) * size : page * size]
                return self._json([{"login": one} for one in some])
            case ["teams"]:
                return self._json([{"slug": one} for one in self.teams])
            case ["git", "trees", *sha]:
                return self._tree("/".join(sha), whole="recursive" in asked)
            case ["git", "blobs", sha]:
                blobs = {_sha(content): content for content in self.files.values()}
                return (
                    Reply(blobs[sha], kind="application/octet-stream")
                    if sha in blobs
                    else self._json({}, 404)
                )
            case ["issues"] if request.body:
                return self._json(self._opened(json.loads(request.body)), 201)
            case ["issues", number, "comments"] if request.body:
                return self._commented(int(number), json.loads(request.body))
            case ["issues"]:
                return self._json(self._listed(asked))
            case ["issues", number]:
                thread = self.threads.get(int(number))
                return self._json(thread) if thread is not None else self._json({}, 404)
            case [_, _, _]:
                return self._json(self._said(path.removeprefix("/"), asked))
        return self._json({}, 404)

    def _opened(self, wanted: Json) -> Json:
        number = max(self.threads, default=0) + 1
        made = rfc3339(now())
        self.open_thread(number, wanted["title"], made, body=wanted["body"])
        self.threads[number] |= {"id": 1000 + number, "created_at": made}
        return self.threads[number]

    def _commented(self, number: int, wanted: Json) -> Reply:
        if number not in self.threads:
            return self._json({"message": "Not Found"}, 404)
        said = self.comments.setdefault(f"issues/{number}/comments", [])
        url = f"{self.threads[number]['html_url']}#issuecomment-{len(said) + 1}"
        made = rfc3339(now())
        comment = {
            "id": len(said) + 1,
            "html_url": url,
            "user": {"login": "bot"},
            "created_at": made,
            "updated_at": made,
            **wanted,
        }
        said.append(comment)
        self.threads[number]["updated_at"] = made
        return self._json(comment, 201)

    def _said(self, path: str, asked: dict[str, str]) -> list[Json]:
        since = asked.get("since", "")
        return [one for one in self.comments.get(path, []) if one.get("updated_at", "9") >= since]

    def _listed(self, asked: dict[str, str]) -> list[Json]:
        since, field_name = asked.get("since", ""), f"{asked['sort']}_at"
        found = [one for one in self.threads.values() if one["updated_at"] >= since]
        down = asked.get("direction") == "desc"
        found.sort(key=lambda one: (one[field_name], one["number"]), reverse=down)
        size, page = int(asked["per_page"]), int(asked["page"])
        return found[(page - 1) * size : page * size]

    def _tree(self, sha: str, *, whole: bool) -> Reply:
        if not self.files:
            return self._json({"message": "Git Repository is empty."}, 409)
        prefix = "" if sha == "main" else f"{sha.removeprefix('tree-').replace('|', '/')}/"
        below = {path.removeprefix(prefix): c for path, c in self.files.items() if path.startswith(prefix)}
        if whole and self.truncated and prefix == "":
            return self._json({"tree": [], "truncated": True})
        tree: dict[str, Json] = {}
        for path, content in below.items():
            first, slash, _ = path.partition("/")
            if slash and not whole:
                name = f"{prefix}{first}".replace("/", "|")
                tree[first] = {"path": first, "type": "tree", "sha": f"tree-{name}"}
            else:
                tree[path] = {"path": path, "type": "blob", "sha": _sha(content), "size": len(content)}
        return self._json({"tree": list(tree.values()), "truncated": False})

    def _json(self, body: Any, status: int = 200) -> Reply:
        return Reply(json.dumps(body), status, "application/json")


def _sha(content: bytes) -> str:
    return sha1(content, usedforsecurity=False).hexdigest()
