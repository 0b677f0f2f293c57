"""The same key and body give the same answer for 24 hours; another body is a conflict (spec 1.4)."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from pydantic import BaseModel
from sqlalchemy import tuple_
from sqlmodel import col, delete, select

from footnote_shared.contracts.base import from_json_of_any_release
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import WriteSession, lock_for_transaction
from footnote_shared.db.tables import IdempotencyRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict

KEPT = timedelta(hours=24)

Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class KeyedRequest:
    """A creating request with the key that its avatar chose, and a hash of what it asks for.

    A key belongs to the avatar: what another one sends under the same key is another request.
    """

    workspace_id: str
    avatar_id: str
    key: str
    fingerprint: str

    @classmethod
    def of(cls, caller: Principal, key: str | None, *parts: str | BaseModel) -> "KeyedRequest | None":
        """The request of this caller; None when it came without a key.

        `parts` are the route, and everything in the body that makes two requests the same.
        """
        if key is None:
            return None
        texts = [part if isinstance(part, str) else part.model_dump_json() for part in parts]
        return cls(caller.workspace_id, caller.avatar_id, key, _fingerprint(*texts))

    @property
    def row_key(self) -> tuple[str, str, str]:
        """What its answer is kept under."""
        return self.workspace_id, self.avatar_id, self.key


def answer_once(
    session: WriteSession, request: KeyedRequest | None, kind: type[Answer], work: Callable[[], Answer]
) -> tuple[Answer, bool]:
    """The answer of `work`, and whether it was made now.

    A repeated request gets the answer that it got before. The answer is committed together with what the work
    creates. Of two equal requests at once, one does the work and the other waits for its answer. Raises
    Conflict if the key came with another request less than 24 hours ago.
    """
    kept = kept_answer(session, request, kind)
    if kept is not None:
        return kept, False
    answer = work()
    keep_answer(session, request, answer)
    return answer, True


def kept_answer(session: WriteSession, request: KeyedRequest | None, kind: type[Answer]) -> Answer | None:
    """The answer that an equal request got before; None if there was none, or this one has no key.

    An equal request waits here until this transaction ends. Raises Conflict as `answer_once` does.
    """
    if request is None:
        return None
    lock_for_transaction(session, "idempotency", *request.row_key)
    row = session.get(IdempotencyRow, request.row_key)
    if row is not None and row.created_at < now() - KEPT:
        session.delete(row)
        session.flush()
        row = None
    if row is None:
        return None
    if row.fingerprint != request.fingerprint:
        raise Conflict("This Idempotency-Key was used with another request within the last 24 hours.")
    return from_json_of_any_release(kind, row.body)


def keep_answer(session: WriteSession, request: KeyedRequest | None, answer: BaseModel) -> None:
    """Keep the answer for requests that are equal to this one, if it has a key."""
    if request is None:
        return
    session.add(
        IdempotencyRow(
            workspace_id=request.workspace_id,
            avatar_id=request.avatar_id,
            key=request.key,
            fingerprint=request.fingerprint,
            body=answer.model_dump_json(),
        )
    )


def replace_answer(session: WriteSession, request: KeyedRequest, answer: BaseModel) -> None:
    """Keep another answer in the place of the one that is kept, if there is one."""
    row = session.get(IdempotencyRow, request.row_key, with_for_update=True)
    if row is not None:
        row.body = answer.model_dump_json()
        session.add(row)


def forget_answer(session: WriteSession, request: KeyedRequest) -> None:
    """Take back an answer whose work could not begin, so that its request can be sent again."""
    row = session.get(IdempotencyRow, request.row_key)
    if row is not None:
        session.delete(row)


def forget_old_answers(session: WriteSession, most: int) -> int:
    """Delete some of the answers older than 24 hours, at most `most`. Returns how many.

    A statement has a limit of time, and on SQLite nobody else writes during it. So call this once per
    transaction, until it deletes fewer than it may.
    """
    row_key = (col(IdempotencyRow.workspace_id), col(IdempotencyRow.avatar_id), col(IdempotencyRow.key))
    old = select(*row_key).where(col(IdempotencyRow.created_at) < now() - KEPT).limit(most)
    result = session.exec(delete(IdempotencyRow).where(tuple_(*row_key).in_(old)))
    return int(result.rowcount)


def _fingerprint(*parts: str) -> str:
    """A SHA-256 over the parts. Each has its length before it, so that one text cannot pass for two."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
