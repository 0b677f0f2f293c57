"""The engines that can answer, for clients that ask before they talk."""

from fastapi import APIRouter

from footnote_shared.contracts.models import ModelCard, ModelList
from footnote_shared.web.dependencies import PlatformDep, Reader

router = APIRouter(prefix="/v1/models", tags=["models"])


@router.get("", summary="The engines that can answer")
async def list_models(platform: PlatformDep, caller: Reader) -> ModelList:
    engines = ["extractive", *(["pipeline"] if platform.settings.chat_configured else [])]
    return ModelList(data=[ModelCard(id=f"footnote-{engine}") for engine in engines])
