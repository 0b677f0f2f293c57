"""The check of any text against any passages (spec 2.6, 9.5)."""

from typing import Literal

from pydantic import Field

from footnote_shared.contracts.base import Request, WireModel


class GroundPassage(Request):
    """A passage of the caller's own."""

    id: str
    text: str


class GroundRequest(Request):
    """Body of `POST /v1/ground`: either a text, whose claims are found in it, or claims."""

    text: str | None = None
    claims: list[str] | None = None
    passages: list[GroundPassage] = Field(max_length=500)


class Support(WireModel):
    """How well a passage supports a claim, from 0 to 1."""

    id: str
    score: float


class GroundedClaim(WireModel):
    """A claim, its place in the text that was sent, and its verdict.

    Each given claim begins a text of its own.
    """

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


class GroundResult(WireModel):
    """`score` is the mean over the claims: 1 for supported, 0.5 for weak.

    `degraded` names optional parts that failed.
    """

    score: float
    claims: list[GroundedClaim]
    degraded: list[str] = Field(default_factory=list)
