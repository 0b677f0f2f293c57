"""Answers about citations. Written by `make reference` from the OpenAPI documents."""

from footnote_client.answer_model import AnswerModel
from footnote_client.models.shared import CitationEntry


class CitationEntries(AnswerModel):
    """Entries of a conversation, by number."""

    items: list[CitationEntry]
    next_cursor: str | None = None


class RegisterResult(AnswerModel):
    """`numbers[i]` stands for `items[i]`; `rendered` is the text for the model."""

    numbers: list[int]
    rendered: str
