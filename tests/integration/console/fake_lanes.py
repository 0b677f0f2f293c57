"""Lanes as the console sees them: a version is begun, waits, takes over, is given up or removed."""

from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse

from footnote_ingest.contracts.lanes import Lane, LaneVersionView, Reembed
from footnote_shared.kernel.errors import Forbidden
from footnote_shared.web.problems import problem_response

_NOW = "2026-11-22T10:00:00.000Z"
_BECOMES = {"switch": "live", "rollback": "live", "cancel": "cancelled", "retire": "retired"}
_FROM = {"switch": "ready", "rollback": "previous", "cancel": "building", "retire": "previous"}


def version(number: int, status: str, model: str = "small", **more: Any) -> dict[str, Any]:
    """A version of a lane as the API shows it."""
    view = {"number": number, "status": status, "model": model, "created_at": _NOW, **more}
    return LaneVersionView.model_validate(view).model_dump(mode="json", exclude_none=True)


@dataclass
class FakeLanes:
    """One lane, `text`. `operator` is whether the caller runs the deployment."""

    versions: list[dict[str, Any]] = field(default_factory=lambda: [version(1, "live", live_at=_NOW)])
    operator: bool = True
    bodies: list[Any] = field(default_factory=list)
    acts: list[str] = field(default_factory=list)

    def add_to(self, app: FastAPI) -> None:
        @app.get("/v1/lanes")
        async def lanes() -> Response:
            if not self.operator:
                return problem_response(Forbidden("This belongs to the whole deployment."))
            return JSONResponse({"items": [self._lane()]})

        @app.post("/v1/lanes/text:reembed", status_code=202)
        async def reembed(body: Reembed) -> dict[str, Any]:
            self.bodies.append(body.model_dump(exclude_none=True))
            progress = {"chunks": 25, "chunks_total": 100, "documents": 2, "documents_total": 8}
            timing = {"per_second": 12.5, "seconds_left": 6.0, "takes_over": body.switch}
            number = self.versions[0]["number"] + 1
            self.versions.insert(0, version(number, "building", body.model or "small", **progress, **timing))
            return self._lane()

        @app.post("/v1/lanes/text:{act}", status_code=202)
        async def decide(act: str) -> dict[str, Any]:
            self.acts.append(act)
            found = next(one for one in self.versions if one["status"] == _FROM[act])
            if _BECOMES[act] == "live":
                next(one for one in self.versions if one["status"] == "live")["status"] = "previous"
            found["status"] = _BECOMES[act]
            return self._lane()

    def _lane(self) -> dict[str, Any]:
        live = next(one["number"] for one in self.versions if one["status"] == "live")
        lane = Lane(
            name="text",
            live=live,
            models=["small", "large"],
            versions=[LaneVersionView.model_validate(one) for one in self.versions],
        )
        return lane.model_dump(mode="json", exclude_none=True)
