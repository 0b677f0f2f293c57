"""What a workspace is set to, as the console sees it: keys, flags, changes, automations."""

from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from footnote_agent.contracts.api_keys import MadeApiKey, NewApiKey
from footnote_agent.contracts.automations import Automation, NewAutomation
from footnote_shared.kernel.errors import Conflict
from footnote_shared.web.problems import problem_response

_NOW = "2026-11-22T10:00:00.000Z"
MADE = "fn_shown-once-and-never-again"


def api_key(key_id: str, name: str, **more: Any) -> dict[str, Any]:
    """A key as the API shows it."""
    return {
        "id": key_id,
        "name": name,
        "hint": "fn_abcd",
        "avatar_id": "a",
        "avatar": "anna",
        "scopes": ["read", "write"],
        "created_at": _NOW,
        "current": False,
        **more,
    }


def flag(name: str, value: Any, *choices: str, **more: Any) -> dict[str, Any]:
    """A flag as the API shows it."""
    fallback = {"value": value, "source": "default"}
    about = {"description": "What it does.", "accepts": "", "choices": list(choices)}
    return {"name": name, "value": value, "source": "default", "fallback": fallback, **about, **more}


@dataclass
class FakeWorkspace:
    """What there is. `bodies` are those of requests that changed something, in their order."""

    keys: list[dict[str, Any]] = field(default_factory=lambda: [api_key("key1", "first", current=True)])
    flags: list[dict[str, Any]] = field(
        default_factory=lambda: [
            flag("hybrid", True),
            flag("fusion", "rrf", "rrf", "dbsf"),
            flag("alpha", 0.5),
        ]
    )
    changes: list[dict[str, Any]] = field(default_factory=list)
    automations: list[dict[str, Any]] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    version: int = 1

    def add_to(self, app: FastAPI) -> None:
        self._add_settings(app)
        self._add_automations(app)

    def _add_settings(self, app: FastAPI) -> None:
        @app.get("/v1/keys")
        async def keys() -> dict[str, Any]:
            return {"items": self.keys}

        @app.post("/v1/keys", status_code=201)
        async def make(body: NewApiKey) -> dict[str, Any]:
            self.bodies.append(body.model_dump(exclude_none=True))
            made = api_key(f"key{len(self.keys) + 1}", body.name, scopes=body.scopes)
            self.keys.insert(0, made)
            return MadeApiKey(**made, key=MADE).model_dump(mode="json", exclude_none=True)

        @app.delete("/v1/keys/{key_id}")
        async def revoke(key_id: str) -> dict[str, Any]:
            (found,) = [one for one in self.keys if one["id"] == key_id]
            found["revoked_at"] = _NOW
            return found

        @app.get("/v1/flags")
        async def flags() -> dict[str, Any]:
            return {"version": self.version, "items": self.flags}

        @app.put("/v1/flags/{name}")
        async def put(name: str, body: dict[str, Any]) -> Response:
            self.bodies.append({name: body["value"]})
            if body["version"] != self.version:
                return problem_response(Conflict("Somebody else was first."))
            return self._set(name, body["value"], "workspace")

        @app.delete("/v1/flags/{name}")
        async def clear(name: str, version: int) -> Response:
            (found,) = [one for one in self.flags if one["name"] == name]
            return self._set(name, found["fallback"]["value"], "default")

        @app.get("/v1/audit")
        async def audit() -> dict[str, Any]:
            return {"items": self.changes}

    def _set(self, name: str, value: Any, source: str) -> Response:
        self.version += 1
        self.flags = [
            {**one, "value": value, "source": source} if one["name"] == name else one for one in self.flags
        ]
        return JSONResponse({"version": self.version, "items": self.flags})

    def _add_automations(self, app: FastAPI) -> None:
        @app.get("/v1/automations")
        async def listing() -> dict[str, Any]:
            return {"items": self.automations}

        @app.post("/v1/automations", status_code=201)
        async def make(body: NewAutomation) -> dict[str, Any]:
            self.bodies.append(body.model_dump(exclude_unset=True))
            common = {"id": f"w{len(self.automations) + 1}", "version": 1, "created_at": _NOW}
            made = Automation(**body.model_dump(), **common, updated_at=_NOW, next_due_at=_NOW)
            self.automations.insert(0, made.model_dump(mode="json", exclude_none=True))
            return self.automations[0]

        @app.patch("/v1/automations/{automation_id}")
        async def change(automation_id: str, request: Request) -> dict[str, Any]:
            body = await request.json()
            self.bodies.append(body)
            found = self._found(automation_id)
            found |= body
            return found

        @app.delete("/v1/automations/{automation_id}", status_code=204)
        async def delete(automation_id: str) -> Response:
            self.automations.remove(self._found(automation_id))
            return Response(status_code=204)

        @app.post("/v1/automations/{automation_id}:run", status_code=202)
        async def begin(automation_id: str) -> dict[str, Any]:
            self.runs.insert(0, _run(automation_id, "running"))
            self._found(automation_id)["last_run"] = self.runs[0]
            return self.runs[0]

        @app.get("/v1/automations/{automation_id}/runs")
        async def runs(automation_id: str) -> dict[str, Any]:
            return {"items": self.runs}

    def _found(self, automation_id: str) -> dict[str, Any]:
        return next(one for one in self.automations if one["id"] == automation_id)


def _run(automation_id: str, status: str) -> dict[str, Any]:
    return {
        "id": "run1",
        "automation_id": automation_id,
        "version": 1,
        "trigger": "call",
        "status": status,
        "due_at": _NOW,
        "thread_id": "t1",
        "created_at": _NOW,
    }
