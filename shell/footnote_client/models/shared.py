"""Answers that have several subjects. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime

from pydantic import Field

from footnote_client.answer_model import AnswerModel


class Chunk(AnswerModel):
    """A chunk as `GET /v1/documents/{id}/chunks` lists it.

    `tombstone` marks a chunk that the live version no longer has.
    """

    id: str
    ordinal: int
    text: str
    kind: str
    heading_path: list[str]
    page_start: int | None = None
    page_end: int | None = None
    char_start: int
    char_end: int
    version: int
    language: str | None = None
    """ISO 639 code of the text's language; null for code, and where it could not be told."""
    code_language: str | None = None
    """Programming language of a chunk of code, such as `python`, where it is known."""
    tombstone: bool = False


class Display(AnswerModel):
    """What a client can show of a unit without asking anybody."""

    title: str = ""
    source: str = ""
    url: str | None = None
    date: datetime | None = None
    heading_path: list[str] | None = Field(default_factory=list)
    page_start: int | None = None
    page_end: int | None = None
    kind: str | None = None


class NormaliserReport(AnswerModel):
    """How the normaliser fared with one text.

    `emitted`: tokens written. `resolved`: markers understood. `dropped`: numbers that stand for nothing.
    `repaired`: markers mended. `unshown`: numbers cited in a turn that was not shown their passages.
    """

    emitted: int = 0
    resolved: int = 0
    dropped: list[int] = Field(default_factory=list)
    repaired: int = 0
    unshown: list[int] = Field(default_factory=list)


class CurrentPlace(AnswerModel):
    """Where the cited passage stands today, or what has replaced it.

    Characters count in the text of `GET /v1/documents/{id}/text`.
    """

    chunk_id: str
    ordinal: int
    heading_path: list[str]
    page_start: int | None = None
    page_end: int | None = None
    char_start: int
    char_end: int
    version: int


class EffectiveFlag(AnswerModel):
    """The value that a flag has, and who decided it."""

    value: bool | int | float | str
    source: str
    """One of `request`, `preset`, `workspace`, `environment`, `.env`, `default`."""


class ErasedCounts(AnswerModel):
    """What a deletion has counted gone, store by store.

    `rows` counts by table of SQL. `vectors` are the points of all versions of lanes, `originals` files as
    they came in, and `blobs` what was made from them. `cached` are keys of Redis: streams of turns, results
    of searches. `keys` are keys of encryption that were destroyed.
    """

    rows: dict[str, int] = Field(default_factory=dict)
    vectors: int = 0
    blobs: int = 0
    originals: int = 0
    cached: int = 0
    keys: int = 0


class MarkedSentence(AnswerModel):
    """A sentence for clients to mark, by its place in the message's text.

    `better` is the number to offer instead.
    """

    span: tuple[int, int]
    citations: list[int]
    verdict: str
    """One of `supported`, `weak`, `unsupported`, `misattributed`."""
    better: int | None = None


class NearbyChunk(AnswerModel):
    """A chunk beside the cited one, for context."""

    chunk_id: str
    ordinal: int
    text: str


class VerifiedQuote(AnswerModel):
    """A quotation in a cited sentence: word for word, pieced together from several places, or not found."""

    text: str
    verdict: str
    """One of `verbatim`, `stitched`, `fabricated`."""


class CitationEntry(AnswerModel):
    """What `[n]` stands for. A client can draw a pill from it alone.

    An entry with a `status` holds nothing of its source but its type: locator, display and quote are empty.
    """

    n: int
    source_type: str
    """One of `kb_chunk`, `kb_document`, `connector_item`, `web_result`, `chat_turn`, `anon_chunk`."""
    locator: dict[str, str]
    display: Display
    quote: str
    span: tuple[int, int] | None = None
    content_hash: str
    source_version: int | None = None
    first_turn_id: str | None = None
    shown_to: list[str] = Field(default_factory=list)
    origin: str | None = None
    """One of `model`, `injected`."""
    status: str | None = None
    """Set where the reader is not shown the source at this moment. `forbidden`: it was withdrawn. `unknown`:
    whether it may be shown could not be asked; read again. One of `forbidden`, `unknown`.
    """
    support: str | None = None
    """In a message verified under the policy `mark`: the worst verdict of the sentences that cite it. One of
    `supported`, `weak`, `unsupported`, `misattributed`.
    """
    excerpts: list[tuple[int, int]] | None = Field(default_factory=list)
    """In a message: the parts of `quote` that are nearest to the sentences that cite it, as ranges of its
    characters.
    """


class Compliance(AnswerModel):
    """How one answer kept the citation contract: claims that the model cited, that we cited, that nobody did.

    The counts are those of the text beside them: a claim that lost its citations in verification is
    `uncited`, and counts as `withdrawn` too.
    """

    model_cited: int = 0
    injected: int = 0
    uncited: int = 0
    withdrawn: int = 0
    report: NormaliserReport = NormaliserReport()


class Pill(AnswerModel):
    """What a reader gets who opens `[n]` (spec 2.7, docs/pills.md).

    A pill that is `forbidden`, or of a document and `unknown`, holds nothing of its source.
    """

    n: int
    status: str
    """`current`: as it was shown. `moved`: the same text at another place of the document. `changed`: the
    place holds another text now. `deleted`: it is no longer there. `forbidden`: the reader may no longer
    see it. `unknown`: the service that knows does not answer. One of `current`, `changed`, `moved`,
    `deleted`, `forbidden`, `unknown`.
    """
    checked: bool | None = None
    """Whether the source itself was asked just now. Web pages and connector items are not: their `current`
    says no more than that this is what was shown.
    """
    degraded: list[str] | None = Field(default_factory=list)
    """Services that did not answer, with status `unknown`."""
    source_type: str | None = None
    """One of `kb_chunk`, `kb_document`, `connector_item`, `web_result`, `chat_turn`, `anon_chunk`."""
    locator: dict[str, str] | None = Field(default_factory=dict)
    display: Display | None = None
    quote: str | None = None
    span: tuple[int, int] | None = None
    """Characters of the source's text at the time when the passage was shown."""
    first_turn_id: str | None = None
    current_text: str | None = None
    """With `changed`: the text that stands there now. The one that was shown is `quote`."""
    place: CurrentPlace | None = None
    """Where it stands today."""
    context: list[NearbyChunk] | None = Field(default_factory=list)
    document_url: str | None = None
    """The source itself. A fragment names the page and the characters to highlight, as they are today (RFC
    5147).
    """
    text_url: str | None = None
    """The text that was read from the document. Those characters count in it, whatever the document's format
    is.
    """


class VerifiedSentence(AnswerModel):
    """Data of a `verification` event: a cited sentence and its verdict.

    `span` is its place in the text as it was streamed. `better` is the number of the passage that supports a
    misattributed sentence.
    """

    sentence: str
    span: tuple[int, int]
    citations: list[int]
    verdict: str
    """One of `supported`, `weak`, `unsupported`, `misattributed`."""
    score: float
    better: int | None = None
    quotes: list[VerifiedQuote] | None = Field(default_factory=list)


class VerificationSummary(AnswerModel):
    """What verification found in an answer, and what the policy made of it. It counts sentences.

    With `skipped`, verification failed or took too long, and the text stays as it was written, whatever the
    policy. `marked` comes with the policy `mark`. `withdrawn` comes with `drop`: one number for each token
    taken away. `doubtful` comes with every policy: the sentences that are not `supported`, as their events
    told them.
    """

    status: str
    """One of `done`, `skipped`."""
    policy: str = "report"
    """One of `off`, `report`, `mark`, `drop`."""
    supported: int = 0
    weak: int = 0
    unsupported: int = 0
    misattributed: int = 0
    marked: list[MarkedSentence] | None = Field(default_factory=list)
    withdrawn: list[int] | None = Field(default_factory=list)
    doubtful: list[VerifiedSentence] = Field(default_factory=list)
    degraded: list[str] = Field(default_factory=list)


class ThreadMessage(AnswerModel):
    """A message as it is stored.

    The text of an answer holds `[citation:n]` tokens; `citations` are their entries in order of appearance.
    With `cut` the model did not come to the end of its answer. `retrieval_used` says whether the answer was
    written from passages; absent where nobody knows. Since `shared_at` the whole workspace may read it.
    """

    id: str
    thread_id: str
    turn_id: str
    role: str
    """One of `user`, `assistant`."""
    text: str
    citations: list[CitationEntry] = Field(default_factory=list)
    compliance: Compliance | None = None
    verification: VerificationSummary | None = None
    cut: str | None = None
    """One of `length`, `tool_call`, `content_filter`, `error`."""
    retrieval_used: bool | None = None
    status: str = "completed"
    """One of `running`, `completed`, `failed`, `cancelled`."""
    shared_at: datetime | None = None
    created_at: datetime
