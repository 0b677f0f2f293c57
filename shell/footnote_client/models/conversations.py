"""Answers about conversations. Written by `make reference` from the OpenAPI documents."""

from pydantic import Field

from footnote_client.answer_model import AnswerModel
from footnote_client.models.shared import NormaliserReport


class Conversation(AnswerModel):
    """A conversation that is open."""

    id: str


class NormalizeResult(AnswerModel):
    """The normalised text, its deltas where deltas came in, and the numbers cited, in order of appearance."""

    text: str
    deltas: list[str] | None = Field(default_factory=list)
    citations: list[int]
    report: NormaliserReport
