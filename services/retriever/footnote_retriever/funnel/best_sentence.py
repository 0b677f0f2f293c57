"""The step "sentences": a passage moves up by what its best sentence says of the query (docs/adr/0083). Pure.

Where one passage answers, the words of the question stand close together there. Both legs count them all
over a passage.
"""

from collections.abc import Sequence

from footnote_retriever.funnel.candidates import Live
from footnote_retriever.funnel.shorten import Shortenable, best_worths
from footnote_retriever.funnel.weigh import order_of, weighed
from footnote_shared.contracts.search import SearchSettings

MOST = 20
"""Passages that are read again. To read them takes some ten milliseconds."""


def is_by_sentences(settings: SearchSettings) -> bool:
    """Whether the step can run: it adds to standard scores, which `weighted_blend` alone gives.

    What a search has found that corrected itself has scores of several queries.
    """
    return settings.sentences > 0 and settings.fusion == "weighted_blend" and settings.correct == "none"


def by_best_sentence(query: str, live: Sequence[Live], weight: float) -> list[Live]:
    """The first passages by their score and `weight` times the share of the query's words in one sentence.

    A score counts by the weight that its candidate has, as before. Equal ones keep their order.
    """
    head, tail = live[:MOST], live[MOST:]
    texts = [
        Shortenable(one.chunk.text, one.chunk.document_id, one.chunk.char_start, one.chunk.language)
        for one in head
    ]
    worths = best_worths(query, texts)
    scores = [one.candidate.score + weight * worth for one, worth in zip(head, worths, strict=True)]
    weights = [one.candidate.weight for one in head]
    order = order_of(scores if set(weights) == {1.0} else weighed(scores, weights))
    return [*(head[at] for at in order), *tail]
