"""One suite for what the retriever asks of ingest: its tests' fake passes it, the real application over HTTP,
and what the application lends to services of its process."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_ingest.app import create_app
from footnote_shared.blobs.open import open_blobs
from footnote_shared.clients.base import http_client
from footnote_shared.clients.in_process import DirectCall
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.documents import ChunkLookup, ChunkRef, LiveChunk, LiveChunks, Visibility
from footnote_shared.contracts.identity import Principal, Scope
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Forbidden, InvalidRequest, Unauthenticated
from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.text import text_hash
from footnote_shared.security.api_keys import make_avatar
from footnote_shared.settings.base import Settings
from footnote_testing.eventually import LIMIT_S
from footnote_testing.fake_ingest import FakeIngest
from footnote_testing.redis_process import RedisProcess
from footnote_testing.served_app import ServedApp
from footnote_testing.workspace import make_caller, make_database
from tests.integration.ingest.workshop import Workshop, refs_of

SECRET = "a secret that only the services of this test share"


class Ingest(ABC):
    """An ingest that a test can put documents of one chunk into."""

    url: str
    direct: Mapping[str, DirectCall] | None = None

    def look_up(
        self,
        caller: Principal,
        refs: list[ChunkRef],
        *,
        secret: str = SECRET,
        memory: bool = False,
        around: int | None = None,
        folders: bool = False,
    ) -> LiveChunks:
        """What ingest answers a service that calls for this caller."""

        async def ask() -> LiveChunks:
            async with http_client() as http:
                # The message itself knows the limit on its length, which is for ingest to enforce.
                body = ChunkLookup.model_construct(refs=refs, memory=memory, around=around, folders=folders)
                client = IngestClient(http, self.url, secret, direct=self.direct)
                return await client.call(caller, "POST", "/v1/chunks:lookup", LiveChunks, body=body)

        return asyncio.run(ask())

    @abstractmethod
    def add(
        self,
        owner: Principal,
        title: str,
        text: str,
        visibility: Visibility = "workspace",
        folder: str = "/",
        session_id: str | None = None,
    ) -> ChunkRef:
        """Make a document live; the same title again is a new version of it."""

    @abstractmethod
    def delete(self, owner: Principal, document_id: str) -> None: ...


class Fake(Ingest):
    def __init__(self, url: str, ingest: FakeIngest) -> None:
        self.url = url
        self._ingest = ingest
        self._ids: dict[str, str] = {}

    def add(
        self,
        owner: Principal,
        title: str,
        text: str,
        visibility: Visibility = "workspace",
        folder: str = "/",
        session_id: str | None = None,
    ) -> ChunkRef:
        known = self._ids.setdefault(title, new_id())
        self._ingest.delete_document(known)
        ref = ChunkRef(document_id=known, chunk_id=new_id(), text_hash=text_hash(text))
        chunk = LiveChunk(
            **ref.model_dump(),
            content_hash=text_hash(text),
            title=title,
            source=f"{title}.txt",
            text=text,
            tokens=len(text.split()),
            ordinal=0,
            kind="paragraph",
            heading_path=[],
            char_start=0,
            char_end=len(text),
            version=1,
            source_type="upload",
            created_at=now(),
        )
        private_to = owner.avatar_id if visibility == "private" else None
        steps = [step for step in folder.split("/") if step]
        self._ingest.put(
            owner.workspace_id,
            chunk,
            private_to=private_to,
            folder=folder,
            session_id=session_id,
            folder_ids=["/".join(steps[: at + 1]) for at in range(len(steps))],
        )
        return ref

    def delete(self, owner: Principal, document_id: str) -> None:
        self._ingest.delete_document(document_id)


class Real(Ingest):
    def __init__(self, url: str, workshop: Workshop, direct: Mapping[str, DirectCall] | None = None) -> None:
        self.url = url
        self.direct = direct
        self._workshop = workshop

    def add(
        self,
        owner: Principal,
        title: str,
        text: str,
        visibility: Visibility = "workspace",
        folder: str = "/",
        session_id: str | None = None,
    ) -> ChunkRef:
        made = self._workshop.accept(
            f"{title}.txt",
            text,
            caller=owner,
            title=title,
            visibility=visibility,
            folder=folder,
            session_id=session_id,
        )
        self._workshop.run_all()
        (ref,) = refs_of(self._workshop.live(made.id))
        return ref

    def delete(self, owner: Principal, document_id: str) -> None:
        self._workshop.caller = owner
        self._workshop.delete(document_id)


@dataclass
class Callers:
    """Two avatars of one workspace, and a stranger."""

    me: Principal
    colleague: Principal
    stranger: Principal


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Database]:
    database = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    yield database
    database.close()


@pytest.fixture
def callers(own: Database) -> Callers:
    me, _ = make_caller(own, "mine")
    stranger, _ = make_caller(own, "other")
    with own.write() as session:
        colleague = make_avatar(session, me.workspace_id, "colleague")
    return Callers(me, colleague.model_copy(update={"scopes": me.scopes}), stranger)


@pytest.fixture(params=["fake", "real", "real within the process"])
def ingest(
    request: pytest.FixtureRequest, own: Database, redis_server: RedisProcess, tmp_path: Path
) -> Iterator[Ingest]:
    if request.param == "fake":
        fake = FakeIngest(SECRET)
        served = ServedApp(fake.app).start()
        yield Fake(served.url, fake)
    else:
        settings = Settings(
            data=tmp_path, database_url=own.url, redis_url=redis_server.url, service_secret=SECRET
        )
        workshop = Workshop(own)
        workshop.blobs = open_blobs(settings)
        app = create_app(settings)
        served = ServedApp(app).start()
        within = request.param == "real within the process"
        # Nothing listens there: what is asked within the process must not leave it.
        url = "http://127.0.0.1:9" if within else served.url
        yield Real(url, workshop, app.state.direct if within else None)
    served.stop()


def test_a_live_chunk_comes_with_what_a_passage_shows(ingest: Ingest, callers: Callers) -> None:
    ref = ingest.add(callers.me, "tea", "Tea is kept in the green tin.")
    (chunk,) = ingest.look_up(callers.colleague, [ref]).items
    assert (chunk.document_id, chunk.chunk_id, chunk.text_hash) == (
        ref.document_id,
        ref.chunk_id,
        ref.text_hash,
    )
    assert (chunk.title, chunk.source, chunk.text) == ("tea", "tea.txt", "Tea is kept in the green tin.")
    assert (chunk.ordinal, chunk.char_start, chunk.char_end) == (0, 0, len(chunk.text))
    assert (chunk.kind, chunk.source_type, chunk.url) == ("paragraph", "upload", None)
    assert chunk.content_hash == text_hash(chunk.text)


def test_chunks_come_once_each_in_the_order_asked_for(ingest: Ingest, callers: Callers) -> None:
    refs = [ingest.add(callers.me, name, f"{name} is drunk here.") for name in ("tea", "milk", "wine")]
    asked = [refs[2], refs[0], refs[2], refs[1]]
    found = ingest.look_up(callers.me, asked).items
    assert [chunk.title for chunk in found] == ["wine", "tea", "milk"]


def test_few_chunks_and_many_are_answered_alike(ingest: Ingest, callers: Callers) -> None:
    refs = [ingest.add(callers.me, name, f"{name} is drunk here.") for name in ("tea", "milk", "wine")]
    unknown = [ref.model_copy(update={"chunk_id": new_id()}) for ref in refs for _ in range(20)]
    grouped = callers.me.model_copy(update={"groups": ("kitchen", "office")})
    for caller in (callers.me, grouped):
        few, many = (ingest.look_up(caller, asked) for asked in (refs, [*unknown, *refs]))
        assert [chunk.title for chunk in few.items] == ["tea", "milk", "wine"]
        assert few == many


def test_what_is_unknown_is_left_out(ingest: Ingest, callers: Callers) -> None:
    ref = ingest.add(callers.me, "tea", "Tea.")
    others = [ref.model_copy(update={name: new_id()}) for name in ("document_id", "chunk_id", "text_hash")]
    assert ingest.look_up(callers.me, others).items == []
    assert ingest.look_up(callers.me, []).items == []


def test_another_workspace_sees_nothing(ingest: Ingest, callers: Callers) -> None:
    ref = ingest.add(callers.me, "tea", "Tea.")
    assert ingest.look_up(callers.stranger, [ref]).items == []


def test_a_private_document_is_its_owners_alone(ingest: Ingest, callers: Callers) -> None:
    ref = ingest.add(callers.me, "tea", "Tea.", "private")
    assert len(ingest.look_up(callers.me, [ref]).items) == 1
    assert ingest.look_up(callers.colleague, [ref]).items == []


def test_neighbours_come_if_asked_for_and_where_the_document_is_seen(
    ingest: Ingest, callers: Callers
) -> None:
    ref = ingest.add(callers.me, "tea", "Tea.", "private")
    ingest.add(callers.me, "milk", "Milk.")
    assert ingest.look_up(callers.me, [ref]).around == []
    assert [chunk.text for chunk in ingest.look_up(callers.me, [ref], around=2).around] == ["Tea."]
    for other in (callers.colleague, callers.stranger):
        assert ingest.look_up(other, [ref], around=2).around == []


def test_the_folder_and_those_above_it_come_if_asked_for(ingest: Ingest, callers: Callers) -> None:
    places = ("/", "/work", "/work/rent", "/work/rent")
    refs = [
        ingest.add(callers.me, f"note {at}", f"Tea {at}.", folder=place) for at, place in enumerate(places)
    ]
    assert {chunk.folder_ids for chunk in ingest.look_up(callers.me, refs).items} == {None}
    found = ingest.look_up(callers.colleague, refs, folders=True).items
    top, work, rent, beside = (chunk.folder_ids for chunk in found)
    assert top == []
    assert work is not None
    assert rent is not None
    assert (len(work), len(rent)) == (1, 2)
    assert rent[0] == work[0]
    assert beside == rent


def test_an_upload_of_a_session_is_there_for_its_avatar_in_it_alone(ingest: Ingest, callers: Callers) -> None:
    here, elsewhere = "visitor-0123456789abcdef", "visitor-fedcba9876543210"
    refs = [
        ingest.add(callers.me, "tea", "Tea.", "private", session_id=here),
        ingest.add(callers.me, "milk", "Milk."),
    ]

    def seen(caller: Principal, session_id: str | None) -> list[str]:
        caller = caller.model_copy(update={"session_id": session_id})
        return [chunk.title for chunk in ingest.look_up(caller, refs).items]

    assert seen(callers.me, here) == ["tea", "milk"]
    assert seen(callers.me, elsewhere) == seen(callers.me, None) == ["milk"]
    assert seen(callers.colleague, here) == ["milk"]
    assert seen(callers.stranger, here) == []


def test_memory_and_all_else_are_never_in_one_answer(ingest: Ingest, callers: Callers) -> None:
    memory, others = ("/memory", "/memory/work"), ("/", "/Memory/a", "/memory2", "/notes/memory", "/memor")
    refs = [
        ingest.add(callers.me, f"note {at}", "Tea.", "private", folder)
        for at, folder in enumerate([*memory, *others])
    ]
    found = ingest.look_up(callers.me, refs).items
    assert [chunk.document_id for chunk in found] == [ref.document_id for ref in refs[len(memory) :]]
    remembered = ingest.look_up(callers.me, refs, memory=True).items
    assert [chunk.document_id for chunk in remembered] == [ref.document_id for ref in refs[: len(memory)]]
    assert ingest.look_up(callers.colleague, refs, memory=True).items == []


def test_a_deleted_document_is_gone_at_once(ingest: Ingest, callers: Callers) -> None:
    ref = ingest.add(callers.me, "tea", "Tea.")
    kept = ingest.add(callers.me, "milk", "Milk.")
    ingest.delete(callers.me, ref.document_id)
    assert [c.title for c in ingest.look_up(callers.me, [ref, kept]).items] == ["milk"]


def test_a_new_version_takes_the_place_of_the_old_one(ingest: Ingest, callers: Callers) -> None:
    old = ingest.add(callers.me, "tea", "Tea is green.")
    new = ingest.add(callers.me, "tea", "Tea is black.")
    assert new.document_id == old.document_id
    assert [c.text for c in ingest.look_up(callers.me, [old, new]).items] == ["Tea is black."]


def test_the_generation_grows_with_each_change_in_the_workspace_alone(
    ingest: Ingest, callers: Callers
) -> None:
    def generation(caller: Principal) -> int:
        return ingest.look_up(caller, []).generation or 0

    seen, other = [generation(callers.me)], generation(callers.stranger)
    ref = ingest.add(callers.me, "tea", "Tea.")
    seen.append(generation(callers.me))
    ingest.delete(callers.me, ref.document_id)
    seen.append(generation(callers.me))
    assert seen[0] < seen[1] < seen[2]
    assert generation(callers.stranger) == other


def test_a_caller_who_may_not_read_is_refused(ingest: Ingest, callers: Callers) -> None:
    with pytest.raises(Forbidden):
        ingest.look_up(callers.me.model_copy(update={"scopes": frozenset[Scope]()}), [])


def test_without_a_callers_signed_identity_there_is_no_answer(ingest: Ingest, callers: Callers) -> None:
    if ingest.direct is not None:
        pytest.skip("Within a process nothing is signed, and nobody from outside gets there.")
    with pytest.raises(Unauthenticated):
        ingest.look_up(callers.me, [], secret="another secret, about as long as the right one is")
    unsigned = httpx.post(
        f"{ingest.url}/v1/chunks:lookup",
        json={"refs": []},
        trust_env=False,
        timeout=LIMIT_S,
        verify=NO_CERTIFICATES,
    )
    assert unsigned.status_code == 401
    assert unsigned.headers["content-type"] == "application/problem+json"


def test_more_than_a_thousand_at_once_are_refused(ingest: Ingest, callers: Callers) -> None:
    ref = ChunkRef(document_id=new_id(), chunk_id=new_id(), text_hash="0" * 32)
    with pytest.raises(InvalidRequest) as refused:
        ingest.look_up(callers.me, [ref] * 1001)
    assert [error.field for error in refused.value.errors] == ["refs"]
