"""The closing message of a turn: its compliance, and what the verdicts change in it. Pure.

Spec 2.5 and 2.6.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.report import Report
from footnote_resolver.registry.issued import IssuedNumbers
from footnote_resolver.relay.requests import Verdicts
from footnote_resolver.sentences.claims import answer_sentences, plain
from footnote_resolver.sentences.nearest import nearest_parts
from footnote_resolver.verification.policy import marked, support_of, withdraw
from footnote_shared.contracts.answers import (
    Compliance,
    NormaliserReport,
    VerificationPolicy,
    VerificationSummary,
    VerifiedSentence,
)
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.events import MessageCompleted


@dataclass(frozen=True, slots=True)
class ClosingJudge:
    """Judges the closing message of one turn.

    `matches` says which number each sentence was matched with; None stands for no match.
    """

    issued: IssuedNumbers
    question: str | None
    matches: Mapping[str, int | None]

    def compliance(self, text: str, report: NormaliserReport) -> Compliance:
        """Count the claims that the model cited, those that injection cited, and those that nobody did."""
        claims = [sentence for sentence in answer_sentences(text, self.question) if sentence.is_claim]
        cited = [claim for claim in claims if claim.citations]
        injected = [
            claim
            for claim in cited
            if len(claim.citations) == 1 and self.matches.get(plain(claim.text)) == claim.citations[0]
        ]
        return Compliance(
            model_cited=len(cited) - len(injected),
            injected=len(injected),
            uncited=len(claims) - len(cited),
            report=report,
        )

    def judged(
        self, message: MessageCompleted, verdicts: Verdicts, policy: VerificationPolicy
    ) -> MessageCompleted:
        """The message as the policy wants it. Only the closing event can differ, for the stream is out."""
        sentences = verdicts.sentences
        if sentences is None:
            skipped = VerificationSummary(status="skipped", policy=policy)
            return message.model_copy(update={"verification": skipped})
        summary = _summary(sentences, verdicts.degraded, policy)
        if policy == "mark":
            worst = support_of(sentences)
            citations = [e.model_copy(update={"support": worst.get(e.n)}) for e in message.citations]
            return message.model_copy(update={"citations": citations, "verification": summary})
        if policy == "drop":
            return self._thinned(message, sentences, summary)
        return message.model_copy(update={"verification": summary})

    def _thinned(
        self, message: MessageCompleted, sentences: list[VerifiedSentence], summary: VerificationSummary
    ) -> MessageCompleted:
        """The message without the citations that their passages do not support."""
        thinned = withdraw(message.text, sentences, self.issued.holds, self.issued.highest)
        summary = summary.model_copy(update={"withdrawn": thinned.withdrawn})
        if not thinned.withdrawn:
            return message.model_copy(update={"verification": summary})
        left = set(finalize(thinned.text, self.issued.holds, self.issued.highest).citations)
        before = message.compliance
        after = self.compliance(thinned.text, before.report)
        lost = before.model_cited + before.injected - after.model_cited - after.injected
        return message.model_copy(
            update={
                "text": thinned.text,
                "citations": [entry for entry in message.citations if entry.n in left],
                "compliance": after.model_copy(update={"withdrawn": lost}),
                "verification": summary,
            }
        )


def with_excerpts(entry: CitationEntry, claims: Sequence[str]) -> CitationEntry:
    """The entry with the parts of its quote that the claims rest on."""
    return entry.model_copy(update={"excerpts": nearest_parts(entry.quote, claims) or None})


def report_of(report: Report, unshown: list[int]) -> NormaliserReport:
    """The normaliser's report as it goes over the wire.

    `unshown` are the cited numbers that the agent was never shown.
    """
    return NormaliserReport(
        emitted=report.emitted,
        resolved=report.resolved,
        dropped=list(report.dropped),
        repaired=report.repaired,
        unshown=unshown,
    )


def _summary(
    sentences: list[VerifiedSentence], degraded: tuple[str, ...], policy: VerificationPolicy
) -> VerificationSummary:
    found = Counter(sentence.verdict for sentence in sentences)
    return VerificationSummary(
        status="done",
        policy=policy,
        supported=found["supported"],
        weak=found["weak"],
        unsupported=found["unsupported"],
        misattributed=found["misattributed"],
        marked=marked(sentences) if policy == "mark" else None,
        doubtful=[sentence for sentence in sentences if sentence.verdict != "supported"],
        degraded=list(degraded),
    )
