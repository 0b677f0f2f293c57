"""Which sentences are chosen."""

from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.engines.salience import MAX_CHARS, PassageText, clean, select, terms

HANDBOOK = PassageText(
    "d1",
    0,
    "# Leave\nEmployees get twenty-eight days of paid leave each year. Carrying days over needs the consent of a manager. "
    "Parental leave lasts up to fourteen months. Contact: https://example.org/hr",
)
NEWS = PassageText(
    "d2", 0, "The canteen serves soup on Mondays. Paid leave is twenty-eight days for employees each year."
)


def texts(question: str, sources: list[PassageText], count: int = 5) -> list[str]:
    return [sentence.text for sentence in select(question, sources, count).chosen]


class TestSelect:
    def test_puts_the_sentence_that_answers_first(self) -> None:
        assert (
            texts("How long is parental leave?", [HANDBOOK])[0]
            == "Parental leave lasts up to fourteen months."
        )

    def test_leaves_out_headings_links_and_what_has_nothing_to_do_with_it(self) -> None:
        chosen = texts("How many days of paid leave do employees get?", [HANDBOOK, NEWS])
        assert not any("#" in text or "http" in text or "soup" in text for text in chosen)

    def test_says_the_same_only_once(self) -> None:
        chosen = texts("How many days of paid leave do employees get each year?", [HANDBOOK, NEWS])
        assert sum("twenty-eight" in text for text in chosen) == 1

    def test_takes_a_sentence_of_two_overlapping_passages_once(self) -> None:
        text = "Refunds are paid within fourteen days. Shipping is never refunded by us."
        overlapping = PassageText("d1", text.index("Shipping"), text[text.index("Shipping") :])
        selection = select("Is shipping refunded?", [PassageText("d1", 0, text), overlapping], 5)
        assert [c.text for c in selection.chosen].count("Shipping is never refunded by us.") == 1

    def test_gives_no_more_than_asked_for(self) -> None:
        assert len(texts("paid leave days employees", [HANDBOOK, NEWS], 1)) == 1

    def test_covers_little_of_a_question_about_something_else(self) -> None:
        about_leave = select("How many days of paid leave do employees get?", [HANDBOOK], 5).coverage
        about_else = select("Which treaty ended the Thirty Years War in Westphalia?", [HANDBOOK], 5).coverage
        assert about_else < 0.25 < about_leave

    def test_finds_nothing_in_nothing(self) -> None:
        assert select("What?", [], 5).chosen == []
        assert select("the of and", [HANDBOOK], 5).chosen == []

    @given(st.text(max_size=200), st.lists(st.text(max_size=400), max_size=5), st.integers(1, 20))
    def test_takes_any_text_and_quotes_only_what_is_there(
        self, question: str, passages: list[str], count: int
    ) -> None:
        selection = select(question, [PassageText(str(n), 0, text) for n, text in enumerate(passages)], count)
        assert len(selection.chosen) <= count
        assert 0.0 <= selection.coverage <= 1.0 + 1e-9
        for sentence in selection.chosen:
            assert len(sentence.text) <= MAX_CHARS
            assert set("".join(sentence.text.split())) <= set("".join(passages))


class TestWords:
    def test_forms_of_a_word_meet(self) -> None:
        assert terms("refunded refunds refunding") == ["refund"] * 3
        assert terms("The vaccines were developed") == terms("a vaccine in development")

    def test_numbers_and_short_words_stay(self) -> None:
        assert terms("2019 RNA gas") == ["2019", "rna", "gas"]

    def test_marks_of_lists_and_headings_go(self) -> None:
        assert clean("## Title\n- 1. first   thing") == "1. first thing"
