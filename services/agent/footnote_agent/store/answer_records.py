"""Queries over answer records."""

from sqlmodel import col

from footnote_agent.contracts.answer_records import AnswerRecord
from footnote_agent.store.ownership import owned
from footnote_agent.store.tables import AnswerRecordRow, TurnRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession


def add_record(session: WriteSession, turn: TurnRow, record: AnswerRecord) -> None:
    """Keep the record of a turn that ends in this transaction."""
    session.add(
        AnswerRecordRow(
            turn_id=turn.id,
            workspace_id=turn.workspace_id,
            avatar_id=turn.avatar_id,
            record=record.model_dump(mode="json", exclude_none=True),
        )
    )


def record_of(session: ReadSession, caller: Principal, turn_id: str) -> AnswerRecord | None:
    """The record of the caller's turn, once it has ended."""
    row = session.exec(owned(AnswerRecordRow, caller).where(col(AnswerRecordRow.turn_id) == turn_id)).first()
    return AnswerRecord.model_validate(row.record) if row is not None else None
