"""Verifies the cited sentences of an answer, and any text against any passages (`POST /v1/ground`)."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from anyio import to_thread

from footnote_resolver.sentences.claims import AnswerSentence
from footnote_resolver.sentences.judged_parts import JudgedPart, judged_parts
from footnote_resolver.sentences.vectors import SentenceVectors, comparable
from footnote_resolver.verification.entailment import EntailmentCheck, EntailmentPair, combined
from footnote_resolver.verification.judge import Claim, Holding, Premise, hold
from footnote_resolver.verification.policy import WORST
from footnote_shared.contracts.answers import Verdict
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.kernel.errors import FootnoteError, Unavailable
from footnote_shared.models.cross_encoder import Entailment
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_LOOKED_AT = 8
"""A claim that names no passage is compared with this many, those with the nearest sentences."""
_ASKED_ABOUT = 3
"""The best of these, at most this many, go to the second check."""
_EMBEDDED_AT_ONCE = 64
"""Texts per call of the embedding model, the most of a long list that a live answer's sentence waits for."""
_GROUND_TIMEOUT_S = 60.0
_ANSWER_ON_THE_LOOP, _PASSAGES_ON_THE_LOOP = 1_000, 4_000
"""Characters that are taken apart on the event loop, in half a millisecond. To hand them to a thread and back
takes as long.
"""
_COMPARED_ON_THE_LOOP = 2_000
"""Pairs of a claim and a sentence whose cosine is taken on the event loop. Short texts may be many."""

SCORES = {"supported": 1.0, "weak": 0.5, "unsupported": 0.0}
"""What a claim with each verdict adds to the score of a text."""
NLI = "nli"
"""The name of the second check in lists of what is degraded."""


@dataclass(frozen=True, slots=True)
class NamedPassage:
    """A passage under the name that its caller gave it; passages of one name are parts of one source."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A cited sentence, or row of a table, with its verdict.

    `better` is a passage that supports it if the cited ones do not.
    """

    sentence: AnswerSentence
    verdict: Verdict
    holding: Holding
    better: int | None = None


@dataclass(frozen=True, slots=True)
class Verification:
    """The verdicts on an answer, and the optional parts that were missing."""

    sentences: list[Checked]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grounded:
    """A claim and how each passage holds it, best first."""

    text: str
    span: tuple[int, int]
    holdings: list[tuple[str, Holding]]

    @property
    def best(self) -> Holding:
        return self.holdings[0][1] if self.holdings else Holding("unsupported", 0.0)


@dataclass(slots=True)
class _Finding:
    """A cited sentence or cell between the checks; `other`: the nearest uncited passage that supports it."""

    sentence: AnswerSentence
    claim: Claim
    cited: list[int]
    holding: Holding
    other: int | None = None

    def verdict(self) -> Checked:
        if self.holding.support == "supported":
            return Checked(self.sentence, "supported", self.holding)
        if self.other is not None:
            return Checked(self.sentence, "misattributed", self.holding, self.other)
        return Checked(self.sentence, self.holding.support, self.holding)


class Verifier:
    """Judges by figures, names, quotations, words and vectors, and then by an NLI model if one is set."""

    def __init__(
        self, vectors: SentenceVectors, timeout_s: float, entailment: EntailmentCheck | None = None
    ) -> None:
        self._vectors = vectors
        self._timeout_s = timeout_s
        self._entailment = entailment

    async def check(
        self,
        text: str,
        evidence: Mapping[int, str],
        titles: Mapping[int, str] | None = None,
        headings: Mapping[int, Sequence[str]] | None = None,
    ) -> Verification | None:
        """A verdict for each cited sentence and row of an answer; None when that took too long or failed.

        Failures are counted, and whatever goes wrong, the answer does not wait. `titles` are those of the
        documents: a name may stand there alone. `headings` are those above the passages. A lead-in that is
        a heading or title names where the passage stands: it has no verdict, and what it stands before is
        judged without it.
        """
        named = {
            n: {_bare(name) for name in ((titles or {}).get(n, ""), *(headings or {}).get(n, ()))}
            for n in evidence
        }
        cited = (
            _cited_parts(text, named)
            if len(text) <= _ANSWER_ON_THE_LOOP
            else await to_thread.run_sync(_cited_parts, text, named)
        )
        if not cited:
            return Verification([])
        # A task of its own, so that no error, foreseen or not, reaches the answer.
        checking = asyncio.create_task(self._check(cited, evidence, titles or {}))
        try:
            done, _ = await asyncio.wait({checking}, timeout=self._timeout_s)
        finally:
            checking.cancel()
        error = checking.exception() if done and not checking.cancelled() else TimeoutError()
        if error is None:
            return checking.result()
        metrics.DEGRADED.labels("verification").inc()
        _log.warning(
            "verification.skipped",
            sentences=len(cited),
            reason=type(error).__name__,
            exc_info=None if isinstance(error, FootnoteError | TimeoutError) else error,
        )
        return None

    async def ground(
        self, claims: Sequence[tuple[str, tuple[int, int]]], passages: Sequence[NamedPassage]
    ) -> tuple[list[Grounded], tuple[str, ...]]:
        """How each passage near a claim holds it, for each of them, and the optional parts that were missing.

        Raises Unavailable when it takes too long.
        """
        texts = dict(enumerate(passage.text for passage in passages))
        premises = await to_thread.run_sync(_premises, passages)
        held: list[tuple[Claim, list[tuple[int, Holding]]]] = []
        try:
            async with asyncio.timeout(_GROUND_TIMEOUT_S):
                scores = await self._similarities([text for text, _ in claims], texts)
                for (text, _), similarity in zip(claims, scores, strict=True):
                    held.append(
                        await to_thread.run_sync(_nearest, text, premises, similarity, abandon_on_cancel=True)
                    )
                asked = [
                    (claim, each, place)
                    for claim, each in held
                    for place, (_, holding) in enumerate(each[:_ASKED_ABOUT])
                    if _open(holding)
                ]
                answers = await self._entailed(
                    [EntailmentPair(claim, premises[each[place][0]]) for claim, each, place in asked],
                    _GROUND_TIMEOUT_S,
                )
        except TimeoutError as error:
            raise Unavailable(
                "verification", "Checking this text takes too long; send less of it at once."
            ) from error
        for (_, each, place), answer in zip(asked, answers or (), strict=False):
            at, holding = each[place]
            each[place] = (at, combined(holding, [answer]))
        found = [
            Grounded(text, span, _by_name(passages, each))
            for (text, span), (_, each) in zip(claims, held, strict=True)
        ]
        return found, (NLI,) if answers is None else ()

    async def _check(
        self, cited: Sequence[JudgedPart], evidence: Mapping[int, str], titles: Mapping[int, str]
    ) -> Verification:
        worded = [(part.sentence, text, by) for part in cited for text, by in part.wordings]
        scores = await self._similarities([text for _, text, _ in worded], evidence)
        premises = {n: Premise(text, titles.get(n, "")) for n, text in evidence.items()}
        findings = [
            await to_thread.run_sync(_find, sentence, text, by, premises, similarity, abandon_on_cancel=True)
            for (sentence, text, by), similarity in zip(worded, scores, strict=True)
        ]
        asked = [(finding, n) for finding in findings for n in _to_ask(finding)]
        answers = await self._entailed([EntailmentPair(finding.claim, premises[n]) for finding, n in asked])
        if answers is None:
            return Verification(_verdicts(findings), (NLI,))
        by_finding: dict[int, dict[int, Entailment]] = {}
        for (finding, n), answer in zip(asked, answers, strict=False):
            by_finding.setdefault(id(finding), {})[n] = answer
        for finding in findings:
            _revise(finding, by_finding.get(id(finding), {}))
        return Verification(_verdicts(findings))

    async def _entailed(
        self, pairs: Sequence[EntailmentPair], timeout_s: float | None = None
    ) -> list[Entailment] | None:
        return [] if self._entailment is None else await self._entailment.ask(pairs, timeout_s)

    async def _similarities(
        self, texts: Sequence[str], passages: Mapping[int, str]
    ) -> list[dict[int, float]]:
        """For each text the best cosine with a sentence of each passage."""
        short = (
            sum(map(len, passages.values())) <= _PASSAGES_ON_THE_LOOP
            and sum(map(len, texts)) <= _ANSWER_ON_THE_LOOP
        )
        pieces = _pieces(passages) if short else await to_thread.run_sync(_pieces, passages)
        if not pieces or not texts:
            return [{} for _ in texts]
        ours = await self._embedded(texts)
        theirs = await self._embedded([piece for _, piece in pieces])
        compared = [n for n, _ in pieces], ours, theirs
        if short and are_few_pairs(len(texts), len(pieces)):
            return _best_cosines(*compared)
        return await to_thread.run_sync(_best_cosines, *compared)

    async def _embedded(self, texts: Sequence[str]) -> Vectors:
        return np.concatenate(
            [
                await self._vectors.of(texts[at : at + _EMBEDDED_AT_ONCE])
                for at in range(0, len(texts), _EMBEDDED_AT_ONCE)
            ]
        )


def are_few_pairs(texts: int, sentences: int) -> bool:
    """Whether so many texts are compared with so many sentences on the spot. Short texts may be many."""
    return texts * sentences <= _COMPARED_ON_THE_LOOP


def _cited_parts(text: str, named: Mapping[int, set[str]]) -> list[JudgedPart]:
    """What has a verdict, without the heading before it. `named`: title and headings of each passage."""
    found = []
    for part in judged_parts(text):
        names = {name for n in part.sentence.citations for name in named.get(n, ())}
        words, cited = part.wordings[0]
        if part.sentence.citations and _bare(words) not in names:
            behind = (_behind_heading(words, names), cited)
            found.append(replace(part, wordings=(behind, *part.wordings[1:])))
    return found


def _behind_heading(words: str, names: Collection[str]) -> str:
    """What stands behind a heading that leads in a sentence: `Bow ramp: It was repaired.`"""
    for name in sorted(names, key=len, reverse=True):
        rest = words[len(name) :]
        leads = rest.startswith(": ") or (name.endswith(("?", "？")) and rest.startswith(" "))
        if name and leads and _bare(words[: len(name)]) == name:
            return rest.lstrip(": ")
    return words


def _bare(name: str) -> str:
    """A heading as it is compared: in small letters, without marks around it."""
    return " ".join(name.replace("*", " ").casefold().split()).rstrip(":： ")


def _premises(passages: Sequence[NamedPassage]) -> list[Premise]:
    return [Premise(passage.text) for passage in passages]


def _pieces(passages: Mapping[int, str]) -> list[tuple[int, str]]:
    """The sentences of the passages, each with the number of its passage."""
    return [(n, piece) for n, text in passages.items() for piece in comparable(text)]


def _best_cosines(numbers: Sequence[int], ours: Vectors, theirs: Vectors) -> list[dict[int, float]]:
    """For each of our texts the best cosine with a piece of each passage. Each piece has a number."""
    order, starts = np.unique(np.array(numbers), return_index=True)
    # The pieces of a passage are adjacent, but the passages are in the caller's order.
    places = np.sort(starts)
    names = [int(order[at]) for at in np.argsort(starts)]
    best = np.maximum.reduceat(ours @ theirs.T, places, axis=1)
    return [dict(zip(names, map(float, row), strict=True)) for row in best]


def _verdicts(findings: Sequence[_Finding]) -> list[Checked]:
    """The verdict on each sentence, and on each row the worst on its cells."""
    found: dict[int, Checked] = {}
    for finding in findings:
        verdict = finding.verdict()
        worst = found.setdefault(finding.sentence.start, verdict)
        if WORST.index(verdict.verdict) > WORST.index(worst.verdict):
            found[finding.sentence.start] = verdict
    return list(found.values())


def _find(
    sentence: AnswerSentence,
    text: str,
    citations: Sequence[int],
    premises: Mapping[int, Premise],
    similarity: Mapping[int, float],
) -> _Finding:
    claim = Claim(text)
    cited = [n for n in citations if n in premises]
    holding = hold(
        claim, [premises[n] for n in cited], max((similarity.get(n, 0.0) for n in cited), default=0.0)
    )
    finding = _Finding(sentence, claim, cited, holding)
    if holding.support != "supported":
        others = sorted((n for n in premises if n not in cited), key=lambda n: (-similarity.get(n, 0.0), n))
        finding.other = next(
            (
                n
                for n in others[:_LOOKED_AT]
                if hold(claim, [premises[n]], similarity.get(n, 0.0)).support == "supported"
            ),
            None,
        )
    return finding


def _to_ask(finding: _Finding) -> list[int]:
    """The passages for the second check: the cited ones, if that can change anything, and the better one."""
    cited = finding.cited if _open(finding.holding) else []
    return [*cited, *([finding.other] if finding.other is not None else [])]


def _open(holding: Holding) -> bool:
    return holding.support != "unsupported"


def _revise(finding: _Finding, answers: Mapping[int, Entailment]) -> None:
    """Apply the second check to the verdict, and drop the better passage if the model says it contradicts."""
    if finding.other is not None and finding.other in answers:
        held = combined(Holding("supported", 1.0), [answers[finding.other]])
        finding.other = finding.other if held.support == "supported" else None
    cited = [answers[n] for n in finding.cited if n in answers]
    if cited and _open(finding.holding):
        finding.holding = combined(finding.holding, cited)


def _nearest(
    text: str, premises: Sequence[Premise], similarity: Mapping[int, float]
) -> tuple[Claim, list[tuple[int, Holding]]]:
    """How the passages nearest to a claim hold it, best first."""
    claim = Claim(text)
    nearest = sorted(similarity, key=lambda at: (-similarity[at], at))[:_LOOKED_AT]
    held = [(at, hold(claim, [premises[at]], similarity[at])) for at in nearest]
    return claim, sorted(held, key=lambda pair: _rank(pair[1]))


def _by_name(
    passages: Sequence[NamedPassage], held: Sequence[tuple[int, Holding]]
) -> list[tuple[str, Holding]]:
    """Best first, each name once."""
    best: dict[str, Holding] = {}
    for at, holding in sorted(held, key=lambda pair: _rank(pair[1])):
        best.setdefault(passages[at].id, holding)
    return list(best.items())


def _rank(holding: Holding) -> tuple[float, float]:
    return -SCORES[holding.support], -holding.score
