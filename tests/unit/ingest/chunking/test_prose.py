"""Where running text is cut, and how much of it is looked at together."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tokenizers import Tokenizer, models

from footnote_ingest.chunking.prose import cut
from footnote_ingest.chunking.token_counter import Span, TokenCounter
from footnote_ingest.parsing.elements import Element
from tests.unit.ingest.chunking.extracts import made_of
from tests.unit.ingest.defaults import chunk_limits

NARROW = chunk_limits(size=8, overlap=0.0, limit=20)


def texts_of(text: str, counter: TokenCounter) -> list[str]:
    extracted = made_of(("paragraph", text))
    return [extracted.text[c.start : c.end] for c in cut(extracted.elements, counter, NARROW)]


class RecordedPieces(TokenCounter):
    """Says that each text is one token, and remembers how long the texts were that it saw together."""

    def __init__(self) -> None:
        super().__init__(Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")))
        self.seen: list[list[int]] = []

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        self.seen.append([len(text) for text in texts])
        return [[(0, 1)] for _ in texts]


def elements(*texts: str) -> list[Element]:
    return list(made_of(*(("paragraph", text) for text in texts)).elements)


class TestSentences:
    @pytest.mark.parametrize("end", [".", "!", "?", "…", ":", ";"])
    @pytest.mark.parametrize("closer", ["", '"', "'", ")", "]", "}", "”", "’", "»"])
    def test_a_text_is_cut_behind_a_sentence(self, counter: TokenCounter, end: str, closer: str) -> None:
        first = f"one two three four{end}{closer}"
        assert texts_of(f"{first} six seven eight nine", counter)[0] == first

    @pytest.mark.parametrize("end", ["。", "！", "？"])
    def test_or_behind_a_full_stop_without_a_space(self, counter: TokenCounter, end: str) -> None:
        first = f"one two three four five{end}"
        assert texts_of(f"{first}six seven eight nine", counter)[0] == first

    def test_a_comma_does_not_end_a_sentence(self, counter: TokenCounter) -> None:
        assert texts_of("one two three four, six seven eight nine", counter)[0].endswith("eight")


class TestSentencesOverleaf:
    def test_are_as_close_as_lines(self, counter: TokenCounter) -> None:
        """Two paragraphs part where the first ends; a sentence that goes on overleaf stays whole."""
        texts = "a b c", "one two three four", "five six"
        begun, middle, rest = elements(*texts)
        assert [(c.first, c.last) for c in cut([begun, middle, rest], counter, NARROW)] == [(0, 1), (2, 2)]
        goes_on = [begun, middle, replace(rest, goes_on=True)]
        assert [(c.first, c.last) for c in cut(goes_on, counter, NARROW)] == [(0, 0), (1, 2)]


class TestLongTokens:
    @pytest.mark.parametrize(("length", "tokens"), [(24, 1), (25, 7)])
    def test_count_by_their_length(self, counter: TokenCounter, length: int, tokens: int) -> None:
        (whole,) = cut(elements("x" * length), counter, NARROW)
        assert whole.tokens == tokens

    def test_have_four_characters_to_a_token(self, counter: TokenCounter) -> None:
        assert texts_of("x" * 50, counter) == ["x" * 32, "x" * 18]


class TestPieces:
    def test_of_a_text_have_100000_characters_at_most(self) -> None:
        recording = RecordedPieces()
        list(cut(elements("a " * 100_001), recording, NARROW))
        assert recording.seen == [[100_000, 100_000, 1]]

    @pytest.mark.parametrize(("space", "first"), [(99_800, 99_801), (99_799, 2)])
    def test_end_at_one_of_the_last_200_characters_or_else_at_a_line(self, space: int, first: int) -> None:
        text = "x\n" + "x" * (space - 2) + " " + "x" * 60_000
        recording = RecordedPieces()
        list(cut(elements(text), recording, NARROW))
        assert recording.seen[0][0] == first

    def test_are_cut_together_up_to_400000_characters(self) -> None:
        recording = RecordedPieces()
        list(cut(elements(*["x" * 80_000] * 6), recording, NARROW))
        assert [sum(window) for window in recording.seen] == [400_000, 80_000]
