"""`footnote eval retrieval`: what searches find of what questions ask for, in several ways side by side."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footnote_cli.evaluation.retrieval_grade import (
    SUFFICIENT,
    FoundPassage,
    GradedQuestion,
    grade_question,
    main_figure,
    means,
)
from footnote_cli.evaluation.retrieval_set import RetrievalQuestion, RetrievalSet
from footnote_cli.evaluation.significance import holm, paired_randomisation

Post = Callable[[str, Any], Any]
"""A call of the API: a path and a body to the JSON of the answer. It raises a FootnoteError."""

_SEARCHES = 16
_DEPTH, _TOKENS = 20, 1000
_LOOKUP = 200
_NO_BUDGET = 200_000


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to search: a preset and settings over it, by the name under which it is reported."""

    name: str
    preset: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VariantDifference:
    """The figure of a variant less that of the first one, and how often chance alone differs as much.

    `corrected` is the p value corrected for all comparisons of the run.
    """

    variant: str
    figure: str
    difference: float
    p: float
    corrected: float


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """The graded questions of each variant, in the order of the set. Others are compared to the first."""

    name: str
    graded: Mapping[str, Sequence[GradedQuestion]]

    @property
    def main(self) -> str:
        """The figure by which single questions are compared."""
        return main_figure([one for each in self.graded.values() for one in each])

    def figures(self) -> dict[str, dict[str, float]]:
        """Means by variant and figure."""
        return {variant: means(graded) for variant, graded in self.graded.items()}

    def comparisons(self) -> list[VariantDifference]:
        """Each figure of each other variant beside that of the first one.

        How often evidence counts as sufficient is not among them: more of it is not better.
        """
        first, *others = self.graded
        found = []
        for variant in others:
            for figure in means(self.graded[first]):
                if figure == SUFFICIENT:
                    continue
                one, other = _paired(self.graded[variant], self.graded[first], figure)
                difference = (sum(one) - sum(other)) / len(one)
                found.append((variant, figure, difference, paired_randomisation(one, other)))
        corrected = holm([p for _, _, _, p in found])
        return [VariantDifference(*each, right) for each, right in zip(found, corrected, strict=True)]

    def changes(self, variant: str) -> list[tuple[float, GradedQuestion, GradedQuestion]]:
        """Questions whose main figure differs from that of the first variant, the greatest loss first.

        Each with the difference, and the question as graded in the first variant and in this one.
        """
        first = next(iter(self.graded))
        pairs = zip(self.graded[first], self.graded[variant], strict=True)
        found = [(b.figures[self.main] - a.figures[self.main], a, b) for a, b in pairs]
        return sorted((one for one in found if one[0]), key=lambda one: one[0])


def evaluate_retrieval(
    given: RetrievalSet,
    variants: Sequence[Variant],
    post: Post,
    say: Callable[[str], None] = lambda _: None,
) -> RetrievalResult:
    """Ask every question in every variant, of a system that has the documents.

    Ranks are taken from 20 passages, or as many as `top_k` of the variant says; characters from as many as
    have 1,000 tokens together, or as `context_tokens` of the variant says. What a variant returns by itself
    is a third search: a preset may differ from others in nothing but its size.
    """
    graded = {}
    for variant in variants:
        say(f"{len(given.questions)} questions, {variant.name}")
        graded[variant.name] = list(_graded(given, variant, post))
    return RetrievalResult(given.name, graded)


def _graded(given: RetrievalSet, variant: Variant, post: Post) -> Iterator[GradedQuestion]:
    texts = given.documents or {}
    own = given.documents is not None
    depth = variant.settings.get("top_k", _DEPTH)
    deep = {"top_k": depth, "context_tokens": _NO_BUDGET}
    short = {"top_k": depth, "context_tokens": variant.settings.get("context_tokens", _TOKENS)}
    for start in range(0, len(given.questions), _SEARCHES):
        questions = given.questions[start : start + _SEARCHES]
        found = _search(post, variant, questions, deep)
        with_spans = [question for question in questions if question.spans]
        budgeted = {
            question.id: result
            for question, result in zip(with_spans, _search(post, variant, with_spans, short), strict=True)
        }
        as_it_is = _search(post, variant, questions, {})
        names = _names(post, [*found, *budgeted.values(), *as_it_is], own=own)
        for question, result, returned in zip(questions, found, as_it_is, strict=True):
            yield grade_question(
                question,
                _passages(result, names),
                _passages(budgeted[question.id], names) if question.id in budgeted else [],
                _passages(returned, names),
                texts,
                depth,
                sufficient=result["sufficient"],
            )


def _search(
    post: Post, variant: Variant, questions: Sequence[RetrievalQuestion], over: Mapping[str, Any]
) -> list[dict[str, Any]]:
    if not questions:
        return []
    common: dict[str, Any] = {"settings": {**variant.settings, **over}}
    if variant.preset is not None:
        common["preset"] = variant.preset
    searches = [{"query": question.text, **common} for question in questions]
    results: list[dict[str, Any]] = post("/v1/search:batch", {"searches": searches})["results"]
    return results


def _names(post: Post, results: Sequence[Mapping[str, Any]], *, own: bool) -> dict[str, tuple[str, ...]]:
    """Names by id of the documents that were found.

    The documents of a set have the set's name alone: another's title might be the same text.
    """
    ids = list(dict.fromkeys(one["document_id"] for result in results for one in result["passages"]))
    names: dict[str, tuple[str, ...]] = {}
    for start in range(0, len(ids), _LOOKUP):
        for document in post("/v1/documents:lookup", {"ids": ids[start : start + _LOOKUP]})["items"]:
            every = (document["external_id"], document["id"], document["title"], document["filename"])
            names[document["id"]] = tuple(name for name in every[: 1 if own else None] if name)
    return names


def _passages(result: Mapping[str, Any], names: Mapping[str, tuple[str, ...]]) -> list[FoundPassage]:
    return [
        FoundPassage(
            names.get(one["document_id"]) or (one["document_id"],),
            one["title"],
            one["text"],
            one["char_start"],
            one["char_end"],
        )
        for one in result["passages"]
    ]


def _paired(
    one: Sequence[GradedQuestion], other: Sequence[GradedQuestion], figure: str
) -> tuple[list[float], list[float]]:
    """The figure of the questions that have it in both."""
    pairs = [
        (a.figures[figure], b.figures[figure])
        for a, b in zip(one, other, strict=True)
        if figure in a.figures and figure in b.figures
    ]
    return [a for a, _ in pairs], [b for _, b in pairs]
