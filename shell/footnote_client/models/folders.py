"""Answers about folders. Written by `make reference` from the OpenAPI documents."""

from footnote_client.answer_model import AnswerModel


class Folder(AnswerModel):
    """A folder; `documents` counts those directly in it that the caller sees."""

    id: str
    path: str
    documents: int


class FolderList(AnswerModel):
    """One page of FolderList."""

    items: list[Folder]
    next_cursor: str | None = None
