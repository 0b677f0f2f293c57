"""Answers about turns. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime
from typing import Any

from pydantic import Field

from footnote_client.answer_model import AnswerModel
from footnote_client.models.shared import EffectiveFlag, ThreadMessage


class RecordedCitations(AnswerModel):
    """The numbers of an answer: cited in it, cited by the model in vain, and how many others placed.

    `injected` and `withdrawn` count claims. `unshown` are numbers whose passages the turn was not shown.
    """

    given: list[int] = Field(default_factory=list)
    dropped: list[int] = Field(default_factory=list)
    unshown: list[int] = Field(default_factory=list)
    injected: int = 0
    uncited: int = 0
    withdrawn: int = 0


class RecordedContent(AnswerModel):
    """What was asked, answered and cited. It is kept only with `FOOTNOTE_RECORD_CONTENT=true`."""

    question: str
    answer: str
    quotes: dict[str, str]


class RecordedVerification(AnswerModel):
    """How many cited sentences got which verdict, under which policy."""

    status: str
    policy: str
    """One of `off`, `report`, `mark`, `drop`."""
    supported: int = 0
    weak: int = 0
    unsupported: int = 0
    misattributed: int = 0


class Usage(AnswerModel):
    """Tokens of the chat model, and their cost in the operator's currency.

    `cost` is None where nobody has said what these tokens cost, also if that is so for a part of them. It is
    None as well where they are `partial`: there were more, of a reply whose tokens its endpoint has not told,
    such as one that broke off or was stopped.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    partial: bool = False


class UsedTool(AnswerModel):
    """One call of a tool. A name that is no tool's is told as `unknown`, since a model wrote it."""

    tool: str
    ms: float
    failed: bool = False


class AvatarUsage(AnswerModel):
    """What an avatar has asked in these days, by all of its keys. `name` is that of the avatar."""

    turns: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    cost_unknown: int = 0
    partial: int = 0
    avatar_id: str
    name: str


class DayUsage(AnswerModel):
    """What was asked on a day, `YYYY-MM-DD` in UTC."""

    turns: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    cost_unknown: int = 0
    partial: int = 0
    day: str


class PendingApproval(AnswerModel):
    """A call of a tool that waits for a person's word, with what it would do."""

    call_id: str
    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    asked_at: datetime


class Spent(AnswerModel):
    """Turns that have ended, those of them that failed, the tokens of their models, and what they cost.

    The cost is that of turns of which it is known, in the operator's currency. `cost_unknown` counts the
    others that have asked a model: with any of them, the cost is too low. `partial` counts turns whose tokens
    are not all told: with any of them, the tokens are too few.
    """

    turns: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    cost_unknown: int = 0
    partial: int = 0


class TurnResult(AnswerModel):
    """What a turn with `stream: false` answers."""

    turn_id: str
    status: str
    """One of `running`, `completed`, `failed`, `cancelled`."""
    message: ThreadMessage | None
    error: dict[str, Any] | None = Field(default_factory=dict)


class AnswerRecord(AnswerModel):
    """One for each answer, without a word of question, passages and answer unless `content` is kept.

    Tools and searches are those of the run that ended the turn: `runs` above 1 tells that an earlier one was
    lost. Tokens are those of all runs of the engine `agentic`, and of the last run of any other; they are
    `partial` where a run was lost in the middle of a reply, or may have been.

    An engine may add facts under other names.
    """

    turn_id: str
    thread_id: str
    message_id: str
    status: str
    """One of `running`, `completed`, `failed`, `cancelled`."""
    error: str | None = None
    """The code of the problem with which the turn failed."""
    engine: str
    model: str | None = None
    preset: str | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    """Those of the turn with its preset's, and those of its search."""
    settings_hash: str
    flags: dict[str, EffectiveFlag] = Field(default_factory=dict)
    """The flags as they stood when the turn was accepted, and who decided each."""
    intent: str | None = None
    retrieval_attempted: bool = False
    retrieval_used: bool = False
    retrieval_ids: list[str] = Field(default_factory=list)
    cache_hits: list[str] = Field(default_factory=list)
    tools: list[UsedTool] = Field(default_factory=list)
    usage: Usage | None = None
    citations: RecordedCitations = RecordedCitations()
    verification: RecordedVerification | None = None
    degraded: list[str] = Field(default_factory=list)
    cut: str | None = None
    """One of `length`, `tool_call`, `content_filter`, `error`."""
    runs: int = 1
    trace_id: str = ""
    created_at: datetime
    ended_at: datetime
    content: RecordedContent | None = None


class Turn(AnswerModel):
    """A turn as `GET /v1/turns/{id}` shows it. `record` says why the answer is what it is (spec 5.9).

    While there are `approvals`, the turn waits for somebody to answer them.
    """

    turn_id: str
    status: str
    """One of `running`, `completed`, `failed`, `cancelled`."""
    message: ThreadMessage | None
    error: dict[str, Any] | None = Field(default_factory=dict)
    thread_id: str
    engine: str
    model: str | None = None
    created_at: datetime
    ended_at: datetime | None = None
    record: dict[str, Any] = Field(default_factory=dict)
    approvals: list[PendingApproval] = Field(default_factory=list)


class TurnUsage(AnswerModel):
    """The turns of the last days. A day without a turn is left out; avatars are those with the most turns."""

    since: str
    """The first of these days."""
    total: Spent
    days: list[DayUsage]
    avatars: list[AvatarUsage]
