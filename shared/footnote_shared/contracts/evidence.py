"""Citable units, citation entries, and registering with rendering in one round trip (spec 2.1 to 2.3, 9.5)."""

from typing import Any, Literal

from pydantic import Field

from footnote_shared.contracts.base import Message, Moment, Request
from footnote_shared.contracts.place import Place

CitableType = Literal["kb_chunk", "kb_document", "connector_item", "web_result", "chat_turn", "anon_chunk"]
Origin = Literal["model", "injected"]
InjectionPolicy = Literal["off", "missing_only", "always"]
VerificationPolicy = Literal["off", "report", "mark", "drop"]
Verdict = Literal["supported", "weak", "unsupported", "misattributed"]
View = Literal["excerpt", "full"]
Wrap = Literal["retrieved_context", "web_results"]
PillStatus = Literal["current", "changed", "moved", "deleted", "forbidden", "unknown"]

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
    support: Verdict | None = Field(
        None,
        description="In a message verified under the policy `mark`: the worst verdict of the sentences that cite it.",
    )


class CitationEntries(Message):
    items: list[CitationEntry]
    next_cursor: str | None = None


class _NumberedChunk(Message):
    chunk_id: str
    ordinal: int


class Neighbour(_NumberedChunk):
    """A chunk beside the cited one, for context."""

    text: str


class CurrentPlace(Place, _NumberedChunk):
    """Where the cited passage, or what stands in its place, is today. Characters count in `GET /v1/documents/{id}/text`."""


class Pill(Message):
    """What a reader gets who opens `[n]` (spec 2.7, docs/pills.md). With status `forbidden` nothing of the source is in it."""

    n: int
    status: PillStatus = Field(
        description="`current`: as it was shown. `moved`: the same text at another place of the document. `changed`: the"
        " place holds another text now. `deleted`: it is no longer there. `forbidden`: the reader may no longer see it."
        " `unknown`: the service that knows does not answer; what is here is what was shown."
    )
    checked: bool | None = Field(
        None,
        description="Whether the source itself was asked just now. Web pages and connector items are not: their `current`"
        " says no more than that this is what was shown.",
    )
    degraded: list[str] | None = Field(
        None, description="Services that did not answer, with status `unknown`."
    )
    source_type: CitableType | None = None
    locator: dict[str, str] | None = None
    display: Display | None = None
    quote: str | None = None
    span: tuple[int, int] | None = Field(
        None, description="Characters of the source's text at the time when the passage was shown."
    )
    first_turn_id: str | None = None
    current_text: str | None = Field(
        None, description="With `changed`: the text that stands there now. The one that was shown is `quote`."
    )
    place: CurrentPlace | None = Field(None, description="Where it stands today.")
    context: list[Neighbour] | None = None
    document_url: str | None = Field(
        None,
        description="The source itself, with the page and the characters to highlight as a fragment (RFC 5147), of today.",
    )
    text_url: str | None = Field(
        None,
        description="The text that was read from the document, in which those characters count whatever its format is.",
    )


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
    """A claim with its place in the text that was sent; each given claim begins a text of its own."""

    text: str
    span: tuple[int, int]
    verdict: Literal["supported", "weak", "unsupported"]
    support: list[Support]
    citations: list[str] = Field(description="The passages that could be cited for it, best first.")
    cited: list[str] = Field(
        default_factory=list,
        description="The passages that the text itself cites there, by marks such as [1].",
    )
    misattributed: bool = Field(
        False, description="The text cites passages there, none of which supports it, and another one does."
    )


class GroundResult(Message):
    """`score` is the mean over the claims, 1 for supported, 0.5 for weak; `degraded` names optional parts that failed."""

    score: float
    claims: list[GroundedClaim]
    degraded: list[str] = Field(default_factory=list)


class AnswerSettings(Request):
    """What the resolver does with an answer, where a turn or a preset says it; absent: as the resolver is set."""

    injection: InjectionPolicy | None = Field(
        None, description="Cite for a model that did not: off, missing_only, always."
    )
    verification: VerificationPolicy | None = Field(
        None,
        description="What happens to citations that their passages do not support: report, mark, drop; off checks none.",
    )


class Compliance(Message):
    """How the model kept to the contract in one answer: claims it cited, claims we cited for it, claims without a source.

    The counts are those of the text beside them: a claim whose citations verification took away is `uncited`, and
    counted in `withdrawn` as well.
    """

    model_cited: int = 0
    injected: int = 0
    uncited: int = 0
    withdrawn: int = 0
    report: NormaliserReport = NormaliserReport()


class VerifiedQuote(Message):
    text: str
    verdict: Literal["verbatim", "stitched", "fabricated"]


class VerifiedSentence(Message):
    """Data of a `verification` event: a cited sentence, where it stands in the text as it was streamed, and the verdict.

    `better` is the number of the passage that supports a misattributed one.
    """

    sentence: str
    span: tuple[int, int]
    citations: list[int]
    verdict: Verdict
    score: float
    better: int | None = None
    quotes: list[VerifiedQuote] | None = None


class MarkedSentence(Message):
    """A sentence that a client shall mark, by its place in the message's text; `better` is the number to offer instead."""

    span: tuple[int, int]
    citations: list[int]
    verdict: Verdict
    better: int | None = None


class VerificationSummary(Message):
    """What verification found in an answer, and what the policy made of it.

    `skipped`: it failed or took too long, and the text is as it was written whatever the policy. The counts are of
    sentences. `marked` comes with the policy `mark`, `withdrawn` (numbers, one for each token taken away) with `drop`.
    """

    status: Literal["done", "skipped"]
    policy: VerificationPolicy = "report"
    supported: int = 0
    weak: int = 0
    unsupported: int = 0
    misattributed: int = 0
    marked: list[MarkedSentence] | None = None
    withdrawn: list[int] | None = None
    degraded: list[str] = Field(default_factory=list)


JsonObject = dict[str, Any]
