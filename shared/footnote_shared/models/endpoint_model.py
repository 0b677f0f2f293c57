"""Chat models at any OpenAI-compatible endpoint: what is asked, and when it is asked again."""

import asyncio
import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import httpx2
from openai import AsyncOpenAI
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
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings as RequestSettings
from pydantic_ai.tools import ToolDefinition

from footnote_shared.contracts.events import Usage
from footnote_shared.models.model_call import ModelCall, ModelRequestPlan, Piece
from footnote_shared.models.protocol import (
    AnswerCut,
    ChatMessage,
    ModelFailed,
    Spoken,
    ToolCall,
    ToolCalls,
    ToolReturn,
    ToolSpec,
)
from footnote_shared.models.thoughts import ThoughtFilter, profile_of
from footnote_shared.settings.models import ModelSettings
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

TRIES = 3
LONGEST_WAIT_S = 20.0
"""A model that asks for more patience than this counts as away."""

_FIRST_WAIT_S = 0.25
_NO_TAG = "\ue000 no tag \ue000"


class OpenAICompatibleModel:
    """One model at one endpoint. Until its first word it is asked again after 429, 5xx or a lost connection.

    `http`: the client to use, instead of one of its own.
    """

    def __init__(self, settings: ModelSettings, http: httpx2.AsyncClient | None = None) -> None:
        self._name = settings.chat_model
        self._patience_s = settings.chat_timeout_s
        self._client = AsyncOpenAI(
            base_url=settings.chat_base_url,
            api_key=settings.chat_api_key.get_secret_value() or "none",
            max_retries=0,
            timeout=httpx2.Timeout(settings.chat_timeout_s, connect=5.0),
            http_client=http,
        )
        self._model = OpenAIChatModel(
            self._name,
            provider=OpenAIProvider(openai_client=self._client),
            profile=OpenAIModelProfile(
                # A stream that just ends is a broken one, not an answer.
                openai_chat_streaming_requires_finish_reason=True,
                # The library sees a tag only where it is a token of its own. `ThoughtFilter` sees them all.
                thinking_tags=(_NO_TAG, _NO_TAG),
            ),
        )
        self._thoughts = profile_of(self._name, settings.chat_thoughts)
        self._hanging_up: set[asyncio.Task[None]] = set()

    @property
    def name(self) -> str:
        return self._name

    async def close(self) -> None:
        """Close the connections to the endpoint."""
        if self._hanging_up:
            await asyncio.wait(self._hanging_up)
        await self._client.close()

    async def stream(
        self, system: str, messages: Sequence[ChatMessage], max_tokens: int
    ) -> AsyncGenerator[str | AnswerCut | Usage, None]:
        """See ChatModel.stream. Silence of `chat_timeout_s` is a failure; thoughts of the model break it."""
        settings = RequestSettings(max_tokens=max_tokens, temperature=0.0)
        async with aclosing(self._pieces(ModelRequestPlan(_request(system, messages), settings))) as pieces:
            async for piece in pieces:
                # Without tools on offer there are no calls among the pieces.
                if not isinstance(piece, ToolCall):
                    yield piece

    async def converse(
        self,
        system: str,
        messages: Sequence[Spoken],
        max_tokens: int,
        tools: Sequence[ToolSpec],
        *,
        may_call: bool = True,
        goes_on: bool = False,
    ) -> AsyncGenerator[str | ToolCall | AnswerCut | Usage, None]:
        """See ToolModel.converse. It fails and is asked again like `stream`."""
        settings = RequestSettings(max_tokens=max_tokens, temperature=0.0)
        if not may_call:
            settings["tool_choice"] = "none"
        offered = ModelRequestParameters(
            function_tools=[
                ToolDefinition(
                    name=tool.name, description=tool.description, parameters_json_schema=tool.parameters
                )
                for tool in tools
            ]
        )
        plan = ModelRequestPlan(_request(system, messages), settings, offered, goes_on)
        async with aclosing(self._pieces(plan)) as pieces:
            async for piece in pieces:
                yield piece

    async def _pieces(self, plan: ModelRequestPlan) -> AsyncGenerator[Piece, None]:
        """The pieces of one answer, asked for again as long as nothing of it has come."""
        for attempt in range(TRIES):
            said = False
            call = ModelCall(self._model, plan, ThoughtFilter(self._thoughts, goes_on=plan.goes_on))
            try:
                while (piece := await call.next(self._patience_s)) is not None:
                    if not isinstance(piece, str | ToolCall) and not said:
                        raise ModelFailed(
                            "empty", "The chat model gave an empty answer.", before_first_token=True
                        )
                    said = True
                    yield piece
                return
            except ModelFailed as failure:
                metrics.MODEL_FAILURES.labels(failure.reason).inc()
                wait = _wait_before(attempt, failure)
                if said or wait is None:
                    raise
                _log.info("model.retry", reason=failure.reason, attempt=attempt + 1, wait_s=round(wait, 2))
            finally:
                await self._hang_up(call)
            await asyncio.sleep(wait)

    async def _hang_up(self, call: ModelCall) -> None:
        """End the call. A reader that is cancelled meanwhile leaves at once; the call is ended behind it."""
        task = asyncio.create_task(call.hang_up(), name="hang up")
        self._hanging_up.add(task)
        task.add_done_callback(self._hanging_up.discard)
        await asyncio.shield(task)


def _request(system: str, messages: Sequence[Spoken]) -> list[ModelMessage]:
    """The conversation in the gateway library's terms; the system prompt stands first."""
    request: list[ModelMessage] = [ModelRequest(parts=[SystemPromptPart(content=system)])]
    for message in messages:
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


def _wait_before(attempt: int, failure: ModelFailed) -> float | None:
    """Seconds before the next try, with jitter; None when another try cannot help."""
    if attempt + 1 >= TRIES or failure.reason not in ("rate_limited", "server_error", "unreachable"):
        return None
    backoff = _FIRST_WAIT_S * 2.0**attempt * random.uniform(0.5, 1.5)  # noqa: S311
    return None if failure.asked_wait_s > LONGEST_WAIT_S else max(failure.asked_wait_s, backoff)
