"""The event protocol from a turn to a client (spec 6). The agent writes raw events; the resolver writes what clients read."""

from typing import Any, Literal

from pydantic import Field

from footnote_shared.contracts.base import Message, Moment
from footnote_shared.contracts.evidence import (
    CitationEntry,
    Compliance,
    InjectionPolicy,
    Origin,
    VerificationPolicy,
    VerificationSummary,
)

EventType = Literal[
    "turn.started",
    "progress",
    "tool.started",
    "tool.finished",
    "approval.needed",
    "text.delta",
    "citation",
    "verification",
    "usage",
    "message.completed",
    "turn.failed",
    "turn.cancelled",
]
TERMINAL: frozenset[str] = frozenset({"message.completed", "turn.failed", "turn.cancelled"})


class TurnStarted(Message):
    thread_id: str
    message_id: str
    engine: str
    model: str | None = None
    settings_hash: str
    question: str | None = Field(
        None, description="What the user asked: a sentence that only says it again is no claim."
    )
    injection: InjectionPolicy | None = Field(
        None, description="Of this turn; absent: as the resolver is set."
    )
    verification: VerificationPolicy | None = Field(
        None, description="Of this turn; absent: as the resolver is set."
    )


class Progress(Message):
    stage: str
    label: str
    agent: str = "orchestrator"


class ToolStarted(Message):
    tool: str
    agent: str = "orchestrator"
    arguments: dict[str, Any] = Field(default_factory=dict)


class ToolFinished(Message):
    tool: str
    agent: str = "orchestrator"
    summary: str = ""
    ms: float
    error: str | None = None


class TextDelta(Message):
    text: str


class CitationEvent(Message):
    """Sent before the first delta that holds `[citation:n]`."""

    entry: CitationEntry
    origin: Origin = "model"


class Usage(Message):
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


class RawCompleted(Message):
    """The agent's word that the model has finished; the resolver answers with `message.completed`."""

    message_id: str


class MessageCompleted(Message):
    """The closing event: what is stored. `text` is the finalized text, `citations` in order of appearance."""

    message_id: str
    text: str
    citations: list[CitationEntry]
    compliance: Compliance
    verification: VerificationSummary | None = None


class TurnFailed(Message):
    """A problem document; the text so far is kept, normalised."""

    message_id: str
    problem: dict[str, Any]
    text: str = ""
    citations: list[CitationEntry] = Field(default_factory=list)
    compliance: Compliance | None = None


class TurnCancelled(Message):
    message_id: str
    text: str = ""
    citations: list[CitationEntry] = Field(default_factory=list)
    compliance: Compliance | None = None


class Event(Message):
    """The envelope. `seq` counts from 1 without gaps; `data` is the model of its `type`, as JSON."""

    v: Literal[1] = 1
    turn_id: str
    seq: int
    type: EventType
    at: Moment
    data: dict[str, Any]


class RawEvent(Message):
    """What the agent appends: the same types and data, numbered by the stream itself. `text.delta` holds the model's own words.

    `workspace_id` and `thread_id` go with every event, so that a resolver that takes a stream over needs nothing else.
    """

    turn_id: str
    workspace_id: str
    thread_id: str
    type: EventType
    at: Moment
    data: dict[str, Any]
