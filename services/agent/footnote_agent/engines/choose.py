"""Which engine answers (spec 5.7): the one asked for, else the best that model and workspace allow.

That is `agentic` where the model may call tools, `pipeline` where it may not, `extractive` without a model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from footnote_shared.contracts.flags import EffectiveFlag, FlagName
from footnote_shared.contracts.turns import Engine, TurnSettings
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.settings.models import ModelSettings


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """What answers a turn, and the flags that were decided for it."""

    engine: str
    model: str | None = None
    flags: Mapping[FlagName, EffectiveFlag] = field(default_factory=dict)


def choose_engine(wanted: TurnSettings, models: ModelSettings, *, tools: bool) -> EngineChoice:
    """Raises InvalidRequest for an engine that cannot run here. `tools`: the flag `chat_tools`."""
    engine = wanted.engine or default_engine(models, tools=tools)
    if engine != "extractive" and not models.chat_configured:
        raise _refuse(f"The engine `{engine}` needs a chat model, and none is configured.")
    if engine == "agentic" and not tools:
        raise _refuse(
            "The engine `agentic` calls tools, and the flag `chat_tools` is off here; use `pipeline`."
        )
    return EngineChoice(engine, models.chat_model if engine != "extractive" else None)


def default_engine(models: ModelSettings, *, tools: bool) -> Engine:
    """The engine of a turn that asks for none."""
    if not models.chat_configured:
        return "extractive"
    return "agentic" if tools else "pipeline"


def _refuse(detail: str) -> InvalidRequest:
    return InvalidRequest(detail, errors=[FieldError("settings.engine", detail)])
