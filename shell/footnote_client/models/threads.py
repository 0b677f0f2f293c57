"""Answers about threads. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime

from pydantic import Field

from footnote_client.answer_model import AnswerModel
from footnote_client.models.shared import CitationEntry, ThreadMessage, VerificationSummary


class ThreadMessageList(AnswerModel):
    """One page of ThreadMessageList."""

    items: list[ThreadMessage]
    next_cursor: str | None = None


class Thread(AnswerModel):
    """A conversation as its avatar sees it."""

    id: str
    title: str
    created_at: datetime
    updated_at: datetime


class SharedAnswer(AnswerModel):
    """An answer without what leads to its conversation, such as thread, turn and other numbers."""

    id: str
    text: str
    citations: list[CitationEntry] = Field(default_factory=list)
    verification: VerificationSummary | None = None
    cut: str | None = None
    """One of `length`, `tool_call`, `content_filter`, `error`."""
    status: str = "completed"
    """One of `running`, `completed`, `failed`, `cancelled`."""
    shared_at: datetime | None = None
    created_at: datetime


class ThreadList(AnswerModel):
    """One page of ThreadList."""

    items: list[Thread]
    next_cursor: str | None = None


class SharedMessage(AnswerModel):
    """A shared answer as its reader may see it.

    `mine`: it stands in a conversation of the reader's own, and `thread_id` says in which.
    """

    question: str
    message: SharedAnswer
    mine: bool
    thread_id: str | None = None
