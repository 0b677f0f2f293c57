"""The lists that each turn asks of ingest: over HTTP, and as they are lent within a process."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from fastapi import FastAPI

from footnote_ingest.app import create_app
from footnote_shared.blobs.open import open_blobs
from footnote_shared.clients.base import http_client
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.base import Page
from footnote_shared.contracts.documents import Document
from footnote_shared.contracts.identity import Principal, Scope
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import Forbidden, InvalidRequest
from footnote_shared.security.api_keys import make_avatar
from footnote_shared.settings.base import Settings
from footnote_testing.redis_process import RedisProcess
from footnote_testing.served_app import ServedApp
from footnote_testing.workspace import make_caller, make_database
from tests.integration.ingest.workshop import Workshop

SECRET = "a secret that only the services of this test share"
Answer = TypeVar("Answer")


class Ingest:
    """An ingest with two documents, one of them in a folder and private to its owner."""

    def __init__(self, app: FastAPI, url: str, *, within: bool) -> None:
        self._app, self._url, self._within = app, url, within

    def ask(self, question: Callable[[IngestClient], Coroutine[Any, Any, Answer]]) -> Answer:
        async def ask() -> Answer:
            async with http_client() as http:
                # Nothing listens there: what is asked within the process must not leave it.
                url = "http://127.0.0.1:9" if self._within else self._url
                lent = self._app.state.direct if self._within else None
                return await question(IngestClient(http, url, SECRET, direct=lent))

        return asyncio.run(ask())


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Database]:
    made = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    yield made
    made.close()


@pytest.fixture
def me(own: Database) -> Principal:
    return make_caller(own, "mine")[0]


@pytest.fixture(params=["over HTTP", "within the process"])
def ingest(
    request: pytest.FixtureRequest, own: Database, me: Principal, redis_server: RedisProcess, tmp_path: Path
) -> Iterator[Ingest]:
    settings = Settings(
        data=tmp_path, database_url=own.url, redis_url=redis_server.url, service_secret=SECRET
    )
    workshop = Workshop(own)
    workshop.blobs = open_blobs(settings)
    workshop.accept("gull.txt", "The gull steals.", caller=me, title="Gull", folder="/birds")
    workshop.accept(
        "heron.txt", "It stands.", caller=me, title="Heron", folder="/birds/tall", visibility="private"
    )
    app = create_app(settings)
    served = ServedApp(app).start()
    yield Ingest(app, served.url, within=request.param == "within the process")
    served.stop()


def test_folders_come_with_what_the_caller_sees_in_them(ingest: Ingest, own: Database, me: Principal) -> None:
    def counts(caller: Principal) -> dict[str, int]:
        return {
            one.path: one.documents for one in ingest.ask(lambda client: client.folders(caller, 30)).items
        }

    assert counts(me) == {"/birds": 1, "/birds/tall": 1}
    with own.write() as session:
        colleague = make_avatar(session, me.workspace_id, "colleague")
    assert counts(colleague.model_copy(update={"scopes": me.scopes})) == {"/birds": 1, "/birds/tall": 0}
    assert counts(make_caller(own, "other")[0]) == {}


def test_documents_of_a_folder_come_by_page(ingest: Ingest, me: Principal) -> None:
    def page(**params: str | int) -> Page[Document]:
        return ingest.ask(lambda client: client.documents(me, {"folder": "/birds", **params}))

    first = page(limit=1)
    assert [one.title for one in first.items] == ["Heron"]
    assert first.next_cursor is not None
    second = page(limit=1, cursor=first.next_cursor)
    assert ([one.title for one in second.items], second.next_cursor) == (["Gull"], None)
    assert [one.title for one in page(folder="/birds/tall").items] == ["Heron"]


def test_there_are_no_connectors(ingest: Ingest, me: Principal) -> None:
    assert ingest.ask(lambda client: client.connectors(me, 50)).items == []


Question = Callable[[IngestClient, Principal], Coroutine[Any, Any, Any]]


@pytest.mark.parametrize(
    ("question", "field"),
    [
        (lambda client, caller: client.folders(caller, 0), "limit"),
        (lambda client, caller: client.connectors(caller, 201), "limit"),
        (lambda client, caller: client.documents(caller, {"nothing": 1}), "nothing"),
        (lambda client, caller: client.folders_by(caller, {"cursor": "none of ours"}), "cursor"),
    ],
)
def test_what_is_not_valid_is_named(ingest: Ingest, me: Principal, question: Question, field: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        ingest.ask(lambda client: question(client, me))
    assert [error.field for error in refused.value.errors] == [field]


def test_a_caller_who_may_not_read_is_refused(ingest: Ingest, me: Principal) -> None:
    nobody = me.model_copy(update={"scopes": frozenset[Scope]()})
    asked: list[Question] = [
        lambda client, caller: client.folders(caller, 30),
        lambda client, caller: client.documents(caller, {}),
        lambda client, caller: client.connectors(caller, 50),
    ]
    for question in asked:
        with pytest.raises(Forbidden):
            ingest.ask(lambda client, question=question: question(client, nobody))  # type: ignore[misc]
