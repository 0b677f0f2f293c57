"""Which words of a question are names, and whether the passages have them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.engines.names import names_of, unmentioned


def one_piece(word: str) -> int:
    return 1


class TestNames:
    @pytest.mark.parametrize(
        ("question", "names"),
        [
            ("When does the office in Shanghai open?", ["Shanghai"]),
            ("Who led the Thirty Years War?", ["Thirty Years War"]),
            ("When was version 18.04 released?", ["18.04"]),
            ("What does mp3 stand for?", ["mp3"]),
            ("What does the option --parallel of it do?", ["--parallel"]),
            ("What does -k do?", ["-k"]),
            ("What is 5 - 4, or a well-known -5?", []),
            ("Shanghai is where?", []),
            ("It says no. What should I do?", []),
            ("It says no. Should Ann do it?", ["Ann"]),
            ("How do I open it?", []),
            ("HOW DO I OPEN THE OFFICE IN SHANGHAI?", []),
        ],
    )
    def test_are_capitalised_within_the_question_or_have_a_digit(
        self, question: str, names: list[str]
    ) -> None:
        assert names_of(question, one_piece) == names

    @pytest.mark.parametrize(("pieces", "names"), [(3, ["remdesivir"]), (2, [])])
    def test_are_rare_words(self, pieces: int, names: list[str]) -> None:
        assert names_of("what is remdesivir", lambda word: pieces if word == "remdesivir" else 1) == names

    @pytest.mark.parametrize("word", ["can't", "can’t", "gull's"])
    def test_are_no_words_with_an_end_behind_their_apostrophe(self, word: str) -> None:
        assert names_of(f"why {word} fly", lambda one: 1 if one.isalpha() else 3) == []

    def test_are_no_common_words_with_a_hyphen(self) -> None:
        pieces = {"long-term": 3, "remdesivir": 3}
        asked = "what is the long-term risk of remdesivir-like drugs"
        assert names_of(asked, lambda word: pieces.get(word, 1)) == ["remdesivir-like"]

    @pytest.mark.parametrize(
        ("question", "named"),
        [("Where Do Ships lie?", True), ("Where Do The Ships lie?", False)],
    )
    def test_are_none_in_a_question_of_which_three_words_in_four_are_capitalised(
        self, question: str, named: bool
    ) -> None:
        assert bool(names_of(question, one_piece)) is named

    def test_are_no_nouns_of_german(self) -> None:
        assert names_of("Wann ist der Vertrag zu Ende?", lambda word: 5, "de") == []
        assert names_of("Was kostet das Modell X7?", lambda word: 5, "de") == ["X7"]

    @given(st.text(max_size=60))
    def test_are_words_of_the_question(self, question: str) -> None:
        for name in names_of(question, one_piece):
            assert all(word in question for word in name.split())


class TestLacking:
    def test_says_which_names_no_text_has(self) -> None:
        texts = ["The Berlin office opens at nine.", "Opening hours"]
        assert unmentioned(["Shanghai", "Berlin"], texts) == ["Shanghai"]

    def test_knows_other_forms_and_small_letters(self) -> None:
        assert unmentioned(["Magit's", "VACCINES", "PLoS"], ["magit and a vaccine in plos one"]) == []

    @pytest.mark.parametrize(
        ("name", "text", "lacking"),
        [
            ("COVID19", "Cases of COVID-19 are rare.", False),
            ("COVID19", "Cases of COVID-20 are rare.", True),
            ("Canadian", "It was tested in Canada.", False),
            ("Canadian", "It was tested in a canal.", True),
            ("Persian", "It was tested by a person.", True),
            ("delete", "It removes the file.", False),
            ("Delete", "It removes the file.", True),
            ("-delete", "It removes the file.", True),
        ],
    )
    def test_knows_names_with_a_hyphen_those_of_countries_and_words_of_one_meaning(
        self, name: str, text: str, lacking: bool
    ) -> None:
        assert unmentioned([name], [text]) == ([name] if lacking else [])

    def test_wants_an_option_as_it_is_written(self) -> None:
        assert unmentioned(["--parallel", "-k"], ["Use -k, --keep for parallel work."]) == ["--parallel"]

    @pytest.mark.parametrize(
        ("text", "lacking"),
        [
            ("Release 9.10.4 is out.", True),
            ("Release 10.41 is out.", True),
            ("Of 10 pots 4 were sold.", True),
            ("Release v10.4 is out.", False),
            ("Release 10.4.1 is out.", False),
        ],
    )
    def test_wants_a_version_whole(self, text: str, lacking: bool) -> None:
        assert bool(unmentioned(["10.4"], [text])) is lacking

    def test_wants_all_words_of_a_name(self) -> None:
        assert unmentioned(["Windows Phone"], ["It runs on Windows."]) == ["Windows Phone"]

    @pytest.mark.parametrize(
        ("text", "lacking"),
        [
            ("Version 2.17 (2005-02-18)", False),
            ("At 2005-02-18T10:00:00Z it rained.", False),
            ("It lasted from 2005-02 on.", False),
            ("Version 2.17 (2005-03-18)", True),
            ("Version 2.17 (2005-03-18), 2.16 (2004-02-13)", True),
            ("Part 12005-02-18 of 2005 fits.", True),
        ],
    )
    def test_finds_a_month_in_a_day_in_figures_of_its_year(self, text: str, lacking: bool) -> None:
        assert bool(unmentioned(["February 2005"], [text])) is lacking

    def test_finds_a_month_without_a_year_in_any(self) -> None:
        assert unmentioned(["February"], ["Version 2.17 (2005-02-18)"]) == []

    def test_wants_all_else_of_a_name_beside_the_month(self) -> None:
        assert unmentioned(["Berlin February 2005"], ["Version 2.17 (2005-02-18)"]) != []
