"""The same `Idempotency-Key` and body gives the same answer for 24 hours; another body is a conflict (spec 1.4)."""

import hashlib
from dataclasses import dataclass
from datetime import timedelta

from sqlmodel import col, delete

from footnote_shared.db.engine import WriteSession, lock_for_transaction
from footnote_shared.db.tables import IdempotencyRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict

KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    status: int
    body: str


def fingerprint(*parts: bytes | str) -> str:
    """A hash of everything that makes two requests the same: route, body, the bytes of a file."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def find_answer(session: WriteSession, workspace_id: str, key: str, request: str) -> StoredAnswer | None:
    """The answer given before, if any. Holds the key until the transaction ends, so that twins wait for each other."""
    lock_for_transaction(session, "idempotency", workspace_id, key)
    row = session.get(IdempotencyRow, (workspace_id, key))
    if row is None:
        return None
    if row.created_at < now() - KEPT:
        session.delete(row)
        session.flush()
        return None
    if row.fingerprint != request:
        raise Conflict("This Idempotency-Key was used with another request within the last 24 hours.")
    return StoredAnswer(row.status, row.body)


def keep_answer(
    session: WriteSession, workspace_id: str, key: str, request: str, answer: StoredAnswer
) -> None:
    """Keep the answer, in the transaction that did the work."""
    session.add(
        IdempotencyRow(
            workspace_id=workspace_id, key=key, fingerprint=request, status=answer.status, body=answer.body
        )
    )


def forget_answer(session: WriteSession, workspace_id: str, key: str) -> None:
    """Take an answer back whose work could not be begun, so that the same key can be tried again."""
    row = session.get(IdempotencyRow, (workspace_id, key))
    if row is not None:
        session.delete(row)


def forget_old_answers(session: WriteSession) -> int:
    """Delete answers older than 24 hours; returns how many."""
    result = session.exec(delete(IdempotencyRow).where(col(IdempotencyRow.created_at) < now() - KEPT))
    return int(result.rowcount)
