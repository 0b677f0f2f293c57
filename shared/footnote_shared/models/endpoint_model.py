"""A chat model at one endpoint of any provider: what is asked, and when it is asked again."""

import asyncio
import random
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

import httpx2
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from footnote_shared.contracts.events import COST_DIGITS, Usage
from footnote_shared.models.endpoint_look import EndpointLook
from footnote_shared.models.model_call import ModelCall, ModelRequestPlan, Piece, note_response
from footnote_shared.models.protocol import (
    AnswerCut,
    ChatMessage,
    ModelFailed,
    Prompt,
    ToolCall,
    ToolCalls,
    ToolReturn,
    ToolSpec,
)
from footnote_shared.models.providers import http_for, provider_model
from footnote_shared.models.thoughts import ThoughtFilter, profile_of
from footnote_shared.settings.models import ModelEndpoint, Provider
from footnote_shared.telemetry import metrics, tracing
from footnote_shared.telemetry.logs import logger
from footnote_shared.telemetry.spans import Span

_log = logger(__name__)

_FIRST_WAIT_S = 0.25

_PROVIDERS: Mapping[Provider, str] = {"openai": "openai", "anthropic": "anthropic", "google": "gcp.gemini"}
"""What OpenTelemetry calls them. An endpoint that speaks OpenAI's protocol is `openai`, whoever runs it."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a model is asked, and for how long it may make us wait between two times."""

    tries: int
    longest_wait_s: float


ALONE = Patience(tries=3, longest_wait_s=20.0)
"""For a model that has no other behind it. One that asks for a longer wait counts as away."""

WITH_ANOTHER = Patience(tries=2, longest_wait_s=2.0)


class EndpointModel:
    """One model at one endpoint. Until its first word it is asked again after 429, 5xx or a lost connection.

    `timeout_s`: silence that counts as a failure. `name`: what people are told it is called. `http`: the
    client to use, instead of one of its own.
    """

    def __init__(
        self,
        endpoint: ModelEndpoint,
        timeout_s: float,
        *,
        name: str = "",
        patience: Patience = ALONE,
        http: httpx2.AsyncClient | None = None,
    ) -> None:
        self._name = name or endpoint.model
        self._endpoint = endpoint
        self._timeout_s = timeout_s
        self._patience = patience
        self._http = http or http_for(timeout_s)
        self._http.event_hooks["response"].append(note_response)
        self._model = provider_model(endpoint, self._http)
        self._thoughts = profile_of(endpoint.model, endpoint.thoughts)
        self._look = EndpointLook(endpoint.base_url)
        self._hanging_up: set[asyncio.Task[None]] = set()

    @property
    def name(self) -> str:
        return self._name

    async def close(self) -> None:
        """Close the connections to the endpoint."""
        if self._hanging_up:
            await asyncio.wait(self._hanging_up)
        await self._http.aclose()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | AnswerCut | Usage, None]:
        """See ChatModel.stream. Thoughts of the model break its silence."""
        plan = ModelRequestPlan(_request(prompt), prompt.max_tokens, goes_on=prompt.goes_on)
        async with aclosing(self._pieces(plan)) as pieces:
            async for piece in pieces:
                # Without tools on offer there are no calls among the pieces.
                if not isinstance(piece, ToolCall):
                    yield piece

    async def converse(
        self, prompt: Prompt, tools: Sequence[ToolSpec], *, may_call: bool = True
    ) -> AsyncGenerator[str | ToolCall | AnswerCut | Usage, None]:
        """See ToolModel.converse. It fails and is asked again like `stream`."""
        offered = ModelRequestParameters(
            function_tools=[
                ToolDefinition(
                    name=tool.name, description=tool.description, parameters_json_schema=tool.parameters
                )
                for tool in tools
            ]
        )
        plan = ModelRequestPlan(
            _request(prompt), prompt.max_tokens, offered, goes_on=prompt.goes_on, may_call=may_call
        )
        async with aclosing(self._pieces(plan)) as pieces:
            async for piece in pieces:
                yield piece

    async def _pieces(self, plan: ModelRequestPlan) -> AsyncGenerator[Piece, None]:
        """The pieces of one answer, asked for again as long as nothing of it has come."""
        if await self._look.sees_nothing():
            metrics.MODEL_FAILURES.labels("unreachable").inc()
            raise ModelFailed(
                "unreachable", "The chat model is off.", before_first_token=True, model=self._name
            )
        for attempt in range(self._patience.tries):
            said = False
            call = ModelCall(self._model, plan, ThoughtFilter(self._thoughts, goes_on=plan.goes_on))
            span = self._span(plan, attempt)
            try:
                while (piece := await call.next(self._timeout_s)) is not None:
                    _note(span, piece)
                    said = said or isinstance(piece, str | ToolCall)
                    if said or isinstance(piece, Usage):
                        yield self._priced(piece) if isinstance(piece, Usage) else piece
                if not said:
                    raise ModelFailed(
                        "empty", "The chat model gave an empty answer.", before_first_token=True
                    )
                return
            except ModelFailed as failure:
                failure.model = self._name
                span.fail(failure.reason)
                metrics.MODEL_FAILURES.labels(failure.reason).inc()
                wait = _wait_before(attempt, failure, self._patience)
                if said or wait is None:
                    raise
                _log.info("model.retry", reason=failure.reason, attempt=attempt + 1, wait_s=round(wait, 2))
            finally:
                span.end()
                await self._hang_up(call)
            await asyncio.sleep(wait)

    def _priced(self, used: Usage) -> Usage:
        """The tokens with their cost, where the operator has said what they cost."""
        prices = self._endpoint.prices
        if prices is None or used.partial:
            return used
        cost = round(prices.of(used.input_tokens, used.output_tokens), COST_DIGITS)
        metrics.MODEL_COST.labels(self._endpoint.model).inc(cost)
        return used.model_copy(update={"cost": cost})

    def _span(self, plan: ModelRequestPlan, attempt: int) -> Span:
        """The span of one call, with the names of OpenTelemetry's conventions for generative models."""
        return tracing.begin_span(
            f"chat {self._endpoint.model}",
            "client",
            gen_ai__operation__name="chat",
            gen_ai__provider__name=_PROVIDERS[self._endpoint.provider],
            gen_ai__request__model=self._endpoint.model,
            gen_ai__request__max_tokens=plan.max_tokens,
            footnote__attempt=attempt + 1,
        )

    async def _hang_up(self, call: ModelCall) -> None:
        """End the call. A reader that is cancelled meanwhile leaves at once; the call is ended behind it."""
        task = asyncio.create_task(call.hang_up(), name="hang up")
        self._hanging_up.add(task)
        task.add_done_callback(self._hanging_up.discard)
        await asyncio.shield(task)


def _note(span: Span, piece: Piece) -> None:
    match piece:
        case Usage():
            span.set(
                gen_ai__usage__input_tokens=piece.input_tokens,
                gen_ai__usage__output_tokens=piece.output_tokens,
            )
        case AnswerCut():
            span.set(footnote__cut=piece.reason)


def _request(prompt: Prompt) -> list[ModelMessage]:
    """The conversation in the gateway library's terms; the system prompt stands first."""
    request: list[ModelMessage] = [ModelRequest(parts=[SystemPromptPart(content=prompt.system)])]
    for message in prompt.messages:
        match message:
            case ToolReturn():
                request.append(
                    ModelRequest(
                        parts=[
                            ToolReturnPart(
                                tool_name=message.call.name,
                                content=message.text,
                                tool_call_id=message.call.id,
                            )
                        ]
                    )
                )
            case ToolCalls():
                said = [TextPart(content=message.text)] if message.text else []
                calls = [
                    ToolCallPart(tool_name=call.name, args=call.arguments, tool_call_id=call.id)
                    for call in message.calls
                ]
                request.append(ModelResponse(parts=[*said, *calls]))
            case ChatMessage(role="user"):
                request.append(ModelRequest(parts=[UserPromptPart(content=message.text)]))
            case ChatMessage():
                request.append(ModelResponse(parts=[TextPart(content=message.text)]))
    return request


def _wait_before(attempt: int, failure: ModelFailed, patience: Patience) -> float | None:
    """Seconds before the next try, with jitter; None when another try cannot help."""
    if attempt + 1 >= patience.tries or failure.reason not in ("rate_limited", "server_error", "unreachable"):
        return None
    backoff = _FIRST_WAIT_S * 2.0**attempt * random.uniform(0.5, 1.5)  # noqa: S311
    return None if failure.asked_wait_s > patience.longest_wait_s else max(failure.asked_wait_s, backoff)
