"""What a chat model is to the rest of Footnote."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, Protocol

from footnote_shared.contracts.answers import CutReason
from footnote_shared.contracts.events import Usage
from footnote_shared.kernel.errors import Unavailable

Reason = Literal[
    "unreachable",
    "timeout",
    "rate_limited",
    "server_error",
    "refused",
    "no_tools",
    "cut_off",
    "empty",
    "nonsense",
]
"""Why a model did not answer. `refused`: the operator has to mend key, name or request. `no_tools`: it would
answer, but takes no tools.
"""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a conversation as the model sees it."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool. `arguments` is the JSON that it wrote, which may turn out to be none.

    `id` joins the call to its result within one conversation.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """One reply of the model: what it said before it called tools, and the calls."""

    text: str
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class ToolReturn:
    """What a tool answered to a call, as the model is shown it."""

    call: ToolCall
    text: str


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it. `parameters` is the JSON Schema of its arguments.

    `added`: it is a stranger's, whose words no endpoint may like. That says nothing about the endpoint.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    added: bool = False


Spoken = ChatMessage | ToolCalls | ToolReturn
"""What a conversation with tools consists of. Every call is followed by its return before anything else."""


@dataclass(frozen=True, slots=True)
class AnswerCut:
    """The model has stopped before the end of its answer."""

    reason: CutReason


@dataclass(frozen=True, slots=True)
class ModelSwitched:
    """Another model than the one that was asked first is asked now. It comes before text."""

    failed: str
    reason: Reason
    to: str


class ModelFailed(Unavailable):
    """The model did not answer, or not to the end. `before_first_token`: nothing of the answer has come.

    `model` is the name of the one that was asked last. `over_tools`: the request was refused as it stood,
    with tools on offer, so that the same one without some of them may be taken.
    """

    code = "model_failed"
    title = "The chat model failed"

    def __init__(
        self,
        reason: Reason,
        detail: str,
        *,
        before_first_token: bool,
        asked_wait_s: float = 0.0,
        model: str = "",
        over_tools: bool = False,
    ) -> None:
        super().__init__("model", detail)
        self.reason = reason
        self.before_first_token = before_first_token
        self.asked_wait_s = asked_wait_s
        self.model = model
        self.over_tools = over_tools


Avoided = Mapping[str, Reason]
"""Names of models that have failed in this turn, and why."""

NONE_AVOIDED: Avoided = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked: how it shall answer, the conversation, and the most tokens that it may say.

    A reply that `goes_on` behind one that broke off may begin with white space.
    """

    system: str
    messages: Sequence[Spoken]
    max_tokens: int
    goes_on: bool = False


class ChatModel(Protocol):
    """Streams one answer. It may be a chain of models: then the first one that answers is heard."""

    @property
    def name(self) -> str:
        """The name of the model that is asked first."""
        ...

    def stream(
        self, prompt: Prompt, *, avoid: Avoided = NONE_AVOIDED
    ) -> AsyncGenerator[str | AnswerCut | Usage | ModelSwitched, None]:
        """Pieces of text as they come, then the tokens used (at least zeros). Raises ModelFailed.

        The tokens of a model that had nothing to say stand before the failure, or the model asked next.

        Before the tokens stands an AnswerCut where the model did not come to its end. No piece is empty, the
        first one holds more than white space unless the reply goes on, and none holds a thought of the model.
        Models to `avoid` are asked only if there is no other.
        """
        ...

    def has_other(self, avoid: Avoided) -> bool:
        """Whether a model is left that is not to be avoided."""
        ...


class ToolModel(ChatModel, Protocol):
    """A chat model that can call tools."""

    @property
    def takes_tools(self) -> bool:
        """False where its endpoint has lately refused a request because of its tools."""
        ...

    def converse(
        self,
        prompt: Prompt,
        tools: Sequence[ToolSpec],
        *,
        may_call: bool = True,
        avoid: Avoided = NONE_AVOIDED,
    ) -> AsyncGenerator[str | ToolCall | AnswerCut | Usage | ModelSwitched, None]:
        """Like `stream`; behind the text stand the calls that the model wishes for, in its order.

        A reply has text, or calls, or both. A call that the model wrote as text is a call, and no text.
        Without `may_call` the model is asked to answer in words; one that calls all the same is passed on as
        it is.
        """
        ...
