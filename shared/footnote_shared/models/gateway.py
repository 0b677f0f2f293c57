"""Chat models over any OpenAI-compatible endpoint. The one module that touches pydantic-ai and the OpenAI client."""

import asyncio
import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelHTTPError,
    ModelTimeoutError,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    UserPromptPart,
)
from pydantic_ai.models import StreamedResponse
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings as RequestSettings

from footnote_shared.contracts.events import Usage
from footnote_shared.models.protocol import ChatMessage, ModelFailed
from footnote_shared.settings.sections import ModelSettings
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

TRIES = 3
LONGEST_WAIT_S = 20.0
"""A model that asks for more patience than this counts as away."""

_FIRST_WAIT_S = 0.25


class OpenAICompatibleModel:
    """One model at one endpoint. Retries on 429, 5xx and lost connections as long as nothing has been said."""

    def __init__(self, settings: ModelSettings) -> None:
        self._name = settings.chat_model
        self._patience = settings.chat_timeout_s
        self._client = AsyncOpenAI(
            base_url=settings.chat_base_url,
            api_key=settings.chat_api_key.get_secret_value() or "none",
            max_retries=0,
            timeout=httpx2.Timeout(settings.chat_timeout_s, connect=5.0),
        )
        self._model = OpenAIChatModel(
            self._name,
            provider=OpenAIProvider(openai_client=self._client),
            # A stream that just ends is a broken one, not an answer.
            profile=OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True),
        )

    @property
    def name(self) -> str:
        return self._name

    async def close(self) -> None:
        """Close the connections to the endpoint."""
        await self._client.close()

    async def stream(
        self, system: str, messages: Sequence[ChatMessage], max_tokens: int
    ) -> AsyncGenerator[str | Usage, None]:
        """See ChatModel.stream. Silence of `chat_timeout_s` counts as a failure; thoughts of the model count as life."""
        request = _request(system, messages)
        for attempt in range(TRIES):
            said = False
            try:
                async with AsyncExitStack() as stack:
                    answer = await self._open(stack, request, max_tokens)
                    async for piece in self._pieces(answer):
                        said = said or isinstance(piece, str)
                        yield piece
                    return
            except ModelFailed as failure:
                metrics.MODEL_FAILURES.labels(failure.reason).inc()
                wait = _wait_before(attempt, failure)
                if said or wait is None:
                    raise
                _log.info("model.retry", reason=failure.reason, attempt=attempt + 1, wait_s=round(wait, 2))
            await asyncio.sleep(wait)

    async def _open(
        self, stack: AsyncExitStack, request: list[ModelMessage], max_tokens: int
    ) -> StreamedResponse:
        settings = RequestSettings(max_tokens=max_tokens, temperature=0.0)
        try:
            async with asyncio.timeout(self._patience):
                return await stack.enter_async_context(
                    model_request_stream(self._model, request, model_settings=settings)
                )
        except (AgentRunError, httpx2.HTTPError, TimeoutError) as error:
            raise _failure(error, said=False) from error

    async def _pieces(self, answer: StreamedResponse) -> AsyncGenerator[str | Usage, None]:
        events = aiter(answer)
        said = False
        while True:
            try:
                async with asyncio.timeout(self._patience):
                    event = await anext(events)
            except StopAsyncIteration:
                break
            except (AgentRunError, httpx2.HTTPError, TimeoutError, ValueError) as error:
                raise _failure(error, said=said) from error
            text = _text_of(event)
            if text:
                said = True
                yield text
        if not said:
            raise ModelFailed("empty", "The chat model gave an empty answer.", before_first_token=True)
        used = answer.usage
        yield Usage(input_tokens=used.input_tokens, output_tokens=used.output_tokens)


def _request(system: str, messages: Sequence[ChatMessage]) -> list[ModelMessage]:
    """The conversation in the gateway library's terms; the system prompt stands first."""
    request: list[ModelMessage] = [ModelRequest(parts=[SystemPromptPart(content=system)])]
    for message in messages:
        if message.role == "user":
            request.append(ModelRequest(parts=[UserPromptPart(content=message.text)]))
        else:
            request.append(ModelResponse(parts=[TextPart(content=message.text)]))
    return request


def _text_of(event: ModelResponseStreamEvent) -> str:
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _wait_before(attempt: int, failure: ModelFailed) -> float | None:
    """Seconds before the next try, with jitter; None when another try cannot help."""
    if attempt + 1 >= TRIES or failure.reason not in ("rate_limited", "server_error", "unreachable"):
        return None
    backoff = _FIRST_WAIT_S * 2.0**attempt * random.uniform(0.5, 1.5)  # noqa: S311
    return None if failure.asked_wait_s > LONGEST_WAIT_S else max(failure.asked_wait_s, backoff)


def _failure(error: Exception, *, said: bool) -> ModelFailed:
    """What the library raised, as ours. The endpoint's own words are logged, not shown."""
    _log.warning("model.failed", error=type(error).__name__, status=getattr(error, "status_code", None))
    first = not said
    if isinstance(error, TimeoutError | ModelTimeoutError | httpx2.TimeoutException):
        return ModelFailed("timeout", "The chat model did not answer in time.", before_first_token=first)
    if said and (isinstance(error, httpx2.HTTPError) or not isinstance(error, ModelHTTPError)):
        return ModelFailed("cut_off", "The answer of the chat model was cut off.", before_first_token=False)
    if isinstance(error, ModelHTTPError):
        return _http_failure(error, first)
    if isinstance(error, ModelAPIError | httpx2.HTTPError):
        return ModelFailed("unreachable", "The chat model is not reachable.", before_first_token=first)
    return ModelFailed(
        "nonsense", "The chat model answered in a way that cannot be read.", before_first_token=first
    )


def _http_failure(error: ModelHTTPError, first: bool) -> ModelFailed:
    status, wait = error.status_code, error.retry_after or 0.0
    if status == 429:
        return ModelFailed(
            "rate_limited", "The chat model is overloaded.", before_first_token=first, asked_wait_s=wait
        )
    if status >= 500:
        return ModelFailed(
            "server_error", f"The chat model failed ({status}).", before_first_token=first, asked_wait_s=wait
        )
    return ModelFailed("refused", f"The chat model refused the request ({status}).", before_first_token=first)
