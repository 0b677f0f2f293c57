"""`POST /v1/search` and `/v1/search:batch`."""

import asyncio
from collections.abc import Callable, Iterable

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import ValidationError

from footnote_retriever.api.dependencies import Resources
from footnote_retriever.funnel.answer import answer
from footnote_retriever.funnel.look import SearchQuery
from footnote_retriever.funnel.plan import BUILT_IN, DEFAULT_PRESET, Plan, resolve, unknown_preset
from footnote_retriever.funnel.resources import SearchResources
from footnote_retriever.store.presets import find_preset, list_presets
from footnote_shared.clients.in_process import DirectCall
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import (
    BatchSearchRequest,
    BatchSearchResult,
    Preset,
    SearchRequest,
    SearchResult,
    SearchScope,
)
from footnote_shared.contracts.sessions import is_session_id
from footnote_shared.db.engine import Database, ReadSession
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.web.body_limits import LARGE_BODY, body_limit
from footnote_shared.web.dependencies import Edge, Reader, caller_of, require
from footnote_shared.web.problems import valid_body
from footnote_shared.web.resources import EdgeResources

router = APIRouter(prefix="/v1", tags=["search"])

PATH = "/v1/search"
"""The path of a search, which is answered right behind the door."""

_AT_ONCE = 8


@router.post("/search", response_model=SearchResult, summary="Passages that answer a query, best first")
@body_limit(LARGE_BODY)
async def search(request: SearchRequest, caller: Reader, edge: Edge, funnel: Resources) -> Response:
    return await _searched(request, caller, edge, funnel)


async def search_straight(request: Request, body: bytes) -> Response | None:
    """The same without the framework. None for a body that is not valid: FastAPI says what is wrong."""
    try:
        asked = SearchRequest.model_validate_json(body)
    except ValidationError:
        return None
    caller = await caller_of(request, "read")
    state = request.app.state
    return await _searched(asked, caller, state.edge, state.funnel)


def direct_search(edge: EdgeResources, funnel: Callable[[], SearchResources]) -> DirectCall:
    """The same for a service of this process, which has the caller from its own door.

    `funnel` gives what is searched in at this moment.
    """

    async def found(caller: Principal, body: bytes) -> bytes:
        require(caller, "read")
        asked = valid_body(SearchRequest, body)
        return bytes((await _searched(asked, caller, edge, funnel())).body)

    return found


async def _searched(
    request: SearchRequest, caller: Principal, edge: EdgeResources, funnel: SearchResources
) -> Response:
    query = await _query(request, caller, edge, funnel)
    result = await answer(funnel, query)
    _note(funnel, [query])
    return _json(result)


@router.post(
    "/search:batch",
    response_model=BatchSearchResult,
    summary="Several searches at once, answered in their order",
)
@body_limit(LARGE_BODY)
async def search_batch(
    request: BatchSearchRequest, caller: Reader, edge: Edge, funnel: Resources
) -> Response:
    """All or nothing: a search that is not valid, or that fails, is the answer to the whole batch."""
    queries = []
    for number, one in enumerate(request.searches):
        try:
            queries.append(await _query(one, caller, edge, funnel))
        except InvalidRequest as error:
            raise _within(error, f"searches.{number}") from error
    slots = asyncio.Semaphore(_AT_ONCE)

    async def run(query: SearchQuery) -> SearchResult:
        async with slots:
            return await answer(funnel, query)

    outcomes = await asyncio.gather(*map(run, queries), return_exceptions=True)
    results = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        results.append(outcome)
    _note(funnel, queries)
    return _json(BatchSearchResult(results=results))


def _note(funnel: SearchResources, queries: Iterable[SearchQuery]) -> None:
    for query in queries:
        if query.recorded and funnel.recorder is not None:
            funnel.recorder.note(query.caller, query.text, query.scope)


async def _query(
    request: SearchRequest, caller: Principal, edge: EdgeResources, funnel: SearchResources
) -> SearchQuery:
    text = request.query.strip()
    limit = edge.settings.max_query_chars
    if not text:
        raise _invalid("query", "The query is empty.")
    if len(text) > limit:
        raise _invalid("query", f"The query is longer than {limit} characters.")
    _check_scope(request.scope)
    preset = await _preset(edge.database, caller, request.preset or DEFAULT_PRESET)
    flags = await edge.flags.of(caller.workspace_id)
    plan: Plan = resolve(preset, request.settings, funnel.rerankers, flags)
    explain = request.explain or request.expect is not None
    caller = in_session(caller, request.scope)
    recorded = flags["record_queries"].value is True
    history = request.history or ()
    return SearchQuery(caller, text, request.scope, plan, explain, history, request.expect, recorded)


async def _preset(database: Database, caller: Principal, name: str) -> Preset:
    """A built-in preset costs no read."""
    if name in BUILT_IN:
        return BUILT_IN[name]

    def read(session: ReadSession) -> tuple[Preset | None, list[str]]:
        found = find_preset(session, caller, name)
        return found, [] if found else [preset.name for preset in list_presets(session, caller)]

    found, others = await database.read_async(read)
    if found is None:
        raise unknown_preset(name, [*BUILT_IN, *others])
    return found


def in_session(caller: Principal, scope: SearchScope | None) -> Principal:
    """The caller within the session that the scope names: ingest shows what lies there to nobody else."""
    session_id = None if scope is None else scope.session_id
    if session_id is None or not is_session_id(session_id):
        return caller
    return caller.model_copy(update={"session_id": session_id})


def _check_scope(scope: SearchScope | None) -> None:
    """JSON can write characters that no text in UTF-8 holds; as a filter they could not be sent on."""
    for field, value in scope or ():
        texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        try:
            "".join(texts).encode()
        except UnicodeEncodeError as error:
            raise _invalid(f"scope.{field}", "This is not valid Unicode text.") from error


def _invalid(field: str, message: str) -> InvalidRequest:
    return InvalidRequest(f"Not valid: {field}. {message}", errors=[FieldError(field, message)])


def _within(error: InvalidRequest, where: str) -> InvalidRequest:
    return InvalidRequest(
        f"{where}: {error.detail}",
        errors=[FieldError(f"{where}.{one.field}", one.message) for one in error.errors],
    )


def _json(result: SearchResult | BatchSearchResult) -> Response:
    """Written once from the model, without the second validation that a returned model would go through."""
    return Response(result.model_dump_json(), media_type="application/json")
