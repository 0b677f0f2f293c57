"""Health: whether the process lives, and whether its dependencies answer, each by name (spec 1.3)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry import metrics

Check = Callable[[], Awaitable[None]]
_TIMEOUT_S = 3.0


async def run_checks(checks: Mapping[str, Check]) -> dict[str, str]:
    """`ok` or what is wrong, by name. A check raises a FootnoteError if its dependency is down."""

    async def one(check: Check) -> str:
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                await check()
        except FootnoteError as error:
            return error.detail
        except TimeoutError:
            return f"no answer within {_TIMEOUT_S:.0f} s"
        return "ok"

    answers = await asyncio.gather(*(one(check) for check in checks.values()))
    return dict(zip(checks, answers, strict=True))


def health_router(service: str, checks: Mapping[str, Check]) -> APIRouter:
    """`/healthz`, `/readyz` and `/metrics` of one service."""
    router = APIRouter(tags=["health"])

    @router.get("/healthz", summary="The process lives")
    async def healthz() -> dict[str, str]:
        return {"status": "ok", "service": service}

    @router.get("/readyz", summary="Its dependencies answer, each by name")
    async def readyz() -> Response:
        answers = await run_checks(checks)
        for dependency, said in answers.items():
            metrics.DEPENDENCY_UP.labels(service, dependency).set(said == "ok")
        ready = all(answer == "ok" for answer in answers.values())
        body = {"status": "ready" if ready else "not ready", "service": service, "checks": answers}
        return JSONResponse(body, status_code=200 if ready else 503)

    @router.get("/metrics", summary="Prometheus metrics", include_in_schema=False)
    async def exposition() -> Response:
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    return router
