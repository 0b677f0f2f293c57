"""Where injection turns: each tuned number has a case just inside it and one just outside."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from footnote_resolver.injection.live import Asking, LiveInjector, inject
from footnote_resolver.injection.match import choose, index_of
from footnote_resolver.sentences.vectors import comparable
from footnote_resolver.store.entries import ShownPassage
from footnote_shared.embedding.protocol import Vectors
from tests.unit.resolver.plain_words import some

LEAST = 0.6


def cosines(by_start: dict[str, float], asked: list[int] | None = None) -> Callable[[Sequence[str]], Vectors]:
    """Vectors of a sentence and of pieces, by how a piece begins; `asked` notes the number of pieces."""

    def vectors_of(texts: Sequence[str]) -> Vectors:
        if asked is not None:
            asked.append(len(texts) - 1)
        near = [
            next((c for start, c in by_start.items() if text.startswith(start)), 0.0) for text in texts[1:]
        ]
        return np.array([[1.0, 0.0], *([c, 0.0] for c in near)], dtype=np.float32)

    return vectors_of


class TestNearest:
    """Blends are half of the cosine here, for the sentence shares no words with the passages."""

    PASSAGES = (ShownPassage(3, "Gulls steal bread."), ShownPassage(8, "Otters play cards.", "Zanzibar"))

    @pytest.mark.parametrize(("cosine", "expected"), [(0.81, 8), (0.79, None)])
    def test_a_passage_a_tenth_behind_the_best_one_is_tried(
        self, cosine: float, expected: int | None
    ) -> None:
        """The best one lacks the name, which stands in the other one's title."""
        found = choose(
            "Lamps burn in Zanzibar.",
            index_of(self.PASSAGES),
            LEAST,
            cosines({"Gulls": 1.0, "Otters": cosine}),
        )
        assert found == expected

    @pytest.mark.parametrize(("cosine", "expected"), [(0.60001, 3), (0.59999, None)])
    def test_what_is_less_alike_than_asked_for_is_not_cited(
        self, cosine: float, expected: int | None
    ) -> None:
        assert choose("Lamps burn.", index_of(self.PASSAGES), LEAST, cosines({"Gulls": cosine})) == expected

    @pytest.mark.parametrize(("ahead", "expected"), [(0.0000004, 3), (0.000004, 8)])
    def test_scores_that_differ_by_less_than_a_millionth_are_equal(self, ahead: float, expected: int) -> None:
        vectors_of = cosines({"Gulls": 0.7, "Otters": 0.7 + ahead})
        assert choose("Lamps burn.", index_of(self.PASSAGES), LEAST, vectors_of) == expected

    def test_twelve_pieces_are_compared_by_vectors(self) -> None:
        asked: list[int] = []
        index = index_of(tuple(ShownPassage(n, f"{some(2, start=n)}.") for n in range(14)))
        choose("Penguins swim.", index, LEAST, cosines({}, asked))
        assert asked == [12]

    def test_the_pieces_nearest_by_words_are_those(self) -> None:
        passages = [ShownPassage(n, f"{some(2, start=n + 10)}.") for n in range(20)]
        passages.append(ShownPassage(90, "Lamps and rivers."))
        index = index_of(tuple(passages))
        assert choose("Lamps burn.", index, LEAST, cosines({"Lamps": 0.9})) == 90


class TestWordForWord:
    @pytest.mark.parametrize(("shared", "asked"), [(33, []), (32, [1])])
    def test_nineteen_parts_of_twenty_need_no_vectors(self, shared: int, asked: list[int]) -> None:
        """By weight: a word of the passage weighs log 1.5 here, one that it lacks log 2."""
        noted: list[int] = []
        index = index_of((ShownPassage(1, f"{some(shared)}."),))
        choose(f"{some(shared)} penguins.", index, LEAST, cosines({}, noted))
        assert noted == asked

    @pytest.mark.parametrize(("count", "asked"), [(4, []), (3, [1])])
    def test_a_sentence_of_three_words_needs_them(self, count: int, asked: list[int]) -> None:
        noted: list[int] = []
        index = index_of((ShownPassage(1, f"{some(30)}."),))
        choose(f"{some(count)}.", index, LEAST, cosines({}, noted))
        assert noted == asked

    def test_a_deployment_may_ask_for_more(self) -> None:
        noted: list[int] = []
        index = index_of((ShownPassage(1, f"{some(33)}."),))
        choose(f"{some(33)} penguins.", index, 0.99, cosines({}, noted))
        assert noted == [1]


class TestLive:
    @pytest.mark.parametrize(("gap", "cited"), [(56, True), (57, False)])
    def test_a_token_goes_before_so_much_white_space(self, gap: int, *, cited: bool) -> None:
        """A longer gap may have gone out, in part, before its end is seen: the stored text does the same."""
        text = f"The launch moved to March.{' ' * gap}It was late."
        injector = LiveInjector("always")
        live = "".join(_run(injector.feed(character)) for character in text) + _run(injector.close())
        assert live == _run(inject(text, "always"))
        assert live.startswith("The launch moved to March. [citation:7]") is cited

    def test_sixty_four_characters_are_held_at_most(self) -> None:
        injector = LiveInjector("always")
        given = "".join(_run(injector.feed(character)) for character in "The launch moved." + " " * 200)
        assert len("The launch moved.") + 200 - len(given) == 64

    def test_nothing_but_white_space_and_the_beginning_of_a_block_is_held(self) -> None:
        for behind in (" ", "\n", "\n-", "\n1.", "\n``", "\n~~"):
            injector = LiveInjector("always")
            assert _run(injector.feed(f"The launch moved{behind}")) == "The launch moved"
        assert _run(LiveInjector("always").feed("The launch moved (")) == "The launch moved ("


def _run(asking: Asking) -> str:
    """What comes out when passage 7 supports every sentence that is asked about."""
    try:
        next(asking)
        while True:
            asking.send(7)
    except StopIteration as end:
        return str(end.value)


@pytest.mark.parametrize(("length", "pieces"), [(600, 1), (601, 2)])
def test_a_sentence_is_cut_behind_six_hundred_characters(length: int, pieces: int) -> None:
    assert [len(piece) for piece in comparable("x" * length)] == [600, 1][:pieces]
