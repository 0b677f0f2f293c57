"""The settings that the resolver reads."""

from pydantic import BaseModel, Field

from footnote_shared.contracts.answers import InjectionPolicy, VerificationPolicy


class ResolverSettings(BaseModel):
    """Registry and streams."""

    stream_retention_s: int = Field(
        3600, ge=1, description="Seconds that the events of a turn are kept after its end."
    )
    stream_heartbeat_s: float = Field(
        15.0, gt=0, description="Seconds between two heartbeats on a quiet stream."
    )
    stream_lease_s: float = Field(
        5.0,
        gt=0.1,
        description="Seconds without a sign of life after which another resolver takes a stream over.",
    )
    stream_idle_s: float = Field(
        120.0,
        gt=1,
        description="Seconds without a raw event after which a turn whose agent is gone ends as failed.",
    )
    injection: InjectionPolicy = Field(
        "missing_only",
        description="Cite for a model that did not: off, only if it cited nothing in its first paragraph, or "
        "always.",
    )
    injection_similarity: float = Field(
        0.60,
        ge=0,
        le=1,
        description="Least similarity of a sentence and a passage for a citation to be injected.",
    )
    injection_timeout_s: float = Field(
        1.0, gt=0, description="Seconds that a sentence waits for its citation; later it goes on without one."
    )
    verification: VerificationPolicy = Field(
        "report",
        description="Check each cited sentence against its passages. report: tell the verdicts. mark: also "
        "mark sentences that are not supported in the stored message. drop: also take their citations out of "
        "it. off: check nothing.",
    )
    verification_timeout_s: float = Field(
        3.0, gt=0, description="Seconds after which an answer is completed without its verdicts."
    )
    evidence_kept_mib: int = Field(
        64,
        ge=1,
        description="MiB of memory, about, for what one process keeps of the passages that it has analysed, "
        "and of the sentences that it has embedded. What has gone is made again where a turn needs it.",
    )
    verification_nli_model: str = Field(
        "",
        description="Folder or hub name of an NLI cross-encoder that checks cited sentences as a second "
        "check. Empty: none.",
    )
    verification_nli_device: str = Field("cpu", description="Device of the NLI model: cpu, cuda, mps.")
    verification_nli_timeout_s: float = Field(
        2.0, gt=0, description="Seconds that the NLI model may take before the first check stands alone."
    )
