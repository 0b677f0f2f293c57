"""The part of ingest that its neighbours read, as an ASGI application over rows in memory."""

from collections.abc import Sequence

from fastapi import FastAPI, Request

from footnote_shared.contracts.documents import (
    ChunkLookup,
    Document,
    DocumentError,
    DocumentLookup,
    Documents,
    LiveChunk,
    LiveChunks,
)
from footnote_shared.contracts.facts import FactLookup, ShownFact, ShownFacts
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.memory import is_memory
from footnote_shared.contracts.named_scope import FoundScope, NamedScope
from footnote_shared.contracts.recorded_queries import AskedQuery, RecordedQuery
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Unauthenticated, Unavailable
from footnote_shared.security.service_identity import verify
from footnote_shared.web.dependencies import require
from footnote_shared.web.problems import add_problem_handlers


class FakeIngest:
    """Answers `POST /v1/chunks:lookup` as ingest does; tests/contract/test_chunk_lookup.py checks that."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._rows: dict[tuple[str, str, str, str], LiveChunk] = {}
        self._owners: dict[str, str] = {}
        self._sessions: dict[str, str] = {}
        self._memory: set[str] = set()
        self._folders: dict[str, tuple[str, ...]] = {}
        self._waiting: dict[tuple[str, str], DocumentError | None] = {}
        self._generations: dict[str, int] = {}
        self._facts: dict[str, ShownFact] = {}
        self.lookups = 0
        self.recorded: list[tuple[str, str]] = []
        self.refuses_neighbours = False
        self.app = FastAPI()
        add_problem_handlers(self.app)
        self.app.add_api_route("/v1/chunks:lookup", self._lookup, methods=["POST"])
        self.app.add_api_route("/v1/documents:facts", self._facts_of, methods=["POST"])
        self.app.add_api_route("/v1/documents:named", self._named, methods=["POST"])
        self.app.add_api_route("/v1/lanes:asked", self._asked, methods=["POST"])
        self.app.add_api_route("/v1/documents:lookup", self._documents, methods=["POST"])

    def put(
        self,
        workspace_id: str,
        chunk: LiveChunk,
        *,
        private_to: str | None = None,
        folder: str = "/",
        session_id: str | None = None,
        folder_ids: Sequence[str] = (),
    ) -> None:
        """Make this text of the chunk live. `private_to` names the avatar that alone sees its document.

        One with a `session_id` that avatar sees within the session alone.
        """
        self._rows[(workspace_id, chunk.document_id, chunk.chunk_id, chunk.text_hash)] = chunk
        self._owners.pop(chunk.document_id, None)
        self._memory.discard(chunk.document_id)
        if is_memory(folder):
            self._memory.add(chunk.document_id)
        self._folders[chunk.document_id] = tuple(folder_ids)
        if private_to is not None:
            self._owners[chunk.document_id] = private_to
        if session_id is not None:
            self._sessions[chunk.document_id] = session_id
        self._count(workspace_id)

    def put_fact(self, fact: ShownFact) -> None:
        """A fact of a chunk that was put."""
        self._facts[fact.id] = fact

    def put_waiting(self, workspace_id: str, document_id: str, error: DocumentError | None = None) -> None:
        """A document that was accepted, and of which no version is live: not yet, or for this `error`."""
        self._waiting[workspace_id, document_id] = error

    def move(self, workspace_id: str, document_id: str, *folder_ids: str) -> None:
        """From now on the document lies there, whatever its points say."""
        self._folders[document_id] = folder_ids
        self._count(workspace_id)

    def delete_document(self, document_id: str) -> None:
        """From now on no chunk of the document is live."""
        for workspace_id in {key[0] for key in self._rows if key[1] == document_id}:
            self._count(workspace_id)
        self._rows = {key: row for key, row in self._rows.items() if key[1] != document_id}

    def forget_quietly(self, workspace_id: str) -> None:
        """From now on nothing of the workspace is live, as where its time is over: no change is counted."""
        self._rows = {key: row for key, row in self._rows.items() if key[0] != workspace_id}

    def _count(self, workspace_id: str) -> None:
        self._generations[workspace_id] = self._generations.get(workspace_id, 0) + 1

    async def _lookup(self, request: Request, body: ChunkLookup) -> LiveChunks:
        self.lookups += 1
        caller = self._caller(request)
        if body.around and self.refuses_neighbours:
            raise Unavailable("ingest", "The neighbours cannot be read.")
        wanted = dict.fromkeys((ref.document_id, ref.chunk_id, ref.text_hash) for ref in body.refs)
        found = [
            self._rows[caller.workspace_id, *key]
            for key in wanted
            if self._visible(caller, key) and (key[0] in self._memory) == bool(body.memory)
        ]
        around = [
            row for row in self._rows.values() if any(_is_near(row, one, body.around or 0) for one in found)
        ]
        if body.folders:
            found = [
                row.model_copy(update={"folder_ids": list(self._folders[row.document_id])}) for row in found
            ]
        return LiveChunks(
            items=found,
            around=around if body.around else [],
            generation=self._generations.get(caller.workspace_id, 0),
        )

    async def _facts_of(self, request: Request, body: FactLookup) -> ShownFacts:
        """Facts whose chunk the caller sees."""
        caller = self._caller(request)
        seen = {
            key[1:3] for key in self._rows if key[0] == caller.workspace_id and self._visible(caller, key[1:])
        }
        named = [self._facts[one] for one in body.ids if one in self._facts]
        return ShownFacts(items=[fact for fact in named if (fact.document_id, fact.chunk_id) in seen])

    async def _named(self, request: Request, body: NamedScope) -> FoundScope:
        """Titles alone; ingest knows folders and types as well."""
        caller = self._caller(request)
        if not body.titles:
            return FoundScope()
        found = {
            key[1]
            for key, row in self._rows.items()
            if key[0] == caller.workspace_id
            and self._visible(caller, key[1:])
            and any(title.lower() in row.title.lower() for title in body.titles)
        }
        return FoundScope(document_ids=sorted(found))

    async def _asked(self, request: Request, body: AskedQuery) -> RecordedQuery:
        """Keeps every query; ingest looks whether the workspace allows it."""
        self.recorded.append((self._caller(request).workspace_id, body.query))
        return RecordedQuery(kept=True)

    async def _documents(self, request: Request, body: DocumentLookup) -> Documents:
        caller = self._caller(request)
        live = {
            key[1] for key in self._rows if key[0] == caller.workspace_id and self._visible(caller, key[1:])
        }
        waiting = {document for workspace, document in self._waiting if workspace == caller.workspace_id}
        return Documents(
            items=[self._document(caller, one, live=one in live) for one in body.ids if one in live | waiting]
        )

    def _document(self, caller: Principal, document_id: str, *, live: bool) -> Document:
        moment = now()
        error = self._waiting.get((caller.workspace_id, document_id))
        return Document(
            id=document_id,
            workspace_id=caller.workspace_id,
            title=document_id,
            filename=document_id,
            mime="text/plain",
            size=1,
            source_type="upload",
            folder="/memory" if document_id in self._memory else "/",
            status="indexed" if live else "failed" if error else "embedding",
            error=error,
            version=1,
            live_version=1 if live else None,
            chunks=1,
            created_at=moment,
            updated_at=moment,
        )

    def _caller(self, request: Request) -> Principal:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        caller = verify(token, "ingest", self._secret)
        if caller is None:
            raise Unauthenticated("There is no caller.")
        require(caller, "read")
        return caller

    def _visible(self, caller: Principal, key: tuple[str, str, str]) -> bool:
        owner = self._owners.get(key[0], caller.avatar_id)
        session = self._sessions.get(key[0], caller.session_id)
        mine = owner == caller.avatar_id and session == caller.session_id
        return (caller.workspace_id, *key) in self._rows and mine


def _is_near(row: LiveChunk, one: LiveChunk, places: int) -> bool:
    return row.document_id == one.document_id and abs(row.ordinal - one.ordinal) <= places
