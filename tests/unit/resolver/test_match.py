"""Which passage a sentence is cited for if its model did not: the nearest one, with nothing against it."""

import asyncio
import threading
from collections.abc import Sequence

import numpy as np
import pytest

from footnote_resolver.injection.match import KeptIndexes, SentenceMatcher, choose, index_of
from footnote_resolver.sentences.vectors import SentenceVectors
from footnote_resolver.store.entries import ShownPassage
from footnote_shared.embedding.protocol import Vectors
from footnote_testing.eventually import LIMIT_S
from footnote_testing.fake_embedder import FakeEmbedder

GULL = "The gull of Scarborough steals four sandwiches a day. It lives on the pier."
COMET = "The comet Halvorsen returns every 71 years. Its tail is green."
PASSAGES = [ShownPassage(3, GULL, "Seabirds of Yorkshire"), ShownPassage(8, COMET, "Comets")]


def chosen(
    sentence: str, cosines: dict[str, float], passages: Sequence[ShownPassage] = PASSAGES
) -> int | None:
    """`cosines` by the beginning of a passage's sentence; the others have none."""

    def vectors_of(texts: Sequence[str]) -> Vectors:
        near = [
            next((c for start, c in cosines.items() if text.startswith(start)), 0.0) for text in texts[1:]
        ]
        return np.array([[1.0, 0.0], *([c, (1 - c * c) ** 0.5] for c in near)], dtype=np.float32)

    return choose(sentence, index_of(tuple(passages)), 0.6, vectors_of)


def test_a_sentence_in_other_words_is_cited_by_its_cosine() -> None:
    assert chosen("A bird takes food from people daily.", {"The gull": 0.7}) == 3


def test_a_sentence_that_nothing_is_like_is_not_cited() -> None:
    assert chosen("Penguins live in the south.", {"The gull": 0.5, "The comet": 0.4}) is None


def test_a_short_part_of_a_long_sentence_is_cited_by_its_words() -> None:
    assert chosen("The gull steals sandwiches.", {"The gull": 0.45}) == 3


@pytest.mark.parametrize(
    "sentence",
    [
        "The gull of Scarborough steals nine sandwiches a day, 9 of them.",
        "The gull of Reykjavik steals four sandwiches a day.",
        "The gull of Scarborough does not steal four sandwiches a day.",
    ],
)
def test_another_figure_or_name_or_the_contrary_is_not_cited_for_the_next_best(sentence: str) -> None:
    other = ShownPassage(9, "A gull takes sandwiches from tourists.")
    assert chosen(sentence, {"The gull": 0.9, "A gull": 0.65}, [*PASSAGES, other]) is None


def test_a_name_may_stand_in_the_title() -> None:
    assert (
        chosen("According to the Seabirds of Yorkshire, the gull steals sandwiches.", {"The gull": 0.7}) == 3
    )


def test_the_lower_number_wins_among_passages_that_overlap() -> None:
    twice = [ShownPassage(5, COMET), ShownPassage(6, f"Stars. {COMET}")]
    assert chosen("Its tail is green.", {"Its tail": 1.0}, twice) == 5


class SlowEmbedder(FakeEmbedder):
    """Embeds when it is told to, and remembers how many texts each call had."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.calls: list[int] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.go.wait(LIMIT_S)
        self.calls.append(len(texts))
        return super().embed_documents(texts)


async def test_what_is_prepared_is_not_embedded_again_and_a_sentence_goes_in_between() -> None:
    embedder = SlowEmbedder()
    vectors = SentenceVectors(lambda: embedder)
    try:
        vectors.prepare(lambda: [f"Sentence {i}." for i in range(20)])
        asked = asyncio.create_task(vectors.of(["The one that somebody waits for."]))
        await asyncio.sleep(0)
        embedder.go.set()
        await asked
        assert embedder.calls[0] < 20
        assert embedder.calls[1] == 1
        found = await vectors.of([f"Sentence {i}." for i in range(20)])
        assert found.shape == (20, embedder.dimension)
        assert sum(embedder.calls) == 21
    finally:
        vectors.close()


async def test_a_matcher_without_evidence_finds_nothing() -> None:
    vectors = SentenceVectors(FakeEmbedder)
    try:
        matcher = SentenceMatcher(vectors, 0.6, 60)
        matcher.prepare([])
        assert await matcher.best("The gull steals.", []) is None
        assert await matcher.best("The gull steals.", [ShownPassage(1, "  ")]) is None
        matcher.prepare(PASSAGES)
        assert await matcher.best("Its tail is green.", PASSAGES) == 8
    finally:
        vectors.close()


async def test_a_sentence_does_not_wait_longer_than_its_limit() -> None:
    vectors = SentenceVectors(FakeEmbedder)
    try:
        assert await SentenceMatcher(vectors, 0.6, 1e-9).best("Its tail is green.", PASSAGES) is None
    finally:
        vectors.close()


def test_a_sentence_that_is_there_word_for_word_needs_no_vectors() -> None:
    def nobody(texts: Sequence[str]) -> Vectors:
        raise AssertionError(f"{len(texts)} texts were embedded")

    said = "In Scarborough, the gull steals four sandwiches a day."
    assert choose(said, index_of(tuple(PASSAGES)), 0.6, nobody) == 3
    denied = said.replace("steals", "does not steal")
    assert choose(denied, index_of(tuple(PASSAGES)), 0.6, nobody) is None


def test_indexes_are_kept_by_how_much_they_hold() -> None:
    """By their number, a few hundred turns with long passages would take hundreds of megabytes."""

    def shown(number: int, sentences: int) -> tuple[ShownPassage, ...]:
        return (ShownPassage(1, "The ferry leaves at ten. " * sentences + f"It is number {number}."),)

    kept = KeptIndexes(10_000)
    short = [kept.of(shown(n, 4)) for n in range(50)]
    assert all(kept.of(shown(n, 4)) is index for n, index in enumerate(short))
    long = kept.of(shown(50, 1000))
    assert kept.of(shown(50, 1000)) is long
    assert kept.of(shown(49, 4)) is not short[49]
    assert kept.of(shown(50, 1000)) is not long
