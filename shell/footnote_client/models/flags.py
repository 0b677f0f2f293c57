"""Answers about flags. Written by `make reference` from the OpenAPI documents."""

from pydantic import Field

from footnote_client.answer_model import AnswerModel
from footnote_client.models.shared import EffectiveFlag


class FlagCard(AnswerModel):
    """A flag of a workspace. `fallback` is the operator's value, which holds without an override."""

    value: bool | int | float | str
    source: str
    """One of `request`, `preset`, `workspace`, `environment`, `.env`, `default`."""
    name: str
    """One of `hybrid`, `fusion`, `alpha`, `rrf_k`, `reranker`, `facts`, `correct`, `injection`,
    `verification`, `chat_tools`, `record_queries`.
    """
    description: str
    accepts: str
    """The values that it takes, in words."""
    choices: list[str] = Field(default_factory=list)
    """All of its values, where they are words."""
    fallback: EffectiveFlag


class FlagList(AnswerModel):
    """All flags of a workspace. `version` grows by one with each change of an override; 0: never changed."""

    version: int
    items: list[FlagCard]
