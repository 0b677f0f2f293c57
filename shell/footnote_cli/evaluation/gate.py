"""How well the gate tells questions with an answer from those without, and the scale that tells it best."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from footnote_cli.evaluation.off_topic import OffTopicQuestion
from footnote_cli.evaluation.retrieval import Post
from footnote_cli.evaluation.retrieval_set import RetrievalSet
from footnote_cli.evaluation.scale_fit import (
    ANSWERABLE,
    GatedQuestion,
    fit_scale,
    insufficient_shares,
)
from footnote_shared.kernel.errors import Misconfigured, OurFault
from footnote_shared.kernel.evidence_scale import Scale

OFF_TOPIC = "off topic"
"""All kinds of questions without an answer together."""

AS_IT_IS = "as it is"
_HALF = "fitted on the other half"
_OTHERS = "fitted on the other sets"
_SEARCHES = 32


@dataclass(frozen=True, slots=True)
class GateResult:
    """The questions of one set with what was found, and what the gate that is there said of each."""

    name: str
    questions: Sequence[GatedQuestion]
    said: Sequence[bool]

    def figures(self, others: Sequence["GateResult"] = ()) -> dict[str, dict[str, float]]:
        """The share of each kind that is called insufficient: by the gate as it is, and by fitted scales.

        A scale judges no question that it was fitted on.
        """
        kinds = dict.fromkeys(question.kind for question in self.questions)
        called: dict[str, dict[str, float]] = {AS_IT_IS: {}}
        for kind in kinds:
            ours = [not said for one, said in zip(self.questions, self.said, strict=True) if one.kind == kind]
            called[AS_IT_IS][kind] = sum(ours) / len(ours)
        even, odd = self.questions[::2], self.questions[1::2]
        halves = [
            (insufficient_shares(test, fit_scale(fit)), test) for fit, test in ((even, odd), (odd, even))
        ]
        called[_HALF] = _mean_of(halves, list(kinds))
        if others:
            scale = fit_scale([one for other in others for one in other.questions])
            called[_OTHERS] = insufficient_shares(self.questions, scale)
        return {way: self._with_sum(shares) for way, shares in called.items()}

    def _with_sum(self, shares: Mapping[str, float]) -> dict[str, float]:
        off_topic = [shares[one.kind] for one in self.questions if one.kind != ANSWERABLE]
        return {**shares, OFF_TOPIC: sum(off_topic) / len(off_topic)}


def evaluate_gate(
    given: RetrievalSet,
    off_topic: Sequence[OffTopicQuestion],
    post: Post,
    say: Callable[[str], None] = lambda _: None,
    reranker: str | None = None,
) -> GateResult:
    """Ask the questions of a set and those off topic, where it is given with this reranker.

    Raises OurFault where the gate explains nothing, and Misconfigured where the reranker does not score what
    is found.
    """
    asked = [
        *((ANSWERABLE, question.text) for question in given.questions),
        *((one.kind, one.text) for one in off_topic),
    ]
    say(f"{len(given.questions)} questions of {given.name}, {len(off_topic)} off topic")
    questions: list[GatedQuestion] = []
    said: list[bool] = []
    for start in range(0, len(asked), _SEARCHES):
        some = asked[start : start + _SEARCHES]
        # Quotes and minus signs are part of these questions.
        settings: dict[str, object] = {"operators": False}
        if reranker is not None:
            settings["reranker"] = reranker
        common = {"explain": True, "settings": settings}
        searches = [{"query": text, **common} for _, text in some]
        results = post("/v1/search:batch", {"searches": searches})["results"]
        for (kind, text), found, search in zip(some, results, searches, strict=True):
            # A reranker that was late for one search of many may be in time for one alone.
            result = found if reranker is None or _is_scored(found) else post("/v1/search", search)
            questions.append(GatedQuestion(kind, text, _passages(result, reranker)))
            said.append(bool(result["sufficient"]))
    return GateResult(given.name, questions, said)


def fitted(results: Sequence[GateResult]) -> Scale:
    """The scale for the questions of all sets together."""
    return fit_scale([question for result in results for question in result.questions])


def _passages(
    result: Mapping[str, Any], reranker: str | None
) -> tuple[tuple[float, float, float, float], ...]:
    notes = next((step["notes"] for step in result["explanation"] if step["stage"] == "gate"), None)
    if notes is None:
        return ()
    if "judged" not in notes:
        raise OurFault("The explanation of the gate does not say what it judges passages by.")
    known = [one for one in notes["judged"] if one["cosine"] is not None]
    if reranker is not None and not _is_scored(result):
        raise Misconfigured(
            f"The reranker {reranker!r} has not scored what was found. The log of the retriever says why; "
            "for a slow one set FOOTNOTE_RERANKER_TIMEOUT_S."
        )
    return tuple(
        (
            float(one["cosine"]),
            float(one["words"]),
            float(one["others"]),
            0.0 if reranker is None else float(one["rerank"]),
        )
        for one in known
    )


def _is_scored(result: Mapping[str, Any]) -> bool:
    """Whether a reranker has scored all that the gate judges."""
    judged = [step["notes"].get("judged", []) for step in result["explanation"] if step["stage"] == "gate"]
    return all(one["rerank"] is not None for found in judged for one in found)


def _mean_of(
    halves: Sequence[tuple[Mapping[str, float], Sequence[GatedQuestion]]], kinds: Sequence[str]
) -> dict[str, float]:
    """Shares over both halves together."""
    found = {}
    for kind in kinds:
        counts = [sum(one.kind == kind for one in questions) for _, questions in halves]
        parts = [shares.get(kind, 0.0) * count for (shares, _), count in zip(halves, counts, strict=True)]
        found[kind] = sum(parts) / sum(counts)
    return found
