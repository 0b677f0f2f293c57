"""Conversations, and the normaliser over the numbers of one (spec 2.2, 2.4, 9.5)."""

from pydantic import Field

from footnote_shared.contracts.answers import NormaliserReport
from footnote_shared.contracts.base import Request, WireModel


class NewConversation(Request):
    """Body of `POST /v1/conversations`."""

    title: str | None = Field(None, max_length=500)
    id: str | None = Field(
        None,
        description="Set by the agent alone: the thread's id, so that both names mean one conversation. With "
        "an API key it is refused.",
    )


class ForkConversation(Request):
    """Body of `POST /v1/conversations/{id}:fork`."""

    title: str | None = Field(None, max_length=500)


class Conversation(WireModel):
    """A conversation that is open."""

    id: str


class NormalizeRequest(Request):
    """Body of `POST /v1/conversations/{id}/normalize`.

    Either deltas for the live normaliser, or a whole text for `finalize`.
    """

    deltas: list[str] | None = None
    text: str | None = None


class NormalizeResult(WireModel):
    """The normalised text, its deltas where deltas came in, and the numbers cited, in order of appearance."""

    text: str
    deltas: list[str] | None = None
    citations: list[int]
    report: NormaliserReport
