"""The public API as the console sees it, in memory: what a test puts in is what the page gets.

The page and its files are the real ones. Streams are written by the test, event by event.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse

from footnote_agent.api import console
from footnote_ingest.contracts.versions import DocumentVersion, DocumentVersions, VersionChanges
from footnote_shared.kernel.errors import FootnoteError, NotFound, Unauthenticated
from footnote_shared.web.problems import add_problem_handlers, problem_response
from tests.integration.console.fake_connectors import FakeConnectors
from tests.integration.console.fake_keys import add_keys
from tests.integration.console.fake_lanes import FakeLanes
from tests.integration.console.fake_sharing import add_sharing
from tests.integration.console.fake_usage import FakeUsage
from tests.integration.console.fake_workspace import FakeWorkspace

KEY = "fn_a-key-of-this-test"
NOW = "2026-11-22T10:00:00.000Z"
LATER = "2026-11-23T10:00:00.000Z"
_POLL_S = 0.02


def entry(n: int, title: str, quote: str, **display: Any) -> dict[str, Any]:
    """An entry of a passage in a document."""
    return {
        "n": n,
        "source_type": "kb_chunk",
        "locator": {"document_id": f"d{n}", "chunk_id": f"c{n}"},
        "display": {"title": title, "source": f"{title.lower().replace(' ', '-')}.md", **display},
        "quote": quote,
        "content_hash": "",
    }


@dataclass
class FakeTurn:
    """A turn whose events a test appends."""

    id: str
    thread_id: str
    question: str
    events: list[dict[str, Any]] = field(default_factory=list)
    cuts: int = 0
    """Readers that were let go before the end: a reader goes when the number grows."""
    stops: int = 0
    answers: dict[str, bool] = field(default_factory=dict)
    """What somebody said of calls that ask first."""

    def add(self, kind: str, **data: Any) -> None:
        self.events.append(
            {"v": 1, "turn_id": self.id, "seq": len(self.events) + 1, "type": kind, "at": NOW, "data": data}
        )

    def cite(self, cited: dict[str, Any]) -> None:
        self.add("citation", entry=cited, origin="model")

    def complete(self, text: str, citations: list[dict[str, Any]], **more: Any) -> None:
        self.add("message.completed", message_id=f"m-{self.id}", text=text, citations=citations, **more)

    @property
    def ended(self) -> bool:
        return bool(self.events) and self.events[-1]["type"] in {
            "message.completed",
            "turn.failed",
            "turn.cancelled",
        }


@dataclass
class FakeApi:
    """State of the fake server. `down` has every route of the API fail as if nobody listened behind it."""

    threads: list[dict[str, Any]] = field(default_factory=list)
    turns: dict[str, FakeTurn] = field(default_factory=dict)
    pills: dict[int, dict[str, Any]] = field(default_factory=dict)
    documents: list[dict[str, Any]] = field(default_factory=list)
    chunks: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    timelines: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    connectors: FakeConnectors = field(default_factory=FakeConnectors)
    lanes: FakeLanes = field(default_factory=FakeLanes)
    usage: FakeUsage = field(default_factory=FakeUsage)
    workspace: FakeWorkspace = field(default_factory=FakeWorkspace)
    search: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, Any] = field(default_factory=dict)
    engines: list[str] = field(default_factory=lambda: ["extractive", "pipeline"])
    key: str = KEY
    link: str = "none"
    """A key that is good beside it, until it is renewed."""
    avatar: str = "a1"
    """Whom the key stands for."""
    refusal: FootnoteError | None = None  # of a question
    deaf: bool = False
    """A turn that is asked to stop goes on."""
    versions: dict[str, list[DocumentVersion]] = field(default_factory=dict)
    changes: dict[tuple[int, int], VersionChanges] = field(default_factory=dict)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    receipts: dict[str, dict[str, Any]] = field(default_factory=dict)
    down: bool = False
    sessions: list[str] = field(default_factory=list)
    """Where a question was asked, and with a minus those that were ended."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)

    @property
    def last_turn(self) -> FakeTurn:
        return next(reversed(self.turns.values()))

    def app(self) -> FastAPI:
        app = FastAPI()
        add_problem_handlers(app)
        app.include_router(console.router)

        @app.middleware("http")
        async def guard(request: Request, call_next: Any) -> Response:
            if request.url.path.startswith("/v1/"):
                self.asked.append((request.method, request.url.path))
                if self.down:
                    return JSONResponse({"detail": "away", "code": "unavailable"}, 503)
                if request.headers.get("authorization") not in (f"Bearer {self.key}", f"Bearer {self.link}"):
                    return problem_response(Unauthenticated("No such key."))
            answer: Response = await call_next(request)
            return answer

        add_keys(app, self)
        self._add_conversations(app)
        self._add_library(app)
        self._add_documents(app)
        self._add_rest(app)
        self.connectors.add_to(app)
        self.lanes.add_to(app)
        self.usage.add_to(app)
        self.workspace.add_to(app)
        add_sharing(app, self)
        return app

    def _add_conversations(self, app: FastAPI) -> None:
        @app.get("/v1/threads")
        async def threads() -> dict[str, Any]:
            return {"items": self.threads}

        @app.post("/v1/threads", status_code=201)
        async def new_thread(body: dict[str, Any]) -> dict[str, Any]:
            made = {"id": f"t{len(self.threads) + 1}", "title": body.get("title", ""), "created_at": NOW}
            self.threads.insert(0, {**made, "updated_at": NOW})
            return self.threads[0]

        @app.delete("/v1/threads/{thread_id}", status_code=204)
        async def delete_thread(thread_id: str) -> Response:
            self.threads = [one for one in self.threads if one["id"] != thread_id]
            return Response(status_code=204)

        @app.get("/v1/threads/{thread_id}/messages")
        async def messages(thread_id: str) -> Any:
            if not self._has_thread(thread_id):
                return problem_response(NotFound())
            turns = [turn for turn in self.turns.values() if turn.thread_id == thread_id]
            return {"items": [message for turn in turns for message in _messages(turn)]}

        @app.post("/v1/threads/{thread_id}/turns")
        async def ask(thread_id: str, body: dict[str, Any], request: Request) -> Response:
            if self.refusal is not None or not self._has_thread(thread_id):
                return problem_response(self.refusal or NotFound())
            self.sessions += filter(None, [request.headers.get("footnote-session")])
            turn = FakeTurn(f"u{len(self.turns) + 1}", thread_id, body["text"])
            turn.add("turn.started", thread_id=thread_id, message_id=f"m-{turn.id}", engine="pipeline")
            self.turns[turn.id] = turn
            return self._stream(turn, 0, {"Footnote-Turn-Id": turn.id})

        @app.get("/v1/streams/{turn_id}")
        async def stream(turn_id: str, request: Request) -> Response:
            return self._stream(self.turns[turn_id], int(request.headers.get("last-event-id", 0)), {})

        @app.post("/v1/turns/{turn_id}:cancel")
        async def cancel(turn_id: str) -> dict[str, Any]:
            turn = self.turns[turn_id]
            turn.stops += 1
            if self.deaf:
                return {"turn_id": turn_id, "status": "running"}
            text = "".join(event["data"].get("text", "") for event in turn.events)
            turn.add("turn.cancelled", message_id=f"m-{turn.id}", text=text, citations=[])
            return {"turn_id": turn_id, "status": "cancelled"}

        @app.post("/v1/turns/{turn_id}:approve")
        async def approve(turn_id: str, body: dict[str, Any]) -> dict[str, Any]:
            self.turns[turn_id].answers[body["call_id"]] = body["approve"]
            return {"turn_id": turn_id, "status": "running"}

        @app.get("/v1/conversations/{thread_id}/citations/{n}")
        async def pill(n: int) -> Response:
            return JSONResponse(self.pills[n]) if n in self.pills else problem_response(NotFound())

    def _has_thread(self, thread_id: str) -> bool:
        return any(one["id"] == thread_id for one in self.threads)

    def _stream(self, turn: FakeTurn, after: int, headers: dict[str, str]) -> Response:
        cuts = turn.cuts

        async def events() -> AsyncIterator[bytes]:
            sent = after
            while True:
                while sent < len(turn.events):
                    event = turn.events[sent]
                    sent += 1
                    yield f"id: {sent}\nevent: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
                if turn.ended or turn.cuts > cuts or self.down:
                    return
                await asyncio.sleep(_POLL_S)

        return StreamingResponse(events(), media_type="text/event-stream", headers=headers)

    def _add_library(self, app: FastAPI) -> None:
        @app.get("/v1/documents")
        async def documents(
            folder: str = "", q: str = "", status: str = "", limit: int = 50, cursor: int = 0
        ) -> dict[str, Any]:
            there = [
                one
                for one in self.documents
                if one["folder"].startswith(folder) and q.lower() in one["title"].lower()
                if status in ("", one["status"]) and "session_id" not in one
            ]
            end = cursor + limit
            return {"items": there[cursor:end], **({"next_cursor": str(end)} if end < len(there) else {})}

        @app.post("/v1/documents", status_code=202)
        async def upload(request: Request) -> Response:
            form = await request.form()
            file: Any = form["file"]
            self.bodies.append((file.filename, form.get("folder")))
            if file.filename.endswith(".exe"):
                body = {"detail": "This kind of file is not supported.", "code": "unsupported"}
                return JSONResponse(body, 415)
            folder = form.get("folder") or "/"
            held = {"session_id": form["session_id"], "expires_at": LATER} if "session_id" in form else {}
            made = document(f"d{len(self.documents) + 1}", file.filename, "queued", folder=folder, **held)
            self.documents.insert(0, made)
            return JSONResponse(made, 202)

        @app.post("/v1/documents:lookup")
        async def lookup(body: dict[str, Any], request: Request) -> dict[str, Any]:
            there = [one for one in self.documents if one["id"] in body["ids"]]
            return {"items": [one for one in there if _is_seen(one, request)]}

        @app.delete("/v1/sessions/{session_id}", status_code=202)
        async def end_session(session_id: str) -> dict[str, Any]:
            self.sessions.append(f"-{session_id}")
            gone = [one for one in self.documents if one.get("session_id") == session_id]
            self.documents = [one for one in self.documents if one not in gone]
            return {"documents": [one["id"] for one in gone]}

        @app.get("/v1/documents:stats")
        async def stats() -> dict[str, Any]:
            counts: dict[str, int] = {}
            for one in self.documents:
                counts[one["status"]] = counts.get(one["status"], 0) + 1
            return {"counts": counts, "chunks": 12}

        @app.post("/v1/documents/{document_id}:retry", status_code=202)
        async def retry(document_id: str) -> dict[str, Any]:
            one = self._document(document_id)
            one |= {"status": "queued"}
            one.pop("error", None)
            return one

        @app.get("/v1/folders")
        async def folders() -> dict[str, Any]:
            return {"items": [{"id": path, "path": path, "documents": 1} for path in self.folders]}

    def _add_documents(self, app: FastAPI) -> None:
        @app.get("/v1/documents/{document_id}")
        async def one_document(document_id: str) -> Response:
            found = [one for one in self.documents if one["id"] == document_id]
            return JSONResponse(found[0]) if found else problem_response(NotFound())

        @app.delete("/v1/documents/{document_id}", status_code=202)
        async def delete(document_id: str, request: Request) -> Response:
            found = [one for one in self.documents if one["id"] == document_id and _is_seen(one, request)]
            if not found:
                return problem_response(NotFound())
            self.documents.remove(found[0])
            self.receipts[document_id] = {"document_id": document_id, "children": 0, "removed": {}}
            return JSONResponse(found[0] | {"status": "deleting"}, 202)

        @app.get("/v1/documents/{document_id}/receipt")
        async def receipt(document_id: str) -> dict[str, Any]:
            return self.receipts[document_id]

        @app.get("/v1/documents/{document_id}/chunks")
        async def chunks(document_id: str) -> dict[str, Any]:
            return {
                "document_id": document_id,
                "title": "",
                "source": "",
                "items": self.chunks.get(document_id, []),
            }

        @app.get("/v1/documents/{document_id}/versions")
        async def versions(document_id: str) -> DocumentVersions:
            return DocumentVersions(items=self.versions.get(document_id, []))

        @app.get("/v1/documents/{document_id}/changes")
        async def changes(before: int, after: int) -> Any:
            return self.changes.get((before, after)) or problem_response(NotFound())

        @app.get("/v1/documents/{document_id}/facts")
        async def facts(document_id: str) -> dict[str, Any]:
            none = {"fact_extraction_status": "not_applicable", "items": []}
            return {"document_id": document_id, **self.facts.get(document_id, none)}

        @app.get("/v1/documents/{document_id}/events")
        async def timeline(document_id: str) -> dict[str, Any]:
            return {"items": self.timelines.get(document_id, [])}

        @app.get("/v1/documents/{document_id}/content")
        async def content(document_id: str) -> Response:
            headers = {"Content-Disposition": "attachment", "Content-Security-Policy": "sandbox"}
            return Response(b"<script>document.title='run'</script>", 200, headers, "text/html")

    def _document(self, document_id: str) -> dict[str, Any]:
        return next(one for one in self.documents if one["id"] == document_id)

    def _add_rest(self, app: FastAPI) -> None:
        @app.get("/v1/models")
        async def models() -> dict[str, Any]:
            names = ["footnote", *(f"footnote-{name}" for name in self.engines)]
            return {"object": "list", "data": [{"id": name} for name in names]}

        @app.get("/v1/presets")
        async def presets() -> dict[str, Any]:
            settings = {"top_k": 8, "fusion": "weighted_blend"}
            return {"items": [{"name": "default", "settings": settings, "built_in": True}]}

        @app.post("/v1/search")
        async def search(body: dict[str, Any]) -> dict[str, Any]:
            self.bodies.append(body)
            became = {**self.expected, "document_id": body.get("expect")}
            return self.search | ({"expected": became} if "expect" in body else {})

        @app.get("/readyz")
        async def ready() -> JSONResponse:
            checks = {"sql": "ok", "redis": "down" if self.down else "ok"}
            return JSONResponse({"status": "ready", "services": {"agent": checks, "ingest": {"sql": "ok"}}})

        @app.get("/metrics")
        async def metrics() -> Response:
            count = len(self.asked)
            of = 'route="/v1/search",service="retriever"'
            return PlainTextResponse(
                f'footnote_http_requests_total{{method="GET",{of},status="200"}} {count}\n'
                f"footnote_http_request_duration_seconds_sum{{{of}}} {count * 0.04}\n"
                f"footnote_http_request_duration_seconds_count{{{of}}} {count}\n"
            )


def document(document_id: str, filename: str, status: str = "indexed", **more: Any) -> dict[str, Any]:
    """A document as the API shows it."""
    return {
        "id": document_id,
        "workspace_id": "w",
        "visibility": "workspace",
        "title": filename.rsplit(".", 1)[0],
        "filename": filename,
        "mime": "text/markdown",
        "size": 2048,
        "source_type": "upload",
        "folder": "/",
        "status": status,
        "version": 1,
        "chunks": 3,
        "created_at": NOW,
        "updated_at": NOW,
        **more,
    }


def _is_seen(one: dict[str, Any], request: Request) -> bool:
    """Whether a document is there for a request: one of a session is, in that session alone."""
    return one.get("session_id") in (None, request.headers.get("footnote-session"))


def _messages(turn: FakeTurn) -> list[dict[str, Any]]:
    common = {"thread_id": turn.thread_id, "turn_id": turn.id, "created_at": NOW}
    question = {**common, "id": f"q-{turn.id}", "role": "user", "text": turn.question, "status": "completed"}
    if not turn.ended:
        return [question]
    end = turn.events[-1]
    status = end["type"].rpartition(".")[2]
    answer = {**common, **end["data"], "id": end["data"]["message_id"], "role": "assistant", "status": status}
    return [question, answer]
