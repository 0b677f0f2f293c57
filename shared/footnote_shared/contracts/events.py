"""The event protocol from a turn to its readers (spec 6).

The agent writes raw events. The resolver reads them and writes the events that clients get.
"""

from typing import Any, Literal

from pydantic import Field

from footnote_shared.contracts.answers import (
    Compliance,
    CutReason,
    InjectionPolicy,
    Origin,
    VerificationPolicy,
    VerificationSummary,
)
from footnote_shared.contracts.base import Moment, WireModel
from footnote_shared.contracts.citations import CitationEntry

EventType = Literal[
    "turn.started",
    "progress",
    "tool.started",
    "tool.finished",
    "approval.needed",
    "text.delta",
    "text.replaced",
    "citation",
    "verification",
    "usage",
    "message.completed",
    "turn.failed",
    "turn.cancelled",
]
TERMINAL: frozenset[str] = frozenset({"message.completed", "turn.failed", "turn.cancelled"})


class TurnStarted(WireModel):
    """The first event of a turn."""

    thread_id: str
    message_id: str
    engine: str
    model: str | None = None
    settings_hash: str
    question: str | None = Field(
        None, description="What the person asked. A sentence that only repeats it is no claim."
    )
    injection: InjectionPolicy | None = Field(
        None, description="The policy of this turn. Absent: as the resolver is configured."
    )
    verification: VerificationPolicy | None = Field(
        None, description="The policy of this turn. Absent: as the resolver is configured."
    )


class Progress(WireModel):
    """What the turn is doing now; `label` is for people."""

    stage: str
    label: str
    agent: str = "orchestrator"


class ToolStarted(WireModel):
    """A tool was called; the arguments are shortened."""

    tool: str
    agent: str = "orchestrator"
    arguments: dict[str, Any] = Field(default_factory=dict)


class ToolFinished(WireModel):
    """A tool has answered, after `ms` milliseconds, or failed with `error`."""

    tool: str
    agent: str = "orchestrator"
    summary: str = ""
    ms: float
    error: str | None = None


class ApprovalNeeded(WireModel):
    """A call of a tool waits for a person's word: `POST /v1/turns/{turn_id}:approve` with its `call_id`.

    It may come twice, where another process has taken the turn over.
    """

    call_id: str
    tool: str
    label: str
    agent: str = "orchestrator"
    arguments: dict[str, Any] = Field(default_factory=dict)


class TextDelta(WireModel):
    """A piece of the answer."""

    text: str


class TextReplaced(WireModel):
    """The whole text once more, for a reader whose deltas may have gaps. Its terminal event comes next.

    It is made for this one reader and stands in no stream. So it has no id to resume from.
    """

    text: str
    citations: list[CitationEntry] = Field(default_factory=list)


class CitationEvent(WireModel):
    """Sent before the first delta that holds `[citation:n]`."""

    entry: CitationEntry
    origin: Origin = "model"


COST_DIGITS = 9
"""Digits behind the point of a cost: one token of a cheap model costs some ten-millionths."""


class Usage(WireModel):
    """Tokens of the chat model, and their cost in the operator's currency.

    `cost` is None where nobody has said what these tokens cost, also if that is so for a part of them. It is
    None as well where they are `partial`: there were more, of a reply whose tokens its endpoint has not told,
    such as one that broke off or was stopped.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    partial: bool = False

    def plus(self, other: "Usage") -> "Usage":
        """Both together."""
        costs = [one.cost for one in (self, other) if one.input_tokens or one.output_tokens]
        known = [cost for cost in costs if cost is not None]
        partial = self.partial or other.partial
        told = bool(known) and len(known) == len(costs) and not partial
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=round(sum(known), COST_DIGITS) if told else None,
            partial=partial,
        )


class RawCompleted(WireModel):
    """The agent's word that the model has finished; the resolver answers with `message.completed`."""

    message_id: str
    cut: CutReason | None = None


class MessageCompleted(WireModel):
    """The terminal event of a turn that succeeded: the final text, with citations in order of appearance.

    With `cut` the model did not come to the end of its answer.
    """

    message_id: str
    text: str
    citations: list[CitationEntry]
    compliance: Compliance
    verification: VerificationSummary | None = None
    cut: CutReason | None = None


class TurnFailed(WireModel):
    """The terminal event of a turn that failed: a problem document, and the text so far, normalised."""

    message_id: str
    problem: dict[str, Any]
    text: str = ""
    citations: list[CitationEntry] = Field(default_factory=list)
    compliance: Compliance | None = None


class TurnCancelled(WireModel):
    """The terminal event of a turn that was stopped, with the text so far, normalised."""

    message_id: str
    text: str = ""
    citations: list[CitationEntry] = Field(default_factory=list)
    compliance: Compliance | None = None


class Event(WireModel):
    """The envelope. `seq` counts from 1 without gaps; `data` is the model of its `type`, as JSON."""

    v: Literal[1] = 1
    turn_id: str
    seq: int
    type: EventType
    at: Moment
    data: dict[str, Any]


def whole_text_before(end: Event, seq: int) -> Event | None:
    """What tells a reader whose deltas may have gaps to take the closing text, as event number `seq`.

    None where the turn's end has no text to give.
    """
    if not end.data.get("text"):
        return None
    whole = TextReplaced(text=end.data["text"], citations=end.data.get("citations", []))
    data = whole.model_dump(mode="json", exclude_none=True)
    return end.model_copy(update={"seq": seq, "type": "text.replaced", "data": data})


class RawEvent(WireModel):
    """What the agent appends: the same types and data, with the model's own words in `text.delta`.

    The stream itself numbers raw events. Each carries `workspace_id` and `thread_id`, so that a resolver that
    takes a stream over needs nothing else.
    """

    turn_id: str
    workspace_id: str
    thread_id: str
    type: EventType
    at: Moment
    data: dict[str, Any]
