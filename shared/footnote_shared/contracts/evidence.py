"""Evidence: citable units, registered and rendered for a model in one round trip (spec 2.1 to 2.3, 9.5)."""

from typing import Literal

from pydantic import Field

from footnote_shared.contracts.base import Moment, Request, WireModel

CitableType = Literal["kb_chunk", "kb_document", "connector_item", "web_result", "chat_turn", "anon_chunk"]
View = Literal["excerpt", "full"]
Wrap = Literal["retrieved_context", "web_results"]

LOCATOR_FIELDS: dict[CitableType, tuple[str, ...]] = {
    "kb_chunk": ("document_id", "chunk_id"),
    "kb_document": ("document_id",),
    "connector_item": ("connector_id", "external_id"),
    "web_result": ("url",),
    "chat_turn": ("thread_id", "message_id"),
    "anon_chunk": ("session_id", "document_id", "chunk_id"),
}
"""The keys of a unit's locator, by its type."""


class Display(WireModel):
    """What a client can show of a unit without asking anybody."""

    title: str = ""
    source: str = ""
    url: str | None = None
    date: Moment | None = None
    heading_path: list[str] | None = None
    page_start: int | None = None
    page_end: int | None = None
    kind: str | None = None


class EvidenceItem(Request):
    """One unit that is about to be shown to a model.

    `text` is the passage as shown, `span` its characters in the source's text.
    """

    source_type: CitableType
    locator: dict[str, str]
    display: Display = Display()
    text: str
    span: tuple[int, int] | None = None
    source_version: int | None = None


class RegisterRequest(Request):
    """Body of `POST /v1/conversations/{id}/citations`."""

    items: list[EvidenceItem] = Field(max_length=500)
    view: View = "excerpt"
    wrap: Wrap | None = None
    turn_id: str | None = None
    agent: str = Field(
        "orchestrator", max_length=200, description="Path of the agent that is shown the evidence."
    )


class RegisterResult(WireModel):
    """`numbers[i]` stands for `items[i]`; `rendered` is the text for the model."""

    numbers: list[int]
    rendered: str
