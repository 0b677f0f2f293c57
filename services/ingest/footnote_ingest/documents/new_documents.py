"""Documents that an upload makes: rows are made one by one, and those of a transaction written together.

Nobody knows such a row yet, so the session need not keep track of it, which would cost more than to write it.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from footnote_ingest.documents.identity import stored_identity
from footnote_ingest.documents.upload import Original, Upload
from footnote_ingest.documents.versions import next_version
from footnote_ingest.documents.view import document_view
from footnote_ingest.store import folders
from footnote_ingest.store.documents import DocumentInFolder
from footnote_ingest.store.tables import DocumentRow, FolderRow, TimelineRow, VersionRow
from footnote_ingest.work import stages
from footnote_shared.contracts.documents import Document, Visibility
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import WriteSession
from footnote_shared.db.new_rows import insert_rows


def may_be_made_apart(upload: Upload) -> bool:
    """Whether the upload, if it makes a document, makes nothing else: no reader, no end, no part."""
    given = upload.parent_id, upload.connector_id, upload.session_id, upload.reader_groups
    return all(one is None for one in given)


@dataclass(slots=True)
class NewDocuments:
    """The new documents of one transaction. They are in it once `write` was called."""

    session: WriteSession
    principal: Principal
    _folders: dict[str, FolderRow | None] = field(default_factory=dict)
    _identities: set[str] = field(default_factory=set)
    _rows: list[DocumentRow] = field(default_factory=list)
    _versions: list[VersionRow] = field(default_factory=list)
    _lines: list[TimelineRow] = field(default_factory=list)

    def add(self, upload: Upload, original: Original) -> Document:
        """Make the document of an upload for which `may_be_made_apart` holds, in a folder that is made."""
        row = first_row(self.principal, upload, self._folder(upload.folder), upload.visibility or "workspace")
        self._versions.append(next_version(row, upload, original))
        self._lines.append(stages.first_line(row, "Accepted."))
        self._rows.append(row)
        self._identities.add(row.identity)
        return document_view(DocumentInFolder(row, upload.folder))

    @property
    def unwritten(self) -> tuple[int, int]:
        """How many wait to be written, and the bytes of their files."""
        return len(self._rows), sum(row.size for row in self._rows)

    def has_any_of(self, identities: Collection[str]) -> bool:
        """Whether one of them has such an identity, in its stored form."""
        return not self._identities.isdisjoint(identities)

    def write(self) -> None:
        """Insert what was added since the last time."""
        for rows in (self._rows, self._versions, self._lines):
            insert_rows(self.session.connection(), rows)
            rows.clear()

    def _folder(self, path: str) -> FolderRow | None:
        # It is locked until the transaction ends, so it is looked for once.
        if path not in self._folders:
            self._folders[path] = folders.ensure(self.session, self.principal.workspace_id, path)
        return self._folders[path]


def first_row(
    principal: Principal, upload: Upload, folder: FolderRow | None, visibility: Visibility
) -> DocumentRow:
    """A row that has no version yet. What an attachment takes over from its message is not among it."""
    return DocumentRow(
        workspace_id=principal.workspace_id,
        avatar_id=principal.avatar_id,
        folder_id=folder.id if folder else None,
        parent_id=upload.parent_id,
        identity=stored_identity(upload.identity, visibility, principal.avatar_id),
        visibility=visibility,
        external_id=upload.external_id,
        title=upload.title or upload.filename,
        title_given=upload.title is not None,
        filename=upload.filename,
        mime="",
        size=0,
        sha256="",
        source_type=upload.source_type,
        connector_id=upload.connector_id,
        url=upload.url,
    )
