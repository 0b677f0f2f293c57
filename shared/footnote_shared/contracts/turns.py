"""Threads, turns and messages of the agent (spec 5, 9.4)."""

from typing import Any, Literal

from pydantic import Field

from footnote_shared.contracts.answers import AnswerSettings, Compliance, CutReason, VerificationSummary
from footnote_shared.contracts.base import Moment, Request, WireModel
from footnote_shared.contracts.citations import CitationEntry

Engine = Literal["extractive", "pipeline", "agentic"]
TurnStatus = Literal["running", "completed", "failed", "cancelled"]


class NewThread(Request):
    """Body of `POST /v1/threads`."""

    title: str | None = Field(None, max_length=500)


class Thread(WireModel):
    """A conversation as its avatar sees it."""

    id: str
    title: str
    created_at: Moment
    updated_at: Moment


class Mention(Request):
    """A mention is scope and not content: nothing of it is fetched before the model asks (spec 5.3)."""

    type: Literal["document", "folder", "connector", "chat"]
    id: str


class TurnSettings(AnswerSettings):
    """The settings of a turn, apart from those of its search."""

    engine: Engine | None = Field(
        None,
        description="Absent: agentic where a chat model with tool calls is configured, pipeline with any "
        "other chat model, else extractive.",
    )
    tools: list[str] | None = Field(
        None, max_length=100, description="Names of the tools that the model may call. Absent: all."
    )
    approval: list[str] | None = Field(
        None,
        max_length=100,
        description="Names of tools whose calls are asked about first, beside those of the workspace.",
    )
    answer_sentences: int = Field(5, ge=1, le=20, description="Most sentences in an extractive answer.")


class NewTurn(Request):
    """Body of `POST /v1/threads/{id}/turns`."""

    text: str = Field(min_length=1)
    mentions: list[Mention] = Field(default_factory=list, max_length=50)
    preset: str | None = None
    settings: dict[str, Any] | None = Field(
        None, description="Fields of TurnSettings and SearchSettings; an unknown one is refused."
    )
    guidance: str | None = Field(
        None,
        description="What the program that asks wishes of the answer, such as its tone. It stands below the "
        "rules of Footnote and is no evidence. Its first 4,000 characters are told to the model.",
    )
    stream: bool = True
    when_busy: Literal["wait", "refuse"] = Field(
        "wait",
        description="What happens while another turn of the thread runs: this one waits for its end, or is "
        "refused with 409.",
    )
    when_asked: Literal["wait", "refuse"] = Field(
        "wait",
        description="What happens where a tool asks first: the turn waits for the answer, or the call is "
        "refused because nobody is there to be asked.",
    )


class ThreadMessage(WireModel):
    """A message as it is stored.

    The text of an answer holds `[citation:n]` tokens; `citations` are their entries in order of appearance.
    With `cut` the model did not come to the end of its answer. `retrieval_used` says whether the answer was
    written from passages; absent where nobody knows. Since `shared_at` the whole workspace may read it.
    """

    id: str
    thread_id: str
    turn_id: str
    role: Literal["user", "assistant"]
    text: str
    citations: list[CitationEntry] = Field(default_factory=list)
    compliance: Compliance | None = None
    verification: VerificationSummary | None = None
    cut: CutReason | None = None
    retrieval_used: bool | None = None
    status: TurnStatus = "completed"
    shared_at: Moment | None = None
    created_at: Moment


class TurnResult(WireModel):
    """What a turn with `stream: false` answers."""

    turn_id: str
    status: TurnStatus
    message: ThreadMessage | None
    error: dict[str, Any] | None = None


class PendingApproval(WireModel):
    """A call of a tool that waits for a person's word, with what it would do."""

    call_id: str
    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    asked_at: Moment


class ApprovalAnswer(Request):
    """Body of `POST /v1/turns/{id}:approve`."""

    call_id: str = Field(max_length=100)
    approve: bool


class Turn(TurnResult):
    """A turn as `GET /v1/turns/{id}` shows it. `record` says why the answer is what it is (spec 5.9).

    While there are `approvals`, the turn waits for somebody to answer them.
    """

    thread_id: str
    engine: str
    model: str | None = None
    created_at: Moment
    ended_at: Moment | None = None
    record: dict[str, Any] = Field(default_factory=dict)
    approvals: list[PendingApproval] = Field(default_factory=list)
