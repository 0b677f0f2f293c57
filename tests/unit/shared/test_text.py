"""Sentences and hashes of text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.kernel.text import sentences, text_hash

ABBREVIATIONS = """
e.g eg i.e ie viz resp etc vs cf al Fig fig Figs Eq Eqs Sec No Nos Dr Mr Mrs Ms Prof St Inc Ltd Co Corp
approx ca vol pp p Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec U.S U.K X
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Who met Mr. Smith. They spoke.", ["Dr. Who met Mr. Smith.", "They spoke."]),
        ("See Fig. 3 for details. End.", ["See Fig. 3 for details.", "End."]),
        ("It costs 3.5 euros. Fine.", ["It costs 3.5 euros.", "Fine."]),
        ("First part\n\nsecond part", ["First part", "second part"]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        ("Done [1]. Next [2].", ["Done [1].", "Next [2]."]),
    ],
)
def test_sentences_end_where_a_reader_would_say(text: str, expected: list[str]) -> None:
    assert [sentence.text for sentence in sentences(text)] == expected


@pytest.mark.parametrize("word", ABBREVIATIONS.split())
def test_an_abbreviation_ends_no_sentence(word: str) -> None:
    assert len(sentences(f"It is so, {word}. Here it goes on.")) == 1


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "de",
            "Das gilt z. B. am 3. Oktober bzw. später. Es endet.",
            ["Das gilt z. B. am 3. Oktober bzw. später."],
        ),
        (
            "fr",
            "M. Dupont paie p. ex. chez Mme. Martin. Il part.",
            ["M. Dupont paie p. ex. chez Mme. Martin."],
        ),
        ("es", "La Sra. Pérez paga p. ej. hoy. Sale.", ["La Sra. Pérez paga p. ej. hoy."]),
        ("de", "See Fig. 3 for details. End.", ["See Fig. 3 for details."]),
        ("en", "He chose option z. Then 12. More.", ["He chose option z.", "Then 12."]),
        ("zz", "He chose option z. Then 12. More.", ["He chose option z.", "Then 12."]),
    ],
)
def test_each_language_has_its_own_abbreviations_and_ordinals(
    language: str, text: str, expected: list[str]
) -> None:
    assert [sentence.text for sentence in sentences(text, language)][:-1] == expected


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Doe et al. [1] examined it.", 1),
        ("Doe et al.[1][2] examined it.", 1),
        ("So said Doe et al. [1] The next one did not.", 2),
        ("It was read. [1] and then it was not.", 2),
        ("Who said so? [1] nobody.", 2),
    ],
)
def test_a_citation_behind_an_abbreviation_ends_no_sentence_that_goes_on(text: str, count: int) -> None:
    assert len(sentences(text)) == count


@pytest.mark.parametrize("word", ["Also", "bet", "trees", "US", "Ax"])
def test_another_word_does(word: str) -> None:
    assert len(sentences(f"It is so, {word}. Here it goes on.")) == 2


@given(st.text(alphabet=st.sampled_from("ab .!?\n\t[1]\"'。"), max_size=200))
def test_sentences_cover_the_text_in_order_and_lie_where_they_say(text: str) -> None:
    found = sentences(text)
    assert "".join("".join(s.text.split()) for s in found) == "".join(text.split())
    assert all(text[s.start : s.end] == s.text for s in found)
    assert all(a.end <= b.start for a, b in zip(found, found[1:], strict=False))


def test_layout_does_not_change_the_hash_of_a_text_and_words_do() -> None:
    assert text_hash("a  b\n c ") == text_hash("a b c")
    assert text_hash("a b c") != text_hash("a b d")
    assert len(text_hash("a b c")) == 32


class TestWordsLeftOut:
    def of(self, text: str) -> list[str]:
        return [sentence.text for sentence in sentences(text)]

    def test_end_no_sentence(self) -> None:
        assert len(self.of("We agreed . . . to push the launch. It rained.")) == 2
        assert len(self.of("We agreed . . . The launch was pushed.")) == 1

    def test_end_one_where_a_fourth_full_stop_stands(self) -> None:
        assert self.of("We agreed. . . . The launch was pushed.") == [
            "We agreed. . . .",
            "The launch was pushed.",
        ]

    def test_never_cut_a_quotation(self) -> None:
        assert len(self.of("He said “we agreed . . . . The launch was pushed” on Monday. It rained.")) == 2
        assert len(self.of('He said "we agreed . . . . The launch was pushed" on Monday. It rained.')) == 2
