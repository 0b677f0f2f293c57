"""What can answer, in the shape of OpenAI's list of models (spec 9.4)."""

from typing import Literal

from footnote_shared.contracts.base import Message


class ModelCard(Message):
    """Something that can answer: an engine of the agent."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "footnote"


class ModelList(Message):
    """Everything that can answer."""

    object: Literal["list"] = "list"
    data: list[ModelCard]
