"""What a reader and the record are told of a model that failed. Pure."""

from collections.abc import Sequence

from footnote_agent.engines.protocol import EngineOutput, Note
from footnote_shared.contracts.events import Progress
from footnote_shared.models.protocol import ModelSwitched, Reason

_WORDS: dict[Reason, str] = {
    "unreachable": "is not reachable",
    "timeout": "does not answer in time",
    "rate_limited": "is overloaded",
    "server_error": "has failed",
    "refused": "refuses the request",
    "no_tools": "takes no tools",
    "cut_off": "broke off",
    "empty": "gave no answer",
    "nonsense": "gave an answer that cannot be read",
}


def switched(switch: ModelSwitched, failed: dict[str, Reason]) -> list[EngineOutput]:
    """That another model is asked. The record names it, and all that have `failed` in this turn."""
    failed[switch.failed] = switch.reason
    label = f"{switch.failed} {_WORDS[switch.reason]}: asking {switch.to} instead"
    return [
        Progress(stage="degraded", label=label),
        Note({"model": switch.to, "models_failed": dict(failed)}),
    ]


def degraded_by(missing: Sequence[str], step: EngineOutput) -> EngineOutput:
    """The step. Where it is a note about what is missing, it names the models too."""
    if missing and isinstance(step, Note) and "degraded" in step.facts:
        return Note({**step.facts, "degraded": [*step.facts["degraded"], *missing]})
    return step
