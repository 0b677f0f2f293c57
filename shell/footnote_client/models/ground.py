"""Answers about ground. Written by `make reference` from the OpenAPI documents."""

from pydantic import Field

from footnote_client.answer_model import AnswerModel


class Support(AnswerModel):
    """How well a passage supports a claim, from 0 to 1."""

    id: str
    score: float


class GroundedClaim(AnswerModel):
    """A claim, its place in the text that was sent, and its verdict.

    Each given claim begins a text of its own.
    """

    text: str
    span: tuple[int, int]
    verdict: str
    """One of `supported`, `weak`, `unsupported`."""
    support: list[Support]
    citations: list[str]
    """The passages that could be cited for it, best first."""
    cited: list[str] = Field(default_factory=list)
    """The passages that the text itself cites there, by marks such as [1]."""
    misattributed: bool = False
    """The text cites passages there, none of which supports it, and another one does."""


class GroundResult(AnswerModel):
    """`score` is the mean over the claims: 1 for supported, 0.5 for weak.

    `degraded` names optional parts that failed.
    """

    score: float
    claims: list[GroundedClaim]
    degraded: list[str] = Field(default_factory=list)
