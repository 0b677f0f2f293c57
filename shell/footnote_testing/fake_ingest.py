"""The part of ingest that its neighbours read, as an ASGI application over rows in memory."""

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footnote_shared.contracts.documents import ChunkLookup, LiveChunk, LiveChunks
from footnote_shared.contracts.identity import Principal
from footnote_shared.security.service_identity import verify


class FakeIngest:
    """Answers `POST /v1/chunks:lookup` as ingest does: live chunks of the caller's workspace, the others not at all."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._rows: dict[tuple[str, str, str, str], LiveChunk] = {}
        self.lookups = 0
        self.app = Starlette(routes=[Route("/v1/chunks:lookup", self._lookup, methods=["POST"])])

    def put(self, workspace_id: str, chunk: LiveChunk) -> None:
        """Make this text of the chunk live, or replace what is shown of it."""
        self._rows[(workspace_id, chunk.document_id, chunk.chunk_id, chunk.text_hash)] = chunk

    def delete_document(self, document_id: str) -> None:
        """From now on no chunk of the document is live."""
        self._rows = {key: row for key, row in self._rows.items() if key[1] != document_id}

    async def _lookup(self, request: Request) -> Response:
        self.lookups += 1
        caller = self._caller(request)
        if caller is None:
            return Response(
                orjson.dumps({"detail": "no caller"}), status_code=401, media_type="application/problem+json"
            )
        lookup = ChunkLookup.model_validate_json(await request.body())
        keys = [(caller.workspace_id, ref.document_id, ref.chunk_id, ref.text_hash) for ref in lookup.refs]
        found = LiveChunks(
            items=[self._rows[key] for key in keys if key in self._rows], generation=len(self._rows)
        )
        return Response(found.model_dump_json(), media_type="application/json")

    def _caller(self, request: Request) -> Principal | None:
        return verify(request.headers.get("authorization", "").removeprefix("Bearer "), self._secret)
