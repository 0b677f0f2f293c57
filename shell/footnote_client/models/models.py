"""Answers about models. Written by `make reference` from the OpenAPI documents."""

from footnote_client.answer_model import AnswerModel


class ModelCard(AnswerModel):
    """Something that can answer: an engine of the agent."""

    id: str
    object: str = "model"
    created: int = 0
    owned_by: str = "footnote"


class ModelList(AnswerModel):
    """Everything that can answer."""

    object: str = "list"
    data: list[ModelCard]
