"""A chain of models: the next one is asked where the one before gave no word (spec 5.6)."""

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Protocol, TypeVar

from footnote_shared.contracts.events import Usage
from footnote_shared.models.endpoint_model import WITH_ANOTHER, EndpointModel
from footnote_shared.models.protocol import (
    NONE_AVOIDED,
    AnswerCut,
    Avoided,
    ModelFailed,
    ModelSwitched,
    Prompt,
    Reason,
    ToolCall,
    ToolSpec,
)
from footnote_shared.settings.models import ModelEndpoint, ModelSettings, Role
from footnote_shared.telemetry import metrics

Piece = TypeVar("Piece")

ANOTHER_HELPS: frozenset[Reason] = frozenset(
    {"unreachable", "timeout", "rate_limited", "server_error", "empty", "nonsense"}
)
"""Failures that are the model's own. A refused request is the operator's to mend: nobody finds a wrong key or
name that another model covers up, and that model may cost more than anybody meant to pay.
"""

_TOOLS_FORGIVEN_S = 600.0
"""Seconds after which a model that took no tools is offered some again: its endpoint may have changed."""


class ChainLink(Protocol):
    """One model of a chain. It fails with ModelFailed, in which it names itself."""

    @property
    def name(self) -> str: ...

    def stream(self, prompt: Prompt) -> AsyncGenerator[str | AnswerCut | Usage, None]: ...

    def converse(
        self, prompt: Prompt, tools: Sequence[ToolSpec], *, may_call: bool = True
    ) -> AsyncGenerator[str | ToolCall | AnswerCut | Usage, None]: ...

    async def close(self) -> None: ...


class ModelChain:
    """Models in the order in which they are asked, the first one by default. Needs one at least."""

    def __init__(self, models: Sequence[ChainLink], clock: Callable[[], float] = time.monotonic) -> None:
        self._models = tuple(models)
        self._clock = clock
        self._no_tools_until = float("-inf")

    @property
    def name(self) -> str:
        return self._models[0].name

    @property
    def takes_tools(self) -> bool:
        return self._clock() >= self._no_tools_until

    def has_other(self, avoid: Avoided) -> bool:
        return any(model.name not in avoid for model in self._models)

    async def close(self) -> None:
        """Close the connections to all endpoints."""
        for model in self._models:
            await model.close()

    async def stream(
        self, prompt: Prompt, *, avoid: Avoided = NONE_AVOIDED
    ) -> AsyncGenerator[str | AnswerCut | Usage | ModelSwitched, None]:
        """See ChatModel.stream."""

        def ask(model: ChainLink) -> AsyncGenerator[str | AnswerCut | Usage, None]:
            return model.stream(prompt)

        async with aclosing(self._first_to_answer(ask, avoid)) as pieces:
            async for piece in pieces:
                yield piece

    async def converse(
        self,
        prompt: Prompt,
        tools: Sequence[ToolSpec],
        *,
        may_call: bool = True,
        avoid: Avoided = NONE_AVOIDED,
    ) -> AsyncGenerator[str | ToolCall | AnswerCut | Usage | ModelSwitched, None]:
        """See ToolModel.converse."""

        def ask(model: ChainLink) -> AsyncGenerator[str | ToolCall | AnswerCut | Usage, None]:
            return model.converse(prompt, tools, may_call=may_call)

        try:
            async with aclosing(self._first_to_answer(ask, avoid)) as pieces:
                async for piece in pieces:
                    yield piece
        except ModelFailed as failure:
            if failure.reason == "no_tools" and not any(tool.added for tool in tools):
                self._no_tools_until = self._clock() + _TOOLS_FORGIVEN_S
            raise

    async def _first_to_answer(
        self, ask: Callable[[ChainLink], AsyncGenerator[Piece, None]], avoid: Avoided
    ) -> AsyncGenerator[Piece | ModelSwitched, None]:
        """The pieces of the first model that says a word. Those to avoid are asked if there are no others."""
        order = [model for model in self._models if model.name not in avoid] or list(self._models)
        failed: ModelSwitched | None = None
        if order[0].name != self.name:
            failed = ModelSwitched(self.name, avoid.get(self.name, "cut_off"), order[0].name)
        for at, model in enumerate(order):
            if failed is not None:
                metrics.MODEL_SWITCHES.labels(failed.reason).inc()
                yield failed
            try:
                async with aclosing(ask(model)) as pieces:
                    async for piece in pieces:
                        yield piece
                return
            except ModelFailed as failure:
                helps = failure.before_first_token and failure.reason in ANOTHER_HELPS
                if not helps or model is order[-1]:
                    raise
                failed = ModelSwitched(model.name, failure.reason, order[at + 1].name)


def model_for(role: Role, settings: ModelSettings) -> ModelChain | None:
    """The models of a role; None where it has none."""
    endpoints = settings.endpoints(role)
    if not endpoints:
        return None
    timeout_s = settings.fast_timeout_s if role == "fast" else settings.chat_timeout_s
    names = told_apart(endpoints)
    *before, last = zip(endpoints, names, strict=True)
    return ModelChain(
        [
            *(EndpointModel(one, timeout_s, name=name, patience=WITH_ANOTHER) for one, name in before),
            EndpointModel(last[0], timeout_s, name=last[1]),
        ]
    )


def told_apart(endpoints: Sequence[ModelEndpoint]) -> list[str]:
    """A name for each model: its own, with its address where another has the same."""
    models = [endpoint.model for endpoint in endpoints]
    names = [
        endpoint.model if models.count(endpoint.model) == 1 else f"{endpoint.model} at {endpoint.where}"
        for endpoint in endpoints
    ]
    return [name if names.count(name) == 1 else f"{name} ({at})" for at, name in enumerate(names, 1)]
