"""Citable units, citation entries, and registering with rendering in one round trip (spec 2.1 to 2.3, 9.5)."""

from typing import Any, Literal

from pydantic import Field

from footnote_shared.contracts.base import Message, Moment, Request

CitableType = Literal["kb_chunk", "kb_document", "connector_item", "web_result", "chat_turn", "anon_chunk"]
Origin = Literal["model", "injected"]
View = Literal["excerpt", "full"]
Wrap = Literal["retrieved_context", "web_results"]
PillStatus = Literal["current", "changed", "moved", "deleted", "forbidden"]

LOCATOR_FIELDS: dict[CitableType, tuple[str, ...]] = {
    "kb_chunk": ("document_id", "chunk_id"),
    "kb_document": ("document_id",),
    "connector_item": ("connector_id", "external_id"),
    "web_result": ("url",),
    "chat_turn": ("thread_id", "message_id"),
    "anon_chunk": ("session_id", "document_id", "chunk_id"),
}


class Display(Message):
    """What a pill shows without asking anybody."""

    title: str = ""
    source: str = ""
    url: str | None = None
    date: Moment | None = None
    heading_path: list[str] | None = None
    page_start: int | None = None
    page_end: int | None = None
    kind: str | None = None


class EvidenceItem(Request):
    """One unit that is about to be shown to a model. `text` is the passage as shown, `span` its place in the source's text."""

    source_type: CitableType
    locator: dict[str, str]
    display: Display = Display()
    text: str
    span: tuple[int, int] | None = None
    source_version: int | None = None


class RegisterRequest(Request):
    items: list[EvidenceItem] = Field(max_length=500)
    view: View = "excerpt"
    wrap: Wrap | None = None
    turn_id: str | None = None
    agent: str = Field(
        "orchestrator", max_length=200, description="Path of the agent that is shown the evidence."
    )


class RegisterResult(Message):
    """`numbers[i]` stands for `items[i]`; `rendered` is the text for the model."""

    numbers: list[int]
    rendered: str


class CitationEntry(Message):
    """What `[n]` stands for; a pill can be drawn from it alone."""

    n: int
    source_type: CitableType
    locator: dict[str, str]
    display: Display
    quote: str
    span: tuple[int, int] | None = None
    content_hash: str
    source_version: int | None = None
    first_turn_id: str | None = None
    shown_to: list[str] = Field(default_factory=list)
    origin: Origin | None = None


class CitationEntries(Message):
    items: list[CitationEntry]
    next_cursor: str | None = None


class Neighbour(Message):
    """A chunk beside the cited one, for context."""

    chunk_id: str
    ordinal: int
    text: str


class Pill(Message):
    """What a reader gets who opens `[n]`. With status `forbidden` nothing of the source is in it."""

    n: int
    status: PillStatus
    source_type: CitableType | None = None
    locator: dict[str, str] | None = None
    display: Display | None = None
    quote: str | None = None
    span: tuple[int, int] | None = None
    first_turn_id: str | None = None
    current_text: str | None = None
    context: list[Neighbour] | None = None
    document_url: str | None = None


class NewConversation(Request):
    title: str | None = Field(None, max_length=500)
    id: str | None = Field(
        None, description="Set by the agent: the thread's id, so that both names mean one conversation."
    )


class ForkConversation(Request):
    title: str | None = Field(None, max_length=500)


class Conversation(Message):
    id: str


class NormalizeRequest(Request):
    """Either deltas, run through the live normaliser, or a whole text, run through `finalize`."""

    deltas: list[str] | None = None
    text: str | None = None


class NormaliserReport(Message):
    """Per message: tokens written, markers understood, numbers dropped, markers mended, cited though never shown."""

    emitted: int = 0
    resolved: int = 0
    dropped: list[int] = Field(default_factory=list)
    repaired: int = 0
    unshown: list[int] = Field(default_factory=list)


class NormalizeResult(Message):
    text: str
    deltas: list[str] | None = None
    citations: list[int]
    report: NormaliserReport


class GroundPassage(Request):
    id: str
    text: str


class GroundRequest(Request):
    text: str | None = None
    claims: list[str] | None = None
    passages: list[GroundPassage] = Field(max_length=500)


class Support(Message):
    id: str
    score: float


class GroundedClaim(Message):
    text: str
    span: tuple[int, int]
    verdict: Literal["supported", "weak", "unsupported"]
    support: list[Support]
    citations: list[str]


class GroundResult(Message):
    score: float
    claims: list[GroundedClaim]


class Compliance(Message):
    """How the model kept to the contract in one answer: claims it cited, claims we cited for it, claims without a source."""

    model_cited: int = 0
    injected: int = 0
    uncited: int = 0
    report: NormaliserReport = NormaliserReport()


JsonObject = dict[str, Any]
