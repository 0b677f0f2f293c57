"""What answers here, in OpenAI's shape, for clients that ask before they talk."""

from typing import Literal

from fastapi import APIRouter

from footnote_shared.contracts.base import Message
from footnote_shared.web.dependencies import PlatformDep, Reader

router = APIRouter(prefix="/v1/models", tags=["models"])


class ModelCard(Message):
    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "footnote"


class ModelList(Message):
    object: Literal["list"] = "list"
    data: list[ModelCard]


@router.get("", summary="The engines that can answer")
async def list_models(platform: PlatformDep, caller: Reader) -> ModelList:
    engines = ["extractive", *(["pipeline"] if platform.settings.chat_configured else [])]
    return ModelList(data=[ModelCard(id=f"footnote-{engine}") for engine in engines])
