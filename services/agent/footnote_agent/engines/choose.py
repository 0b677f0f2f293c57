"""Which engine answers (spec 5.7): the one asked for, else the best that the configured model allows.

That is `agentic` for a model with tool calls, `pipeline` for any other, `extractive` without one.
"""

from dataclasses import dataclass

from footnote_shared.contracts.turns import Engine, TurnSettings
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.settings.models import ModelSettings


@dataclass(frozen=True, slots=True)
class EngineChoice:
    engine: str
    model: str | None = None


def choose_engine(wanted: TurnSettings, models: ModelSettings) -> EngineChoice:
    """Raises InvalidRequest for an engine that cannot run here."""
    engine = wanted.engine or default_engine(models)
    if engine != "extractive" and not models.chat_configured:
        raise _refuse(f"The engine `{engine}` needs a chat model, and none is configured.")
    if engine == "agentic" and not models.chat_tools:
        raise _refuse("The engine `agentic` needs a chat model with tool calls; use `pipeline`.")
    return EngineChoice(engine, models.chat_model if engine != "extractive" else None)


def default_engine(models: ModelSettings) -> Engine:
    """The engine of a turn that asks for none."""
    if not models.chat_configured:
        return "extractive"
    return "agentic" if models.chat_tools else "pipeline"


def _refuse(detail: str) -> InvalidRequest:
    return InvalidRequest(detail, errors=[FieldError("settings.engine", detail)])
