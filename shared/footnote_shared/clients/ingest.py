"""Client of the ingest service."""

from collections.abc import Mapping

from footnote_shared.clients.base import ServiceClient, segment
from footnote_shared.contracts.base import Page
from footnote_shared.contracts.connector_acts import ConnectorAct, ConnectorActed
from footnote_shared.contracts.connectors import Connector
from footnote_shared.contracts.document_details import DocumentDetails
from footnote_shared.contracts.documents import (
    ChunkLookup,
    ChunkPage,
    ChunkRef,
    CitedPassage,
    CitedSource,
    Document,
    DocumentChanges,
    DocumentLookup,
    Documents,
    Folder,
    LiveChunks,
    ShownSource,
    ShownSources,
    TextDocument,
    WithheldSources,
)
from footnote_shared.contracts.facts import DocumentFacts, Entities, FactLookup, ShownFacts
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.named_scope import FoundScope, NamedScope
from footnote_shared.contracts.recorded_queries import AskedQuery, RecordedQuery
from footnote_shared.contracts.text_files import ChunksWithText, TextEdit, TextLookup

_ACT_S = 40.0
"""Seconds that an act in another system may take: its own time, and the time for its turn."""


class IngestClient(ServiceClient):
    service = "ingest"

    async def lookup_chunks(
        self,
        principal: Principal,
        refs: list[ChunkRef],
        *,
        memory: bool = False,
        around: int | None = None,
        folders: bool = False,
    ) -> LiveChunks:
        """Fresh metadata of the chunks that are live and visible. Other chunks are not in the answer.

        Those of memory come with `memory`, and then alone. `around` asks for their neighbours as well, and
        `folders` for the folders that they lie in now.
        """
        # What is not asked for is not sent: in an upgrade, an ingest may not know the field yet.
        body = ChunkLookup(refs=refs, memory=memory or None, around=around, folders=folders or None)
        return await self.call(principal, "POST", "/v1/chunks:lookup", LiveChunks, body=body)

    async def lookup_facts(self, principal: Principal, ids: list[str]) -> ShownFacts:
        """Those of the facts that are there and that the principal may see."""
        body = FactLookup(ids=ids)
        return await self.call(principal, "POST", "/v1/documents:facts", ShownFacts, body=body)

    async def facts_of(self, principal: Principal, document_id: str) -> DocumentFacts:
        """What a model has read from a document, and how far that is."""
        path = f"/v1/documents/{segment(document_id)}/facts"
        return await self.call(principal, "GET", path, DocumentFacts)

    async def entities(self, principal: Principal, name: str) -> Entities:
        """Who and what has this name, each with the latest facts that name it."""
        return await self.call(principal, "GET", "/v1/entities", Entities, params={"name": name})

    async def cited(self, principal: Principal, passage: CitedPassage) -> CitedSource:
        """What became of a source that a conversation of the principal cites."""
        return await self.call(principal, "POST", "/v1/documents:cited", CitedSource, body=passage)

    async def withheld(self, principal: Principal, sources: list[ShownSource]) -> list[int]:
        """Positions of the sources that were withdrawn from the principal since they were shown."""
        request = ShownSources(items=sources)
        path = "/v1/documents:withheld"
        return (await self.call(principal, "POST", path, WithheldSources, body=request)).withheld

    async def named(self, principal: Principal, names: NamedScope) -> FoundScope:
        """What titles, folders and types stand for, among what the principal sees."""
        return await self.call(principal, "POST", "/v1/documents:named", FoundScope, body=names)

    async def record_query(self, principal: Principal, query: str) -> RecordedQuery:
        """Keep what was searched for in the sample of the workspace, if it has one."""
        return await self.call(
            principal, "POST", "/v1/lanes:asked", RecordedQuery, body=AskedQuery(query=query)
        )

    async def document(self, principal: Principal, document_id: str) -> DocumentDetails:
        return await self.call(principal, "GET", f"/v1/documents/{segment(document_id)}", DocumentDetails)

    async def documents_of(self, principal: Principal, ids: list[str]) -> list[Document]:
        """The documents of these ids, 200 at most. What is not there or not visible is left out."""
        body = DocumentLookup(ids=ids)
        return (await self.call(principal, "POST", "/v1/documents:lookup", Documents, body=body)).items

    async def add_text(self, principal: Principal, document: TextDocument) -> Document:
        """Hand in a text. One with an `external_id` may be handed in twice, and is there once."""
        return await self.call(principal, "POST", "/v1/documents", Document, body=document)

    async def documents(self, principal: Principal, params: Mapping[str, str | int]) -> Page[Document]:
        """Documents, newest first, by the parameters of `GET /v1/documents`."""
        return await self.call(principal, "GET", "/v1/documents", Page[Document], params=params)

    async def folders(self, principal: Principal, limit: int) -> Page[Folder]:
        """The first folders by path."""
        return await self.call(principal, "GET", "/v1/folders", Page[Folder], params={"limit": limit})

    async def folders_by(self, principal: Principal, params: Mapping[str, str | int]) -> Page[Folder]:
        """Folders by path, by the parameters of `GET /v1/folders`."""
        return await self.call(principal, "GET", "/v1/folders", Page[Folder], params=params)

    async def folder(self, principal: Principal, folder_id: str) -> Folder:
        return await self.call(principal, "GET", f"/v1/folders/{segment(folder_id)}", Folder)

    async def delete_empty_folder(self, principal: Principal, folder_id: str) -> Folder:
        """Raises Conflict where a document lies in it or below it."""
        path = f"/v1/folders/{segment(folder_id)}"
        return await self.call(principal, "DELETE", path, Folder, params={"only_if_empty": "true"})

    async def edit_text(
        self, principal: Principal, document_id: str, edit: TextEdit, *, key: str
    ) -> Document:
        """Make a new version of a text. The same key makes it once."""
        path = f"/v1/documents/{segment(document_id)}:edit"
        return await self.call(principal, "POST", path, Document, body=edit, key=key)

    async def change(self, principal: Principal, document_id: str, changes: DocumentChanges) -> Document:
        """Rename or move a document. To do it twice is the same as to do it once."""
        path = f"/v1/documents/{segment(document_id)}"
        return await self.call(principal, "PATCH", path, Document, body=changes)

    async def delete(self, principal: Principal, document_id: str) -> Document:
        return await self.call(principal, "DELETE", f"/v1/documents/{segment(document_id)}", Document)

    async def grep(self, principal: Principal, wanted: TextLookup) -> ChunksWithText:
        """Passages that hold a text as it is written."""
        return await self.call(principal, "POST", "/v1/documents:grep", ChunksWithText, body=wanted)

    async def connectors(self, principal: Principal, limit: int) -> Page[Connector]:
        """The newest connectors of the workspace."""
        return await self.call(principal, "GET", "/v1/connectors", Page[Connector], params={"limit": limit})

    async def connector(self, principal: Principal, connector_id: str) -> Connector:
        return await self.call(principal, "GET", f"/v1/connectors/{segment(connector_id)}", Connector)

    async def act(
        self, principal: Principal, connector_id: str, act: ConnectorAct, *, key: str
    ) -> ConnectorActed:
        """Do something in the system of a connector. The same key does it once."""
        path = f"/v1/connectors/{segment(connector_id)}:act"
        return await self.call(principal, "POST", path, ConnectorActed, body=act, key=key, answer_s=_ACT_S)

    async def chunks(
        self,
        principal: Principal,
        document_id: str,
        *,
        around: str | None = None,
        limit: int = 200,
        cursor: str | None = None,
    ) -> ChunkPage:
        """A document's chunks in order.

        With `around`: that chunk, even as a tombstone, and those beside it.
        """
        params: dict[str, str | int] = {"limit": limit}
        if around is not None:
            params["around"] = around
        if cursor is not None:
            params["cursor"] = cursor
        path = f"/v1/documents/{segment(document_id)}/chunks"
        return await self.call(principal, "GET", path, ChunkPage, params=params)
