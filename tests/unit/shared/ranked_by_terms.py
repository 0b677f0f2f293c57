"""Where passages stand when they are ranked by their terms alone, as the sparse leg ranks them."""

import math
from collections import Counter
from collections.abc import Sequence

from footnote_shared.embedding.sparse import embed_document, embed_query
from footnote_shared.kernel.vector_values import SparseVector


def places(pairs: Sequence[tuple[str, str]], language: str | None) -> list[int]:
    """For each pair of passage and question: the passage's place among all, from 1; 0 if it is not found."""
    passages = [embed_document(passage, language) for passage, _ in pairs]
    having = Counter(term for passage in passages for term in passage.indices)
    rarity = {
        term: math.log(1 + (len(passages) - count + 0.5) / (count + 0.5)) for term, count in having.items()
    }
    found = []
    for place, (_, question) in enumerate(pairs):
        asked = set(embed_query(question).indices)
        scores = [_score(passage, asked, rarity) for passage in passages]
        found.append(1 + sum(score > scores[place] for score in scores) if scores[place] else 0)
    return found


def _score(passage: SparseVector, asked: set[int], rarity: dict[int, float]) -> float:
    weights = zip(passage.indices, passage.values, strict=True)
    return sum(value * rarity[term] for term, value in weights if term in asked)


def ahead(rows: Sequence[tuple[str, str, str]], *, version: int) -> list[bool]:
    """For each query, passage and decoy: whether the passage scores higher than the decoy.

    Words are as rare as they are among all passages and decoys.
    """
    pairs = [
        (embed_document(right, None, version), embed_document(wrong, None, version))
        for _, right, wrong in rows
    ]
    having = Counter(term for pair in pairs for text in pair for term in text.indices)
    texts = 2 * len(pairs)
    rarity = {term: math.log(1 + (texts - count + 0.5) / (count + 0.5)) for term, count in having.items()}
    found = []
    for (query, _, _), (right, wrong) in zip(rows, pairs, strict=True):
        asked = set(embed_query(query, version).indices)
        found.append(_score(right, asked, rarity) > _score(wrong, asked, rarity))
    return found
