"""`POST /v1/documents:progress`: how far many documents are, now or as soon as that changes (spec 9.2).

What a client has seen is told by its cursor, which is made of that alone. So a request may go to another
process than the one before it, or to the same after a restart.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from fastapi import APIRouter

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.api.document_progress import DocumentProgress, DocumentsInWork
from footnote_ingest.api.timeline_readers import TimelineReaders
from footnote_ingest.documents.view import document_view
from footnote_ingest.store import documents as store
from footnote_ingest.store.shown_documents import get_many
from footnote_shared.contracts.documents import ENDED
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, ReadSession
from footnote_shared.kernel.ids import is_id
from footnote_shared.web.body_limits import LARGE_BODY, body_limit
from footnote_shared.web.dependencies import Edge, Reader

router = APIRouter(tags=["documents"])

_PAUSE_PER_DOCUMENT_S = 0.001
"""Who follows many documents is told more seldom: to look at a thousand takes milliseconds."""


@router.post(
    "/v1/documents:progress", summary="How far many documents are; only those that have ended come whole"
)
@body_limit(LARGE_BODY)
async def progress(
    body: DocumentsInWork, principal: Reader, edge: Edge, resources: Resources
) -> DocumentProgress:
    """For a client that follows many documents: it leaves out of the next request what has ended.

    With `wait_s` and the `cursor` of the answer before, the answer comes when something has changed, and at
    the latest after so many seconds.
    """
    if body.waits:
        resources.readers.check_room(principal.workspace_id)
    return await progress_after(edge.database, resources.readers, principal, body)


async def progress_after(
    database: Database, readers: TimelineReaders, principal: Principal, body: DocumentsInWork
) -> DocumentProgress:
    """How far the documents are: at once, or as soon as `body.cursor` is out of date.

    No transaction is open between two looks.
    """
    if not body.waits:
        return await database.read_async(lambda session: _look(session, principal, body.ids))
    loop = asyncio.get_running_loop()
    until = loop.time() + body.wait_s
    with readers.reading(principal.workspace_id):
        while True:
            pause_s = readers.pause_s(principal.workspace_id) + len(body.ids) * _PAUSE_PER_DOCUMENT_S
            left_s = until - loop.time()
            await asyncio.sleep(min(pause_s, left_s))
            seen = None if pause_s >= left_s else body.cursor
            look = partial(_news, principal=principal, ids=body.ids, seen=seen)
            changed = await database.read_async(look)
            if changed is not None:
                return changed


def _look(session: ReadSession, principal: Principal, ids: Sequence[str]) -> DocumentProgress:
    return _told(session, principal, ids, _statuses(session, principal, ids))


def _news(
    session: ReadSession, principal: Principal, ids: Sequence[str], seen: str | None
) -> DocumentProgress | None:
    """How far the documents are; None if that is what has been seen."""
    statuses = _statuses(session, principal, ids)
    all_in_work = len(statuses) == len(set(ids)) and not ENDED.intersection(statuses.values())
    if all_in_work and _cursor(statuses) == seen:
        return None
    return _told(session, principal, ids, statuses)


def _statuses(session: ReadSession, principal: Principal, ids: Sequence[str]) -> dict[str, str]:
    return store.statuses(session, principal, [one for one in ids if is_id(one)])


def _told(
    session: ReadSession, principal: Principal, ids: Sequence[str], statuses: Mapping[str, str]
) -> DocumentProgress:
    ended = [document_id for document_id, status in statuses.items() if status in ENDED]
    return DocumentProgress(
        waiting=Counter(status for status in statuses.values() if status not in ENDED),
        ended=[document_view(document) for document in get_many(session, principal, ended)],
        absent=[document_id for document_id in ids if document_id not in statuses],
        cursor=_cursor(statuses),
    )


def _cursor(statuses: Mapping[str, str]) -> str:
    """A digest of the documents that are in work, and of their statuses."""
    in_work = sorted(
        f"{document_id} {status}" for document_id, status in statuses.items() if status not in ENDED
    )
    return hashlib.blake2b("\n".join(in_work).encode(), digest_size=16).hexdigest()
