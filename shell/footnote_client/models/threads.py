"""Answers about threads. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime

from footnote_client.answer_model import AnswerModel
from footnote_client.models.shared import ThreadMessage


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


class SharedMessage(AnswerModel):
    """A shared answer as its reader may see it. `mine`: it stands in a conversation of the reader's own."""

    question: str
    message: ThreadMessage
    mine: bool


class ThreadList(AnswerModel):
    """One page of ThreadList."""

    items: list[Thread]
    next_cursor: str | None = None
