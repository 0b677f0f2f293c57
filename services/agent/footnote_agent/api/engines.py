"""The engines that can answer, for clients that ask before they talk.

They come in the shape of OpenAI's list of models (spec 9.4).
"""

from typing import Literal

from fastapi import APIRouter

from footnote_shared.contracts.base import WireModel
from footnote_shared.web.dependencies import Edge, Reader

router = APIRouter(prefix="/v1/models", tags=["models"])


class ModelCard(WireModel):
    """Something that can answer: an engine of the agent."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "footnote"


class ModelList(WireModel):
    """Everything that can answer."""

    object: Literal["list"] = "list"
    data: list[ModelCard]


@router.get("", summary="The engines that can answer")
async def list_models(edge: Edge, caller: Reader) -> ModelList:
    settings = edge.settings
    names = ["extractive"]
    if settings.chat_configured:
        names += ["pipeline", "agentic"] if settings.chat_tools else ["pipeline"]
    return ModelList(data=[ModelCard(id=f"footnote-{engine}") for engine in names])
