"""The routes of connectors as the console sees them: a test says how a sync goes on."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from footnote_ingest.connectors.kind_fields import kind_cards
from footnote_shared.contracts.connectors import Connector, ConnectorRun, KindList
from footnote_shared.kernel.errors import NotFound
from footnote_shared.web.problems import problem_response

_NOW = "2026-11-22T10:00:00.000Z"
_POLL_S = 0.02
_COUNTS = ("seen", "new", "changed", "unchanged", "skipped", "failed", "deleted", "bytes")


def run(run_id: str, connector_id: str, status: str, **more: Any) -> dict[str, Any]:
    """The report of a sync as the API shows it."""
    ended = None if status in {"queued", "running"} else _NOW
    counts = dict.fromkeys(
        ("seen", "new", "changed", "unchanged", "skipped", "failed", "deleted", "bytes"), 0
    )
    made = {
        **counts,
        "id": run_id,
        "connector_id": connector_id,
        "status": status,
        "trigger": "creation",
        "created_at": _NOW,
        "ended_at": ended,
        "errors": [],
        **more,
    }
    return ConnectorRun.model_validate(made).model_dump(mode="json", exclude_none=True)


def connector(connector_id: str, body: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A connector as the API shows it."""
    made = {
        "id": connector_id,
        "workspace_id": "w",
        "avatar_id": "a",
        "kind": body["kind"],
        "name": body["name"],
        "folder": body.get("folder") or f"/{body['name']}",
        "config": body.get("config", {}),
        "has_credentials": bool(body.get("credentials")),
        "schedule": body.get("schedule"),
        "status": "active",
        "webhook_url": f"http://footnote.example/v1/webhooks/{connector_id}",
        "documents": {},
        "created_at": _NOW,
        "updated_at": _NOW,
        **more,
    }
    return Connector.model_validate(made).model_dump(mode="json", exclude_none=True)


@dataclass
class FakeConnectors:
    """What there is of connectors. `bodies` are those of requests that changed something, in their order."""

    items: list[dict[str, Any]] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    preview: dict[str, Any] = field(default_factory=lambda: {"items": [], "more": False})
    bodies: list[dict[str, Any]] = field(default_factory=list)
    closed: bool = False

    def tell(self, changed: dict[str, Any]) -> None:
        """A report stands as this now."""
        self.runs = [changed, *(one for one in self.runs if one["id"] != changed["id"])]

    def add_to(self, app: FastAPI) -> None:
        @app.get("/v1/connectors:kinds")
        async def kinds() -> KindList:
            return KindList(items=kind_cards())

        @app.post("/v1/connectors:preview")
        async def preview(body: dict[str, Any]) -> dict[str, Any]:
            self.bodies.append(body)
            return self.preview

        @app.get("/v1/connectors")
        async def listing() -> dict[str, Any]:
            return {"items": self.items}

        @app.post("/v1/connectors", status_code=201)
        async def make(body: dict[str, Any]) -> dict[str, Any]:
            self.bodies.append(body)
            made = connector(f"k{len(self.items) + 1}", body)
            self.items.insert(0, made)
            self.tell(run("r1", made["id"], "running", seen=1, new=1))
            return {**made, "webhook_secret": "hook-secret-shown-once"}

        @app.get("/v1/connectors/{connector_id}")
        async def one(connector_id: str) -> Response:
            found = self._found(connector_id)
            return JSONResponse(found) if found else problem_response(NotFound())

        @app.patch("/v1/connectors/{connector_id}")
        async def change(connector_id: str, body: dict[str, Any]) -> dict[str, Any]:
            self.bodies.append(body)
            found = self._found(connector_id) or {}
            found |= {name: value for name, value in body.items() if name in found}
            if "paused" in body:
                found["status"] = "paused" if body["paused"] else "active"
            return found

        @app.delete("/v1/connectors/{connector_id}", status_code=202)
        async def delete(connector_id: str) -> dict[str, Any]:
            found = self._found(connector_id) or {}
            self.items.remove(found)
            return {**found, "documents": {"deleting": sum(found["documents"].values())}}

        @app.post("/v1/connectors/{connector_id}:sync", status_code=202)
        async def sync(connector_id: str, body: dict[str, Any]) -> dict[str, Any]:
            self.bodies.append(body)
            begun = run(f"r{len(self.runs) + 1}", connector_id, "running", trigger="call")
            self.tell(begun)
            return {"run_id": begun["id"]}

        @app.get("/v1/connectors/{connector_id}/runs")
        async def runs(connector_id: str, request: Request) -> Response:
            if "text/event-stream" in request.headers.get("accept", ""):
                return StreamingResponse(self._live(connector_id), media_type="text/event-stream")
            return JSONResponse({"items": self._runs_of(connector_id)})

    async def _live(self, connector_id: str) -> AsyncIterator[bytes]:
        told: dict[str, Any] = {}
        while not self.closed:
            newest = self._runs_of(connector_id)[0]
            if newest != told:
                told = newest
                yield f"event: run\ndata: {ConnectorRun.model_validate(told).model_dump_json()}\n\n".encode()
            if newest.get("ended_at"):
                return
            await asyncio.sleep(_POLL_S)

    def _found(self, connector_id: str) -> dict[str, Any] | None:
        return next((one for one in self.items if one["id"] == connector_id), None)

    def _runs_of(self, connector_id: str) -> list[dict[str, Any]]:
        return [one for one in self.runs if one["connector_id"] == connector_id]
