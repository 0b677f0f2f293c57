"""What the routes of ingest stand on."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query, Request

from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.tasks.dispatch import Dispatcher
from footnote_shared.web.paging import MAX_LIMIT


@dataclass(frozen=True, slots=True)
class IngestParts:
    """Made once per application; found at `app.state.ingest`."""

    acceptor: Acceptor
    blobs: BlobStore
    dispatcher: Dispatcher
    policy: WorkPolicy


def _parts(request: Request) -> IngestParts:
    parts: IngestParts = request.app.state.ingest
    return parts


Parts = Annotated[IngestParts, Depends(_parts)]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Items on one page.")]
Cursor = Annotated[str | None, Query(description="`next_cursor` of the page before.")]
