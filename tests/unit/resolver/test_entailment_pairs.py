"""What the rules say of pairs of a claim and a passage (`entailment_pairs`), by kind of mistake."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from footnote_resolver.injection.match import choose, index_of
from footnote_resolver.store.entries import ShownPassage
from footnote_resolver.verification.judge import Claim, Premise, hold
from footnote_shared.embedding.protocol import Vectors
from tests.unit.resolver.pairs import Pair, pairs

KINDS = {
    "negation",
    "units",
    "swapped",
    "comparative",
    "quantifier",
    "modal",
    "roles",
    "cause",
    "order",
    "name",
}
TOLD = [
    (name, pair)
    for name in ("development", "examined")
    for pair in pairs(name)
    if pair.mistake and not pair.limit
]


def support(pair: Pair) -> str:
    return hold(Claim(pair.claim), [Premise(pair.passage)], pair.similarity).support


NAMES = [f"{pair.mistake}: {pair.claim}" for _, pair in TOLD]


@pytest.mark.parametrize("name", ["development", "held_out"])
def test_the_sets_are_large_and_have_every_kind_of_mistake(name: str) -> None:
    counts = Counter(pair.mistake for pair in pairs(name))
    assert counts.total() >= (150 if name == "development" else 100)
    assert set(counts) - {"various"} == KINDS | {None}
    assert 0.4 <= counts[None] / counts.total() <= 0.6
    assert all(pair.similarity for pair in pairs(name))


@pytest.mark.parametrize("pair", [pair for _, pair in TOLD], ids=NAMES)
def test_what_a_passage_does_not_say_is_not_supported(pair: Pair) -> None:
    assert support(pair) != "supported"


@pytest.mark.parametrize("name", ["development", "held_out"])
def test_what_a_passage_says_in_other_words_stays_supported(name: str) -> None:
    verdicts = Counter(support(pair) for pair in pairs(name) if pair.mistake is None)
    assert verdicts["supported"] >= 0.9 * verdicts.total(), verdicts


def test_so_it_does_in_the_words_of_one_who_had_not_read_the_rules() -> None:
    verdicts = Counter(support(pair) for pair in pairs("examined") if pair.mistake is None)
    assert verdicts["supported"] >= 0.88 * verdicts.total(), verdicts


@pytest.mark.parametrize("name", ["development", "held_out"])
def test_of_all_false_pairs_one_in_twenty_at_most_is_supported(name: str) -> None:
    false = [pair for pair in pairs(name) if pair.mistake]
    assert sum(support(pair) == "supported" for pair in false) <= 0.05 * len(false)


@pytest.mark.parametrize(("name", "pair"), TOLD, ids=NAMES)
def test_nor_is_it_cited_for_it(name: str, pair: Pair) -> None:
    """Beside the other passages of its field, as one turn."""
    texts = list(dict.fromkeys(p.passage for p in pairs(name) if p.field == pair.field))
    shown = tuple(ShownPassage(n, text) for n, text in enumerate(texts, start=1))

    def alike(given: Sequence[str]) -> Vectors:
        """The cosine of the pair for each piece of its passage, and none for the others."""
        cosines = [pair.similarity if text in pair.passage else 0.0 for text in given[1:]]
        return np.array([[1.0, 0.0], *([c, 0.0] for c in cosines)], dtype=np.float32)

    assert choose(pair.claim, index_of(shown), 0.6, alike) is None
