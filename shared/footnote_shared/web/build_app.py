"""The application of any service: edge, routers, middleware, problem documents, health."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from anyio import to_thread
from fastapi import APIRouter, FastAPI
from fastapi.responses import Response

from footnote_shared.contracts.identity import ServiceName
from footnote_shared.db.flag_view import FlagView
from footnote_shared.db.sealed_rows import ALL_SEALED
from footnote_shared.redis.connection import connect_async
from footnote_shared.security.open_database import open_database
from footnote_shared.security.sealing_work import sealing
from footnote_shared.security.service_identity import service_secret
from footnote_shared.security.user_tokens import UserTokens
from footnote_shared.settings.base import Settings
from footnote_shared.web.admission import Door
from footnote_shared.web.body_limits import BodyLimits
from footnote_shared.web.docs_page import docs_page
from footnote_shared.web.examples import RequestExamples
from footnote_shared.web.health import Check, health_router
from footnote_shared.web.middleware import RequestContext
from footnote_shared.web.openapi import describe
from footnote_shared.web.problems import add_problem_handlers
from footnote_shared.web.rates import Rates, rates_of_process
from footnote_shared.web.resources import EdgeResources
from footnote_shared.web.straight_posts import StraightPost, StraightPosts

_COUNTED_AT_ONCE = 500

Lifespan = Callable[[FastAPI, EdgeResources], AbstractAsyncContextManager[Mapping[str, Check]]]


def build_app(
    name: ServiceName,
    description: str,
    settings: Settings,
    routers: Sequence[APIRouter],
    lifespan: Lifespan,
    examples: RequestExamples | None = None,
    straight: Mapping[str, StraightPost] | None = None,
) -> FastAPI:
    """The application of one service. `examples` are shown in its OpenAPI document.

    `straight` answers POSTs of some paths, each of which is a route as well.

    `lifespan(app, edge)` opens what the service needs, puts it on `app.state`, and yields its readiness
    checks by name. It closes everything when it ends. This function adds the check of the database.
    """
    checks: dict[str, Check] = {}

    @asynccontextmanager
    async def whole(app: FastAPI) -> AsyncIterator[None]:
        database = open_database(settings, answer_s=settings.database_answer_s)
        redis = connect_async(settings.redis_url, connections=_COUNTED_AT_ONCE)
        flags = FlagView(database, settings)
        users = UserTokens.from_settings(settings)
        rates = Rates(redis, alone=rates_of_process() if settings.answers_alone else None)
        edge = EdgeResources(name, settings, database, service_secret(settings), rates, flags, users)
        app.state.edge = edge

        async def sql() -> None:
            await to_thread.run_sync(database.ping)

        try:
            async with (
                sealing(database, tables=list(ALL_SEALED.values())),
                lifespan(app, edge) as own,
            ):
                checks.update({"sql": sql, **own})
                app.state.open = True
                yield
        finally:
            app.state.open = False
            app.state.direct.clear()
            app.state.direct_of.clear()
            app.state.direct_streams.clear()
            if users is not None:
                await users.aclose()
            await redis.aclose()
            database.close()

    app = FastAPI(
        title=f"Footnote {name}",
        description=description,
        version="1",
        lifespan=whole,
        # A redirect would name the host that the client names.
        redirect_slashes=False,
        docs_url=None,
        redoc_url=None,
    )
    routes = [route for router in routers for route in router.routes]
    door = Door(settings)
    app.state.door = door
    # The services that run in this process too, by name; whoever puts several together names them here.
    app.state.neighbours = {}
    # What neighbours in this process may call behind the routes of these paths. The lifespan puts it there.
    app.state.direct = {}
    app.state.direct_of = {}
    app.state.direct_streams = {}
    app.state.open = False
    app.add_middleware(
        BodyLimits,
        settings=settings,
        routes=routes,
        door=door,
        straight=StraightPosts(straight or {}, routes),
    )
    app.add_middleware(RequestContext, service=name)
    add_problem_handlers(app)
    describe(app, examples or RequestExamples())
    app.include_router(health_router(name, checks))
    for router in routers:
        app.include_router(router)

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return docs_page(app.openapi())

    return app
