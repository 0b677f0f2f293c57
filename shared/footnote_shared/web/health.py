"""Health: whether the process lives, and whether its dependencies answer, each by name (spec 1.3)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from footnote_shared.kernel.errors import FootnoteError, Unavailable
from footnote_shared.telemetry import metrics

Check = Callable[[], Awaitable[None]]
_TIMEOUT_S = 3.0


async def run_checks(checks: Mapping[str, Check]) -> dict[str, FootnoteError | None]:
    """What is wrong, by name; None where all is well. A check raises a FootnoteError if its part is down."""

    async def one(name: str, check: Check) -> FootnoteError | None:
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                await check()
        except FootnoteError as error:
            return error
        except TimeoutError:
            return Unavailable(name, f"no answer within {_TIMEOUT_S:.0f} s")
        return None

    answers = await asyncio.gather(*(one(name, check) for name, check in checks.items()))
    return dict(zip(checks, answers, strict=True))


def health_router(service: str, checks: Mapping[str, Check]) -> APIRouter:
    """`/healthz`, `/readyz`, `/acceptz` and `/metrics` of one service."""
    router = APIRouter(tags=["health"])
    was_ready = False
    looking: asyncio.Task[dict[str, FootnoteError | None]] | None = None

    async def look() -> dict[str, FootnoteError | None]:
        """Who asks while somebody looks gets what that one sees: anybody may ask, as often as they like."""
        nonlocal looking
        if looking is None or looking.done():
            looking = asyncio.create_task(look_now())
        return await asyncio.shield(looking)

    async def look_now() -> dict[str, FootnoteError | None]:
        nonlocal was_ready
        found = await run_checks(checks)
        for dependency, wrong in found.items():
            metrics.DEPENDENCY_UP.labels(service, dependency).set(wrong is None)
        was_ready = was_ready or not any(found.values())
        return found

    def told(found: Mapping[str, FootnoteError | None], *, well: bool, word: str) -> Response:
        said = {name: "ok" if wrong is None else wrong.detail for name, wrong in found.items()}
        body = {"status": word if well else f"not {word}", "service": service, "checks": said}
        return JSONResponse(body, status_code=200 if well else 503)

    @router.get("/healthz", summary="The process lives")
    async def healthz() -> dict[str, str]:
        return {"status": "ok", "service": service}

    @router.get("/readyz", summary="Its dependencies answer, each by name")
    async def readyz() -> Response:
        found = await look()
        return told(found, well=not any(found.values()), word="ready")

    @router.get("/acceptz", summary="It takes requests, also while a dependency is away")
    async def acceptz() -> Response:
        """For load balancers. A store that is away is away for every replica: if each left for that, nobody
        would be told what is wrong, and what still works (a search without meaning, a page) would be gone.
        """
        found = await look()
        own_parts = [wrong for wrong in found.values() if wrong and not isinstance(wrong, Unavailable)]
        return told(found, well=was_ready and not own_parts, word="accepting")

    @router.get("/metrics", summary="Prometheus metrics", include_in_schema=False)
    async def exposition() -> Response:
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    return router
