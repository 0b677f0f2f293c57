"""One streamed request to a chat model, carried by a task of its own."""

import asyncio
import json
from contextvars import ContextVar
from dataclasses import dataclass, field

import httpx2
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings as RequestSettings

from footnote_shared.contracts.answers import CutReason
from footnote_shared.contracts.events import Usage
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.models.event_bound import bound_events
from footnote_shared.models.failures import AnswerBrokeOff, ModelError, failure_of
from footnote_shared.models.protocol import AnswerCut, ModelFailed, ToolCall
from footnote_shared.models.reply_bound import ReplyBound, believed
from footnote_shared.models.text_calls import TextCalls
from footnote_shared.models.thoughts import ThoughtFilter
from footnote_shared.models.whole_characters import WholeCharacters, whole
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

_ENDS_WITHIN_S = 2.0
Piece = str | ToolCall | AnswerCut | Usage
_SIGN_OF_LIFE = ""
"""In the place of an event without text, such as a thought of the model."""

_JOINED_CHARS = 1_024
"""Text that has come is joined up to this many characters, so that a flood is read in pieces of some size."""


_closing: set[asyncio.Task[None]] = set()
_responses: ContextVar[list[httpx2.Response]] = ContextVar("responses")


async def note_response(response: httpx2.Response) -> None:
    """A hook of the client: the events of a response are bounded, and its call closes it at the end."""
    _responses.get([]).append(response)
    bound_events(response)


@dataclass(frozen=True, slots=True)
class ModelRequestPlan:
    """What one request asks for, in the gateway library's terms."""

    messages: list[ModelMessage]
    max_tokens: int
    parameters: ModelRequestParameters = field(default_factory=ModelRequestParameters)
    goes_on: bool = False
    may_call: bool = True

    @property
    def settings(self) -> RequestSettings:
        """What is asked of the model beside the conversation and the tools."""
        settings = RequestSettings(max_tokens=self.max_tokens, temperature=0.0)
        if not self.may_call:
            settings["tool_choice"] = "none"
        return settings

    @property
    def tools(self) -> list[str]:
        """The names of the tools on offer."""
        return [tool.name for tool in self.parameters.function_tools]


class ModelCall:
    """Begins at once; `next` gives its pieces in turn. Whoever makes one has to `hang_up`, whatever happens.

    What the libraries below make of a cancel, or of a connection that does not close, stays in the call's own
    task. A reader waits for a queue alone, so it can leave at any moment.
    """

    def __init__(self, model: Model, plan: ModelRequestPlan, thoughts: ThoughtFilter) -> None:
        # Its bound is that of the reply.
        self._pieces: asyncio.Queue[Piece | Exception | None] = asyncio.Queue()
        self._behind: list[Piece | Exception | None] = []
        self._bound = ReplyBound(plan.max_tokens)
        self._characters = WholeCharacters()
        self._thoughts = thoughts
        self._tools = plan.tools
        self._written = TextCalls(plan.tools, goes_on=plan.goes_on)
        self._answer: StreamedResponse | None = None
        self._said = False
        self._task = asyncio.create_task(self._read(model, plan), name="model call")

    async def next(self, patience_s: float) -> Piece | None:
        """The next piece of the answer's text, behind the last one the tokens used, then None.

        Text that has come while the reader was busy is one piece: each piece that is handed on costs far more
        than its characters do. Before the tokens stands an AnswerCut where the answer is not complete.

        Raises ModelFailed, also when nothing comes for `patience_s` seconds.
        """
        piece: Piece | Exception | None = _SIGN_OF_LIFE
        while piece == _SIGN_OF_LIFE:
            try:
                async with asyncio.timeout(patience_s):
                    piece = await self._taken()
            except TimeoutError as error:
                raise self._failure(error) from error
        if isinstance(piece, Exception):
            raise self._failure(piece) from piece
        if piece is None and self._task.done() and not self._task.cancelled():
            self._task.result()
        self._said = True
        return piece

    async def _taken(self) -> Piece | Exception | None:
        """What comes first; text with the text that has come behind it."""
        piece = self._behind.pop() if self._behind else await self._pieces.get()
        while isinstance(piece, str) and len(piece) < _JOINED_CHARS and not self._pieces.empty():
            behind = self._pieces.get_nowait()
            if not isinstance(behind, str):
                self._behind.append(behind)
                break
            piece += behind
        return piece

    def _failure(self, error: Exception) -> ModelFailed:
        return failure_of(error, said=self._said, offered_tools=bool(self._tools))

    async def hang_up(self) -> None:
        """End the call. Where its task does not hear that, its connection is closed from outside.

        A close that takes long goes on behind the caller: to cancel it would leave the connection open.
        """
        if self._task.done():
            return
        left = await end_tasks({self._task}, _ENDS_WITHIN_S)
        if left and self._answer is not None:
            closing = asyncio.create_task(self._answer.cancel(), name="close the model's connection")
            _closing.add(closing)
            closing.add_done_callback(_closed)
            await asyncio.wait({closing}, timeout=_ENDS_WITHIN_S)
            left = await end_tasks({self._task}, _ENDS_WITHIN_S)
        metrics.TASKS_LEFT.labels("model_call").inc(len(left))

    async def _read(self, model: Model, plan: ModelRequestPlan) -> None:
        responses: list[httpx2.Response] = []
        _responses.set(responses)
        try:
            async with model_request_stream(
                model,
                plan.messages,
                model_settings=plan.settings,
                model_request_parameters=plan.parameters,
            ) as answer:
                self._answer = answer
                self._pieces.put_nowait(_SIGN_OF_LIFE)
                begins_call = False
                async for event in answer:
                    if self._bound.passed:
                        continue
                    begins_call |= _begins_call(event)
                    self._pieces.put_nowait(self._answer_in(event))
                    if self._bound.passed:
                        _log.warning("model.does_not_end", model=model.model_name, asked=plan.max_tokens)
                        self._end(answer, begins_call=begins_call)
                        self._pieces.put_nowait(None)
                        self._task.cancel()
                if not self._bound.passed:
                    self._end(answer, begins_call=begins_call)
        except ModelError as error:
            self._pieces.put_nowait(error)
        finally:
            self._pieces.put_nowait(None)
            # A library that is left between two reads closes its body when its memory is freed, or never.
            for response in responses:
                await response.aclose()

    def _end(self, answer: StreamedResponse, *, begins_call: bool) -> None:
        """The rest of the text, the calls, why the model stopped too early, and the tokens."""
        reason = "length" if self._bound.passed else answer.finish_reason
        if reason is None and not (answer.provider_details or {}).get("finish_reason"):
            raise AnswerBrokeOff("The stream ended without a finish reason.")
        # After a call of a tool the reason is `tool_call`, or what an endpoint makes of it.
        cut: CutReason | None = None
        if reason is not None and reason != "stop":
            cut = None if reason == "tool_call" else reason
        rest = self._thoughts.feed(self._characters.close())
        rest += self._thoughts.close(complete=cut is None)
        rest = self._bound.fitting(rest)
        if self._bound.passed:
            # What was held back as a thought and is text after all may be too long as well.
            cut = "length"
        self._pieces.put_nowait(self._written.feed(rest) + self._written.close())
        calls = [
            *_calls_in(answer, self._bound),
            *(
                ToolCall(f"written{at}", call.name, call.arguments)
                for at, call in enumerate(self._written.calls)
            ),
        ]
        if self._tools:
            for call in calls:
                self._pieces.put_nowait(call)
        elif begins_call or calls or reason == "tool_call":
            cut = "tool_call"
        if cut is not None:
            self._pieces.put_nowait(AnswerCut(cut))
        used = answer.usage
        self._pieces.put_nowait(
            Usage(
                input_tokens=believed(used.input_tokens),
                output_tokens=believed(used.output_tokens),
                # There is no prompt without tokens: an endpoint that claims none has not counted.
                partial=used.input_tokens <= 0,
            )
        )

    def _answer_in(self, event: ModelResponseStreamEvent) -> str:
        """What the event adds to the answer; a sign of life where that is nothing."""
        text = self._characters.feed(_text_of(event))
        if isinstance(event, PartStartEvent) and isinstance(event.part, ThinkingPart):
            given = self._thoughts.separated()
        else:
            given = self._thoughts.feed(text)
        called, thought = _call_chars_of(event), _thought_chars_of(event)
        if not (text or called or thought):
            # An event without a character counts as one, or there might be no end of them.
            thought = 1
        self._bound.say(called)
        self._bound.think(thought + len(text) - len(given))
        return self._written.feed(self._bound.fitting(given))


def _closed(closing: asyncio.Task[None]) -> None:
    _closing.discard(closing)
    if not closing.cancelled() and (error := closing.exception()) is not None:
        _log.warning("model.not_closed", error=type(error).__name__)


def _begins_call(event: ModelResponseStreamEvent) -> bool:
    return isinstance(event, PartStartEvent) and isinstance(event.part, ToolCallPart)


def _calls_in(answer: StreamedResponse, bound: ReplyBound) -> list[ToolCall]:
    """The calls of a reply that has come to its end. What a model wrote as arguments stays as it is.

    Of a reply that has passed its bound no arguments are longer than the bound is.
    """
    parts = [part for part in answer.get().parts if isinstance(part, ToolCallPart)]
    most = bound.most if bound.passed else None
    return [
        ToolCall(
            part.tool_call_id,
            whole(part.tool_name),
            whole(part.args if isinstance(part.args, str) else json.dumps(part.args or {}))[:most],
        )
        for part in parts
    ]


def _call_chars_of(event: ModelResponseStreamEvent) -> int:
    """The characters that the event adds to a call, as the model wrote them."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, ToolCallPart):
        name, arguments = event.part.tool_name, event.part.args
    elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, ToolCallPartDelta):
        name, arguments = event.delta.tool_name_delta or "", event.delta.args_delta
    else:
        return 0
    written = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    return len(name) + len(written)


def _thought_chars_of(event: ModelResponseStreamEvent) -> int:
    """The characters of a thought that came in a field of its own."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, ThinkingPart):
        return len(event.part.content)
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, ThinkingPartDelta):
        return len(event.delta.content_delta or "")
    return 0


def _text_of(event: ModelResponseStreamEvent) -> str:
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""
