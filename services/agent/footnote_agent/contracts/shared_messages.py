"""An answer that its avatar has shared with the workspace."""

from pydantic import Field

from footnote_shared.contracts.answers import CutReason, VerificationSummary
from footnote_shared.contracts.base import Moment, WireModel
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.turns import TurnStatus


class Sharing(WireModel):
    """Body of `POST /v1/threads/{id}/messages/{id}:share`. With `shared` false it is taken back."""

    shared: bool = True


class SharedAnswer(WireModel):
    """An answer without what leads to its conversation, such as thread, turn and other numbers."""

    id: str
    text: str
    citations: list[CitationEntry] = Field(default_factory=list)
    verification: VerificationSummary | None = None
    cut: CutReason | None = None
    status: TurnStatus = "completed"
    shared_at: Moment | None = None
    created_at: Moment


class SharedMessage(WireModel):
    """A shared answer as its reader may see it.

    `mine`: it stands in a conversation of the reader's own, and `thread_id` says in which.
    """

    question: str
    message: SharedAnswer
    mine: bool
    thread_id: str | None = None
