"""The engines that can answer, for clients that ask before they talk.

They come in the shape of OpenAI's list of models (spec 9.4).
"""

from typing import Literal

from fastapi import APIRouter

from footnote_agent.api.chat_request import DEFAULT_MODEL
from footnote_shared.contracts.base import WireModel
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import NotFound
from footnote_shared.web.dependencies import Edge, Reader
from footnote_shared.web.resources import EdgeResources

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
    """`footnote` is the engine of a turn that asks for none. A preset can be named as a model too."""
    return ModelList(data=[ModelCard(id=name) for name in await _models(edge, caller)])


@router.get("/{model}", summary="An engine that can answer")
async def get_model(model: str, edge: Edge, caller: Reader) -> ModelCard:
    if model not in await _models(edge, caller):
        raise NotFound
    return ModelCard(id=model)


async def _models(edge: EdgeResources, caller: Principal) -> list[str]:
    engines = ["extractive"]
    if edge.settings.chat_configured:
        flags = await edge.flags.of(caller.workspace_id)
        engines += ["pipeline", "agentic"] if flags["chat_tools"].value else ["pipeline"]
    return [DEFAULT_MODEL, *(f"footnote-{engine}" for engine in engines)]
