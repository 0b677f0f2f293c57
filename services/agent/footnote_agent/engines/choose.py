"""Which engine answers: the one asked for, else `pipeline` with a model, else `extractive` (spec 5.7)."""

from dataclasses import dataclass

from footnote_shared.contracts.turns import TurnSettings
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.settings.models import ModelSettings


@dataclass(frozen=True, slots=True)
class EngineChoice:
    engine: str
    model: str | None = None


def choose_engine(wanted: TurnSettings, models: ModelSettings) -> EngineChoice:
    """Raises InvalidRequest for an engine that cannot run here."""
    engine = wanted.engine or ("pipeline" if models.chat_configured else "extractive")
    if engine == "agentic":
        raise _refuse("The engine `agentic` is not available yet; use `pipeline` or `extractive`.")
    if engine == "pipeline" and not models.chat_configured:
        raise _refuse("The engine `pipeline` needs a chat model, and none is configured.")
    return EngineChoice(engine, models.chat_model if engine == "pipeline" else None)


def _refuse(detail: str) -> InvalidRequest:
    return InvalidRequest(detail, errors=[FieldError("settings.engine", detail)])
