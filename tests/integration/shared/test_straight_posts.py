"""A route whose function answers behind the door tells its callers the same as it would by way of FastAPI."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from fastapi import Request as Asked
from fastapi.responses import JSONResponse, Response
from prometheus_client import REGISTRY
from pydantic import Field, ValidationError
from sqlmodel import select

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_shared.contracts.base import Request
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.db.tables import AuditRow
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.security.api_keys import make_key
from footnote_shared.settings.base import Settings
from footnote_shared.web.build_app import build_app
from footnote_shared.web.dependencies import Reader, caller_of
from footnote_shared.web.health import Check
from footnote_shared.web.resources import EdgeResources
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.served_app import ServedApp
from footnote_testing.workspace import make_caller, make_database

BOTH = ["/straight", "/usual"]
ROUTES = APIRouter()
TYPE = {"Content-Type": "application/json"}


class Word(Request):
    word: str = Field(max_length=5)
    times: int = 1


def _said(word: Word, caller: Principal) -> Response:
    if word.word == "away":
        raise Unavailable("qdrant", "The vector store cannot be reached.", retry_after=7)
    if word.word == "fault":
        raise ZeroDivisionError
    return JSONResponse({"said": word.word * word.times, "by": caller.avatar_id, "in": caller.session_id})


@ROUTES.post("/straight")
@ROUTES.post("/usual")
async def usual(word: Word, caller: Reader) -> Response:
    response = _said(word, caller)
    response.headers["Way"] = "usual"
    return response


async def straight(request: Asked, body: bytes) -> Response | None:
    try:
        word = Word.model_validate_json(body)
    except ValidationError:
        return None
    response = _said(word, await caller_of(request, "read"))
    response.headers["Way"] = "straight"
    return response


@asynccontextmanager
async def _nothing(app: FastAPI, edge: EdgeResources) -> AsyncIterator[Mapping[str, Check]]:
    yield {}


class Served:
    def __init__(self, folder: Path) -> None:
        self.database: Database = make_database(f"sqlite:///{folder / 'edge.db'}")
        self.caller, self.key = make_caller(self.database)
        settings = Settings(data=folder, database_url=self.database.url)
        app = build_app(
            "retriever", "For tests.", settings, [ROUTES], _nothing, straight={"/straight": straight}
        )
        self.app = ServedApp(app).start()

    def post(self, path: str, content: bytes, key: str = "", **headers: str) -> httpx.Response:
        return httpx.post(
            self.app.url + path,
            content=content,
            headers={"Authorization": f"Bearer {key or self.key}", **TYPE, **headers},
            trust_env=False,
            timeout=LIMIT_S,
            verify=NO_CERTIFICATES,
        )


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(Path(tmp_path_factory.mktemp("straight")))
    yield made
    made.app.stop()
    made.database.close()


@pytest.mark.parametrize(("path", "way"), [("/straight", "straight"), ("/usual", "usual")])
def test_a_good_request_is_answered_by_its_function(served: Served, path: str, way: str) -> None:
    answer = served.post(
        path, b'{"word": "so", "times": 2}', **{"Footnote-Session": "visitor-0123456789abcdef"}
    )
    assert answer.status_code == 200, answer.text
    assert answer.headers["way"] == way
    assert answer.json()["said"] == "soso"
    assert answer.json()["by"] == served.caller.avatar_id
    assert answer.json()["in"] == "visitor-0123456789abcdef"
    assert {"trace-id", "ratelimit", "ratelimit-policy"} <= set(answer.headers)


@pytest.mark.parametrize("path", BOTH)
def test_a_request_is_counted_under_its_route(served: Served, path: str) -> None:
    labels = {"service": "retriever", "route": path, "method": "POST", "status": "200"}

    def counted() -> float:
        return REGISTRY.get_sample_value("footnote_http_requests_total", labels) or 0

    before = counted()
    assert served.post(path, b'{"word": "so"}').status_code == 200
    eventually(lambda: counted() == before + 1, "the request is counted")


def test_another_type_of_json_goes_the_usual_way(served: Served) -> None:
    answer = served.post("/straight", b'{"word": "so"}', **{"Content-Type": "application/vnd.word+json"})
    assert (answer.status_code, answer.headers["way"]) == (200, "usual")


@pytest.mark.parametrize(
    "body",
    [
        b'{"word": "too long"}',
        b'{"word": 1}',
        b'{"wort": "so"}',
        b"{}",
        b"[]",
        b"",
        b'{"word": ',
        b'{"word": "so", "times": "many"}',
        b'{"word": "\\ud800", "times": 0.5}',
        b'{"word": "away"}',
        b'{"word": "fault"}',
    ],
)
def test_what_cannot_be_answered_is_told_in_the_same_words(served: Served, body: bytes) -> None:
    told = [served.post(path, body) for path in BOTH]
    first, second = ({**one.json(), "instance": "", "trace_id": ""} for one in told)
    assert first == second
    assert first["status"] >= 400
    assert [one.headers["content-type"] for one in told] == ["application/problem+json"] * 2
    assert told[0].headers.get("retry-after") == told[1].headers.get("retry-after")


@pytest.mark.parametrize("path", BOTH)
def test_a_stranger_is_not_let_in(served: Served, path: str) -> None:
    assert served.post(path, b'{"word": "so"}', key="fn_nobody").status_code == 401


@pytest.mark.parametrize("path", BOTH)
def test_a_key_without_the_scope_is_refused_and_noted_with_its_route(served: Served, path: str) -> None:
    with served.database.write() as session:
        key = make_key(session, served.caller, "no scope", [])
    assert served.post(path, b'{"word": "so"}', key=key).status_code == 403

    def noted() -> bool:
        with served.database.read() as session:
            rows = session.exec(select(AuditRow).where(AuditRow.action == "access.denied")).all()
        return f"POST {path}" in {row.subject for row in rows}

    eventually(noted, "the refusal is noted")


def test_what_has_no_route_cannot_be_answered(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, database_url=f"sqlite:///{tmp_path / 'edge.db'}")
    with pytest.raises(KeyError):
        build_app("retriever", "For tests.", settings, [ROUTES], _nothing, straight={"/nowhere": straight})


def test_a_body_that_is_no_json_is_told_before_a_right_that_is_missing(served: Served) -> None:
    with served.database.write() as session:
        key = make_key(session, served.caller, "neither scope", [])
    assert [served.post(path, b'{"word": ', key=key).status_code for path in BOTH] == [422, 422]
