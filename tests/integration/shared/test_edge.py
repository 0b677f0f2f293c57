"""The web edge that all services share, over HTTP: limits of bodies, keys and pages, and threads for blocking
routes.
"""

import base64
import hashlib
import html
import re
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import httpx
import pytest
from fastapi import APIRouter, Body, FastAPI, UploadFile
from sqlmodel import select

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_shared.contracts.base import GivenMoment, Request, WireModel
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.tables import ApiKeyRow
from footnote_shared.kernel.clock import rfc3339
from footnote_shared.settings.base import Settings
from footnote_shared.web.body_limits import body_limit
from footnote_shared.web.build_app import build_app
from footnote_shared.web.dependencies import Reader, ReadUnit, WriteUnit
from footnote_shared.web.health import Check
from footnote_shared.web.idempotency import IdempotencyKey
from footnote_shared.web.paging import Cursor, Limit
from footnote_shared.web.resources import EdgeResources
from footnote_testing.eventually import LIMIT_S
from footnote_testing.served_app import ServedApp
from footnote_testing.workspace import make_caller, make_database

MAX_JSON, MAX_UPLOAD, MAX_DEPTH = 2_000, 300_000, 8
THREADS = 40
POOL = 2

router = APIRouter()
together = threading.Barrier(THREADS)


@router.post("/echo")
async def echo(body: Annotated[object, Body()], idempotency_key: IdempotencyKey = None) -> str | None:
    return idempotency_key


@router.post("/upload")
@body_limit(uploads=True)
async def upload(file: UploadFile) -> int:
    return len(await file.read())


@router.get("/page")
async def page(limit: Limit = 50, cursor: Cursor = None) -> int:
    return limit


@router.get("/blocking")
def blocking() -> int:
    return together.wait(timeout=LIMIT_S)


@asynccontextmanager
async def _nothing(app: FastAPI, edge: EdgeResources) -> AsyncIterator[Mapping[str, Check]]:
    yield {}


class Since(Request):
    moment: GivenMoment


class Found(WireModel):
    """The answer has a form of its own, which takes a thread to fill in while the connection is held."""

    keys: int


def _keys(session: ReadSession | WriteSession) -> Found:
    return Found(keys=len(session.exec(select(ApiKeyRow.id)).all()))


@router.get("/reading")
def reading(session: ReadUnit, caller: Reader) -> Found:
    return _keys(session)


@router.post("/writing")
def writing(session: WriteUnit, caller: Reader) -> Found:
    return _keys(session)


@router.post("/v1/since", summary="A moment & <more>")
async def since(body: Since) -> str:
    """Says it in UTC."""
    return rfc3339(body.moment)


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = Path(tmp_path_factory.mktemp("edge"))
    database = make_database(f"sqlite:///{folder / 'edge.db'}")
    _, key = make_caller(database)
    settings = Settings(
        data=folder,
        database_url=database.url,
        max_json_bytes=MAX_JSON,
        max_upload_bytes=MAX_UPLOAD,
        max_json_depth=MAX_DEPTH,
        database_pool=POOL,
    )
    served = ServedApp(build_app("retriever", "For tests.", settings, [router], _nothing)).start()
    with httpx.Client(
        base_url=served.url,
        headers={"Authorization": f"Bearer {key}"},
        trust_env=False,
        timeout=LIMIT_S,
        limits=httpx.Limits(max_connections=THREADS),
        verify=NO_CERTIFICATES,
    ) as client:
        yield client
    served.stop()
    database.close()


def post(http: httpx.Client, body: bytes, *, chunked: bool = False) -> httpx.Response:
    content = iter([body[:1], body[1:]]) if chunked else body
    return http.post("/echo", content=content, headers={"Content-Type": "application/json"})


class TestABody:
    @pytest.mark.parametrize("chunked", [False, True], ids=["declared", "chunked"])
    def test_may_be_as_large_as_the_limit_and_no_larger(self, http: httpx.Client, chunked: bool) -> None:
        largest = b'"' + b"x" * (MAX_JSON - 2) + b'"'
        assert post(http, largest, chunked=chunked).status_code == 200
        refused = post(http, largest + b" ", chunked=chunked)
        assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
        assert refused.headers["content-type"] == "application/problem+json"

    def test_may_nest_as_deep_as_the_limit_and_no_deeper(self, http: httpx.Client) -> None:
        deepest = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
        assert post(http, deepest).status_code == 200
        refused = post(http, b"[" + deepest + b"]")
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "body")

    def test_of_an_upload_may_hold_a_file_of_the_largest_size_and_its_fields(
        self, http: httpx.Client
    ) -> None:
        fields = {f"field{number}": "x" * 500 for number in range(100)}
        whole = http.post("/upload", files={"file": b"x" * MAX_UPLOAD}, data=fields)
        assert (whole.status_code, whole.json()) == (200, MAX_UPLOAD)
        refused = http.post("/upload", files={"file": b"x" * (MAX_UPLOAD + 100_000)})
        assert refused.status_code == 413


class TestAnIdempotencyKey:
    @pytest.mark.parametrize("key", ["k", "with a space", "x" * 255, "!~"])
    def test_has_1_to_255_printable_characters(self, http: httpx.Client, key: str) -> None:
        assert http.post("/echo", json=1, headers={"Idempotency-Key": key}).json() == key

    @pytest.mark.parametrize("key", ["", "x" * 256, "tab\tinside", "schlüssel"])
    def test_is_refused_otherwise(self, http: httpx.Client, key: str) -> None:
        refused = http.post("/echo", json=1, headers={b"Idempotency-Key": key.encode()})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid")


class TestAPage:
    @pytest.mark.parametrize(("limit", "status"), [(0, 422), (1, 200), (200, 200), (201, 422)])
    def test_has_1_to_200_items(self, http: httpx.Client, limit: int, status: int) -> None:
        assert http.get("/page", params={"limit": limit}).status_code == status


def test_forty_routes_may_block_at_once(http: httpx.Client) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        answers = list(pool.map(lambda _: http.get("/blocking").status_code, range(THREADS)))
    assert answers == [200] * THREADS


def test_more_requests_than_threads_wait_for_a_connection_and_each_gets_one(http: httpx.Client) -> None:
    """Those that wait hold no thread: whoever has a connection needs one to come to an end."""
    asked = ["GET /reading", "POST /writing"] * (THREADS + 10)
    with (
        httpx.Client(
            base_url=http.base_url,
            headers=http.headers,
            trust_env=False,
            timeout=LIMIT_S,
            verify=NO_CERTIFICATES,
        ) as many,
        ThreadPoolExecutor(len(asked)) as pool,
    ):
        answers = list(pool.map(lambda route: many.request(*route.split()), asked))
    assert [(answer.status_code, answer.json()) for answer in answers] == [(200, {"keys": 1})] * len(asked)


class TestAMoment:
    def test_is_told_in_utc(self, http: httpx.Client) -> None:
        answer = http.post("/v1/since", json={"moment": "2024-01-01T00:00:00+02:00"})
        assert answer.json() == "2023-12-31T22:00:00.000Z"

    @pytest.mark.parametrize(
        "moment", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2024-01-01T00:00:00", "now"]
    )
    def test_that_is_none_in_utc_is_refused(self, http: httpx.Client, moment: str) -> None:
        refused = http.post("/v1/since", json={"moment": moment})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "moment")


def test_no_answer_names_the_host_that_the_client_names(http: httpx.Client) -> None:
    answers = [
        http.request(method, path, headers={"Host": "evil.example"})
        for method in ("GET", "POST")
        for path in ("/page/", "/echo/", "/v1/since/", "//", "/docs/")
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert not any("evil.example" in f"{answer.headers}{answer.text}" for answer in answers)


class TestTheDocumentation:
    def test_needs_no_other_server_and_runs_no_script(self, http: httpx.Client) -> None:
        page = http.get("/docs")
        assert page.status_code == 200
        assert "://" not in page.text
        assert "<script" not in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]

    def test_allows_its_own_style(self, http: httpx.Client) -> None:
        page = http.get("/docs")
        (style,) = re.findall("<style>(.*?)</style>", page.text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert f"style-src 'sha256-{digest}'" in page.headers["content-security-policy"]

    def test_tells_every_route_with_its_parameters_and_body(self, http: httpx.Client) -> None:
        page = http.get("/docs").text
        assert "A moment &amp; &lt;more&gt;" in page
        assert "Says it in UTC." in page
        assert '"moment": "date-time"' in html.unescape(page)
        assert "<td><code>cursor</code>" in page

    def test_declares_the_errors_that_are_sent(self, http: httpx.Client) -> None:
        document = http.get("/openapi.json").json()
        refused = http.post("/v1/since", json={})
        declared = document["paths"]["/v1/since"]["post"]["responses"][str(refused.status_code)]["content"]
        (kind,) = declared
        assert kind == refused.headers["content-type"]
        assert declared[kind]["schema"] == {"$ref": "#/components/schemas/Problem"}
        problem = document["components"]["schemas"]["Problem"]
        assert set(problem["required"]) <= set(refused.json()) <= set(problem["properties"])
        assert "HTTPValidationError" not in document["components"]["schemas"]
