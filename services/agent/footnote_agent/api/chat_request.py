"""The body of a chat completion, and what of it a turn can use.

Clients send many fields that mean nothing here. They are ignored and named in the answer, never refused: a
client that works with OpenAI has to work unchanged.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from footnote_agent.context.asked_turn import Exchange
from footnote_shared.contracts.base import Request
from footnote_shared.contracts.turns import Mention
from footnote_shared.kernel.errors import FieldError, InvalidRequest

_ENGINES = frozenset({"agentic", "pipeline", "extractive"})
_PREFIX = "footnote-"
_NAMED_AT_MOST = 20
_GUIDING = ("system", "developer")
DEFAULT_MODEL = "footnote"
"""The model that stands for the engine of a turn that asks for none."""


class _Given(BaseModel):
    """A value of a foreign client. What we do not know in it is let pass."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ContentPart(_Given):
    """A part of a message. Only parts of the type `text` can be read."""

    type: str = Field(max_length=100)
    text: str | None = None


class SaidMessage(_Given):
    """A message of the chat so far."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None


class StreamOptions(_Given):
    """`include_usage`: a last chunk tells the tokens."""

    include_usage: bool | None = False


class FootnoteOptions(Request):
    """What only Footnote knows. `sources`: a list of them ends the text, or annotations alone name them."""

    sources: Literal["text", "annotations"] = "text"
    preset: str | None = None
    settings: dict[str, Any] | None = Field(None, description="As in `POST /v1/threads/{id}/turns`.")
    mentions: list[Mention] = Field(default_factory=list, max_length=50)


class ChatCompletionRequest(BaseModel):
    """Body of `POST /v1/chat/completions`, as OpenAI has it, with `footnote` added."""

    model_config = ConfigDict(frozen=True, extra="allow")

    model: str = Field(min_length=1, max_length=200, description="An engine, a preset, or `footnote`.")
    messages: list[SaidMessage] = Field(min_length=1, max_length=2000)
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = None
    footnote: FootnoteOptions = FootnoteOptions()


@dataclass(frozen=True, slots=True)
class AskedChat:
    """What a turn is made of. `ignored` names what of the request has no effect on any engine.

    `guidance` is what the system messages say, `guided_by` the fields that they stand in.
    """

    question: str
    earlier: tuple[Exchange, ...]
    preset: str | None
    preset_is_model: bool
    settings: dict[str, Any] | None
    ignored: tuple[str, ...]
    guidance: str = ""
    guided_by: tuple[str, ...] = ()

    def ignored_by(self, engine: str) -> list[str]:
        """What has no effect on an answer of this engine. Only models can follow guidance."""
        return [*(self.guided_by if engine == "extractive" else ()), *self.ignored]


def asked_chat(body: ChatCompletionRequest) -> AskedChat:
    """Raises InvalidRequest for a chat that does not end in a question, and for what cannot be read."""
    if body.n not in (None, 1):
        raise _refused("n", "There is one answer to a question.")
    texts = [(message.role, _text_of(message, at)) for at, message in enumerate(body.messages)]
    if texts[-1][0] != "user":
        raise _refused("messages", "The last message has to be the question of the user.")
    said = tuple(Exchange(role, text) for role, text in texts[:-1] if role in ("user", "assistant"))
    preset, settings = body.footnote.preset, dict(body.footnote.settings or {})
    engine = body.model.removeprefix(_PREFIX)
    by_name = body.model != DEFAULT_MODEL and engine not in _ENGINES
    if engine in _ENGINES:
        settings.setdefault("engine", engine)
    elif by_name and preset is None:
        preset = body.model
    return AskedChat(
        question=texts[-1][1],
        earlier=said,
        preset=preset,
        preset_is_model=by_name and body.footnote.preset is None,
        settings=settings or None,
        ignored=tuple(_ignored(body)),
        guidance="\n\n".join(text for role, text in texts if role in _GUIDING and text.strip()),
        guided_by=tuple(f"messages.{one}" for one in _GUIDING if any(role == one for role, _ in texts)),
    )


def _text_of(message: SaidMessage, at: int) -> str:
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    # What the client shows of another's answer may hold parts of any kind. A question must be read whole.
    foreign = sorted({part.type for part in message.content if part.type != "text"})
    if foreign and message.role == "user":
        raise _refused(f"messages.{at}.content", "Only parts of the type `text` can be read.")
    return "\n".join(part.text or "" for part in message.content if part.type == "text")


def _ignored(body: ChatCompletionRequest) -> Iterator[str]:
    roles = {message.role for message in body.messages}
    yield from (f"messages.{role}" for role in ("tool", "function") if role in roles)
    given = [name for name, value in (body.model_extra or {}).items() if value not in (None, [], {})]
    yield from (name[:50] for name in sorted(given)[:_NAMED_AT_MOST] if name.isidentifier())


def _refused(field: str, detail: str) -> InvalidRequest:
    return InvalidRequest(detail, errors=[FieldError(field, detail)])
