"""What the passages of one search are worth for one question (spec 8.1). Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from footnote_cli.evaluation.ranking_measures import (
    Span,
    hit,
    ndcg,
    recall,
    reciprocal_rank,
    span_precision,
    span_recall,
)
from footnote_cli.evaluation.retrieval_set import RetrievalQuestion

NDCG, SPAN_RECALL, SUFFICIENT = "ndcg_at_10", "span_recall", "sufficient"
DEEP = 100


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage as it was found. `names` are all by which a question may ask for its document."""

    names: tuple[str, ...]
    title: str
    text: str
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True)
class GradedQuestion:
    """One question in one variant: its figures, the ranks of what is asked for, and what came first.

    `ranks` has None for what was not found. `shown` are the titles of the first documents that came.
    """

    question: RetrievalQuestion
    figures: Mapping[str, float]
    ranks: Mapping[str, int | None]
    shown: tuple[str, ...]


_SHOWN = 5


def grade_question(
    question: RetrievalQuestion,
    found: Sequence[FoundPassage],
    budgeted: Sequence[FoundPassage],
    returned: Sequence[FoundPassage],
    texts: Mapping[str, tuple[str, str]],
    depth: int,
    *,
    sufficient: bool,
) -> GradedQuestion:
    """The figures of one question. `found` is the list of `depth` at most that ranks are taken from.

    `budgeted` are the passages within a budget of tokens, whose characters count, and `returned` those that a
    search gives by its own settings; `texts` are the documents that they stand in.
    """
    gains = dict.fromkeys(question.phrases, 1) if question.phrases else dict(question.documents)
    items, own_items = list(_items(question, found)), list(_items(question, returned))
    figures = {
        NDCG: ndcg(items, gains, 10),
        "recall_at_10": recall(items, gains, 10),
        "mrr_at_10": reciprocal_rank(items, gains, 10),
        "hits_at_4": hit(items, gains, 4),
        "hits_at_10": hit(items, gains, 10),
        "returned_recall": recall(own_items, gains, len(own_items)),
        "returned_precision": _share_of_right(question, returned, texts),
        SUFFICIENT: float(sufficient),
    }
    if depth >= DEEP:
        figures["recall_at_100"] = recall(items, gains, DEEP)
    if question.spans:
        for before, passages in (("", budgeted), ("returned_", returned)):
            places = _places(passages, texts)
            figures[f"{before}{SPAN_RECALL}"] = span_recall(places, question.spans)
            figures[f"{before}span_precision"] = span_precision(places, question.spans)
    order = list(dict.fromkeys(items))
    ranks = {name: order.index(name) + 1 if name in order else None for name in gains}
    shown = tuple(dict.fromkeys(passage.title for passage in found))[:_SHOWN]
    return GradedQuestion(question, figures, ranks, shown)


def means(graded: Sequence[GradedQuestion]) -> dict[str, float]:
    """The mean of each figure over the questions that have it."""
    names = dict.fromkeys(name for one in graded for name in one.figures)
    values = {name: [one.figures[name] for one in graded if name in one.figures] for name in names}
    return {name: sum(each) / len(each) for name, each in values.items()}


def main_figure(graded: Sequence[GradedQuestion]) -> str:
    """What losses and gains are told by: characters of answers where the set knows them, else nDCG."""
    return SPAN_RECALL if all(SPAN_RECALL in one.figures for one in graded) else NDCG


def _items(question: RetrievalQuestion, found: Sequence[FoundPassage]) -> Iterator[str]:
    """Names as they come. Each passage is its document, or the phrases that it is the first to hold."""
    missing = {phrase: _letters(phrase) for phrase in question.phrases}
    for rank, passage in enumerate(found):
        name = next((name for name in passage.names if name in question.documents), None)
        if not question.phrases:
            yield passage.names[0] if name is None else name
            continue
        letters = _letters(passage.text)
        allowed = name is not None or not question.documents
        held = [phrase for phrase, wanted in missing.items() if allowed and wanted in letters]
        for phrase in held:
            del missing[phrase]
        yield from held or [f"passage {rank}"]


def _share_of_right(
    question: RetrievalQuestion, returned: Sequence[FoundPassage], texts: Mapping[str, tuple[str, str]]
) -> float:
    """The share of the passages that hold something of the answer; 0 where nothing came."""
    if not returned:
        return 0.0
    return sum(_is_right(question, passage, texts) for passage in returned) / len(returned)


def _is_right(
    question: RetrievalQuestion, passage: FoundPassage, texts: Mapping[str, tuple[str, str]]
) -> bool:
    """By the most that the question says: characters, else phrases, else documents."""
    if question.spans:
        return span_recall(_places([passage], texts), question.spans) > 0
    if question.documents and not any(name in question.documents for name in passage.names):
        return False
    letters = _letters(passage.text)
    return not question.phrases or any(_letters(phrase) in letters for phrase in question.phrases)


def _places(passages: Sequence[FoundPassage], texts: Mapping[str, tuple[str, str]]) -> list[Span]:
    return [place for passage in passages if (place := _place(passage, texts)) is not None]


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def _letters(text: str) -> str:
    """What two texts are compared by: letters and figures, for spaces and signs differ between formats."""
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _place(passage: FoundPassage, texts: Mapping[str, tuple[str, str]]) -> Span | None:
    """Where the passage stands in the text of the set; None where it does not stand there word for word."""
    name = passage.names[0]
    text = texts.get(name, ("", ""))[1]
    start, end = passage.char_start, passage.char_end
    # Of what lies between the chunks of a passage only that it is white space is known.
    if _without_spaces(text[start:end]) == _without_spaces(passage.text):
        return (name, start, end) if passage.text else None
    # A clipped passage is the beginning of what its place says.
    start = text.find(passage.text) if passage.text else -1
    return None if start < 0 else (name, start, start + len(passage.text))
