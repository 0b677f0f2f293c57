"""The answer of a turn, put together from its events (docs/streams.md). No I/O."""

from typing import Any

from pydantic import Field, ValidationError

from footnote_client.answer_model import AnswerModel
from footnote_client.errors import TurnEnded, WrongAnswer
from footnote_client.models import CitationEntry, Compliance, VerificationSummary
from footnote_client.sse import TurnEvent

COMPLETED, FAILED, CANCELLED = "message.completed", "turn.failed", "turn.cancelled"
LAST = frozenset({COMPLETED, FAILED, CANCELLED})


class WholeAnswer(AnswerModel):
    """An answer. `[citation:n]` in its text is the entry with that `n`, in order of appearance.

    With `cut` the model did not come to the end of its answer.
    """

    message_id: str
    text: str
    citations: list[CitationEntry] = Field(default_factory=list)
    compliance: Compliance | None = None
    verification: VerificationSummary | None = None
    cut: str | None = None

    def cited(self, n: int) -> CitationEntry:
        """What the number stands for. Raises KeyError if this answer does not cite it."""
        for entry in self.citations:
            if entry.n == n:
                return entry
        raise KeyError(n)


class AnswerSoFar:
    """What a reader has of an answer at a moment. The closing event's text takes the place of all before."""

    def __init__(self) -> None:
        self.text = ""
        self.entries: dict[int, CitationEntry] = {}
        self.last_id = ""
        self.ended: TurnEvent | None = None

    def take(self, event: TurnEvent) -> None:
        """Go on by one event. Raises WrongAnswer for one whose data this client does not know."""
        self.last_id = event.id or self.last_id
        try:
            if event.type == "text.delta":
                self.text += str(event.data["text"])
            elif event.type == "text.replaced" or event.type in LAST:
                self.text = str(event.data.get("text", ""))
                self.entries = {entry.n: entry for entry in _entries(event.data)}
            elif event.type == "citation":
                entry = CitationEntry.model_validate(event.data["entry"])
                self.entries[entry.n] = entry
        except (KeyError, TypeError, ValidationError) as error:
            raise WrongAnswer(f"The event {event.type} has a shape of its own.") from error
        if event.type in LAST:
            self.ended = event

    def whole(self) -> WholeAnswer:
        """The answer of a turn that has ended. Raises TurnEnded where it ended without one."""
        if self.ended is None:
            raise WrongAnswer("The turn has not ended.")
        if self.ended.type != COMPLETED:
            status = self.ended.type.removeprefix("turn.")
            problem = self.ended.data.get("problem")
            raise TurnEnded(status, self.text, problem if isinstance(problem, dict) else {})
        try:
            return WholeAnswer.model_validate(self.ended.data)
        except ValidationError as error:
            raise WrongAnswer("The answer has a shape of its own.") from error


def _entries(data: dict[str, Any]) -> list[CitationEntry]:
    return [CitationEntry.model_validate(entry) for entry in data.get("citations") or []]
