"""What the resolver does with an answer, and what it reports of it (spec 2.4 to 2.6)."""

from typing import Literal

from pydantic import Field

from footnote_shared.contracts.base import Request, WireModel

Origin = Literal["model", "injected"]
InjectionPolicy = Literal["off", "missing_only", "always"]
VerificationPolicy = Literal["off", "report", "mark", "drop"]
Verdict = Literal["supported", "weak", "unsupported", "misattributed"]
CutReason = Literal["length", "tool_call", "content_filter", "error"]
"""Why a model's answer ends before its end: the limit of its length, a wish to call a tool though it has
none, a filter of its endpoint, an error there.
"""


class AnswerSettings(Request):
    """The settings of one answer, from its turn or its preset.

    An absent one is as the resolver is configured.
    """

    injection: InjectionPolicy | None = Field(
        None, description="Cite for a model that did not: off, missing_only, always."
    )
    verification: VerificationPolicy | None = Field(
        None,
        description="What happens to citations that their passages do not support: report, mark, drop; off "
        "checks none.",
    )
    max_steps: int | None = Field(
        None,
        ge=1,
        le=100,
        description="Calls of the model in an agentic turn, those of subagents too. Like each limit here it "
        "narrows what is configured, and the turn ends in an answer from what was found.",
    )
    max_tool_calls: int | None = Field(
        None, ge=1, le=1000, description="Calls of tools in an agentic turn, those of subagents too."
    )
    max_turn_tokens: int | None = Field(
        None, ge=1000, description="Tokens in and out of the model in an agentic turn."
    )
    max_seconds: float | None = Field(
        None,
        ge=5,
        description="Longest turn. In its last fifth an agentic one answers; any other fails at its end.",
    )
    parallel_tools: int | None = Field(
        None, ge=1, le=32, description="Tools of an agentic turn that run at once."
    )


class NormaliserReport(WireModel):
    """How the normaliser fared with one text.

    `emitted`: tokens written. `resolved`: markers understood. `dropped`: numbers that stand for nothing.
    `repaired`: markers mended. `unshown`: numbers cited in a turn that was not shown their passages.
    """

    emitted: int = 0
    resolved: int = 0
    dropped: list[int] = Field(default_factory=list)
    repaired: int = 0
    unshown: list[int] = Field(default_factory=list)


class Compliance(WireModel):
    """How one answer kept the citation contract: claims that the model cited, that we cited, that nobody did.

    The counts are those of the text beside them: a claim that lost its citations in verification is
    `uncited`, and counts as `withdrawn` too.
    """

    model_cited: int = 0
    injected: int = 0
    uncited: int = 0
    withdrawn: int = 0
    report: NormaliserReport = NormaliserReport()


class VerifiedQuote(WireModel):
    """A quotation in a cited sentence: word for word, pieced together from several places, or not found."""

    text: str
    verdict: Literal["verbatim", "stitched", "fabricated"]


class VerifiedSentence(WireModel):
    """Data of a `verification` event: a cited sentence and its verdict.

    `span` is its place in the text as it was streamed. `better` is the number of the passage that supports a
    misattributed sentence.
    """

    sentence: str
    span: tuple[int, int]
    citations: list[int]
    verdict: Verdict
    score: float
    better: int | None = None
    quotes: list[VerifiedQuote] | None = None


class MarkedSentence(WireModel):
    """A sentence for clients to mark, by its place in the message's text.

    `better` is the number to offer instead.
    """

    span: tuple[int, int]
    citations: list[int]
    verdict: Verdict
    better: int | None = None


class VerificationSummary(WireModel):
    """What verification found in an answer, and what the policy made of it. It counts sentences.

    With `skipped`, verification failed or took too long, and the text stays as it was written, whatever the
    policy. `marked` comes with the policy `mark`. `withdrawn` comes with `drop`: one number for each token
    taken away. `doubtful` comes with every policy: the sentences that are not `supported`, as their events
    told them.
    """

    status: Literal["done", "skipped"]
    policy: VerificationPolicy = "report"
    supported: int = 0
    weak: int = 0
    unsupported: int = 0
    misattributed: int = 0
    marked: list[MarkedSentence] | None = None
    withdrawn: list[int] | None = None
    doubtful: list[VerifiedSentence] = Field(default_factory=list)
    degraded: list[str] = Field(default_factory=list)
