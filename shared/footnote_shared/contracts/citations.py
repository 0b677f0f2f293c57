"""What a number `[n]` stands for, and the pill that a reader opens (spec 2.2, 2.7, 9.5)."""

from typing import Literal

from pydantic import Field

from footnote_shared.contracts.answers import Origin, Verdict
from footnote_shared.contracts.base import WireModel
from footnote_shared.contracts.evidence import CitableType, Display
from footnote_shared.contracts.place import Place

MOST_NUMBERS = 1000
HIGHEST_NUMBER = 2**31 - 1
"""How many entries can be asked for by their numbers at once."""

PillStatus = Literal["current", "changed", "moved", "deleted", "forbidden", "unknown"]


Hidden = Literal["forbidden", "unknown"]
"""Why a reader is not shown a source now: it was withdrawn, or the service that knows does not answer."""


class CitationEntry(WireModel):
    """What `[n]` stands for. A client can draw a pill from it alone.

    An entry with a `status` holds nothing of its source but its type: locator, display and quote are empty.
    """

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
    status: Hidden | None = Field(
        None,
        description="Set where the reader is not shown the source at this moment. `forbidden`: it was "
        "withdrawn. `unknown`: whether it may be shown could not be asked; read again.",
    )
    support: Verdict | None = Field(
        None,
        description="In a message verified under the policy `mark`: the worst verdict of the sentences that "
        "cite it.",
    )
    excerpts: list[tuple[int, int]] | None = Field(
        None,
        description="In a message: the parts of `quote` that are nearest to the sentences that cite it, as "
        "ranges of its characters.",
    )

    def without_source(self, status: Hidden) -> "CitationEntry":
        """The entry for a reader who is not shown the source."""
        return CitationEntry(
            n=self.n,
            source_type=self.source_type,
            locator={},
            display=Display(),
            quote="",
            content_hash="",
            status=status,
        )


class CitationEntries(WireModel):
    """Entries of a conversation, by number."""

    items: list[CitationEntry]
    next_cursor: str | None = None


class _NumberedChunk(WireModel):
    chunk_id: str
    ordinal: int


class NearbyChunk(_NumberedChunk):
    """A chunk beside the cited one, for context."""

    text: str


class CurrentPlace(Place, _NumberedChunk):
    """Where the cited passage stands today, or what has replaced it.

    Characters count in the text of `GET /v1/documents/{id}/text`.
    """


class Pill(WireModel):
    """What a reader gets who opens `[n]` (spec 2.7, docs/pills.md).

    A pill that is `forbidden`, or of a document and `unknown`, holds nothing of its source.
    """

    n: int
    status: PillStatus = Field(
        description="`current`: as it was shown. `moved`: the same text at another place of the document. "
        "`changed`: the place holds another text now. `deleted`: it is no longer there. `forbidden`: the "
        "reader may no longer see it. `unknown`: the service that knows does not answer."
    )
    checked: bool | None = Field(
        None,
        description="Whether the source itself was asked just now. Web pages and connector items are not: "
        "their `current` says no more than that this is what was shown.",
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
    context: list[NearbyChunk] | None = None
    document_url: str | None = Field(
        None,
        description="The source itself. A fragment names the page and the characters to highlight, as they "
        "are today (RFC 5147).",
    )
    text_url: str | None = Field(
        None,
        description="The text that was read from the document. Those characters count in it, whatever the "
        "document's format is.",
    )
