"""The answer record: why an answer is what it is (spec 5.9)."""

from typing import Any

from pydantic import ConfigDict, Field

from footnote_shared.contracts.answers import CutReason, VerificationPolicy
from footnote_shared.contracts.base import Moment, WireModel
from footnote_shared.contracts.events import Usage
from footnote_shared.contracts.flags import Flags
from footnote_shared.contracts.turns import TurnStatus


class UsedTool(WireModel):
    """One call of a tool. A name that is no tool's is told as `unknown`, since a model wrote it."""

    tool: str
    ms: float
    failed: bool = False


class RecordedCitations(WireModel):
    """The numbers of an answer: cited in it, cited by the model in vain, and how many others placed.

    `injected` and `withdrawn` count claims. `unshown` are numbers whose passages the turn was not shown.
    """

    given: list[int] = Field(default_factory=list)
    dropped: list[int] = Field(default_factory=list)
    unshown: list[int] = Field(default_factory=list)
    injected: int = 0
    uncited: int = 0
    withdrawn: int = 0


class RecordedVerification(WireModel):
    """How many cited sentences got which verdict, under which policy."""

    status: str
    policy: VerificationPolicy
    supported: int = 0
    weak: int = 0
    unsupported: int = 0
    misattributed: int = 0


class RecordedContent(WireModel):
    """What was asked, answered and cited. It is kept only with `FOOTNOTE_RECORD_CONTENT=true`."""

    question: str
    answer: str
    quotes: dict[int, str]


class AnswerRecord(WireModel):
    """One for each answer, without a word of question, passages and answer unless `content` is kept.

    Tools and searches are those of the run that ended the turn: `runs` above 1 tells that an earlier one was
    lost. Tokens are those of all runs of the engine `agentic`, and of the last run of any other; they are
    `partial` where a run was lost in the middle of a reply, or may have been.

    An engine may add facts under other names.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    turn_id: str
    thread_id: str
    message_id: str
    status: TurnStatus
    error: str | None = Field(None, description="The code of the problem with which the turn failed.")
    engine: str
    model: str | None = None
    preset: str | None = None
    settings: dict[str, Any] = Field(
        default_factory=dict,
        description="Those of the turn with its preset's, and those of its search.",
    )
    settings_hash: str
    flags: Flags = Field(
        default_factory=dict,
        description="The flags as they stood when the turn was accepted, and who decided each.",
    )
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
    cut: CutReason | None = None
    runs: int = 1
    trace_id: str = ""
    created_at: Moment
    ended_at: Moment
    content: RecordedContent | None = None
