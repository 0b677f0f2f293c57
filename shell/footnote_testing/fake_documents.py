"""Documents as ingest shows them, with nothing special about them."""

from footnote_shared.contracts.documents import Document
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.clock import now


def plain_document(caller: Principal, document_id: str, title: str, folder: str) -> Document:
    """A text of one byte that has been indexed."""
    return Document(
        id=document_id,
        workspace_id=caller.workspace_id,
        title=title,
        filename=f"{title}.txt",
        mime="text/plain",
        size=1,
        source_type="upload",
        folder=folder,
        status="indexed",
        version=1,
        chunks=1,
        created_at=now(),
        updated_at=now(),
    )
