"""What a sentence leads to, the options and signs of a question, and the releases of changelogs."""

import pytest

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.engines.composing import compose
from footnote_agent.engines.extractive import choose
from footnote_agent.engines.marks import names_of_signs, options_in
from footnote_agent.engines.terms import words_of
from footnote_agent.tools.evidence_search import Found
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import TurnSettings
from footnote_testing.fake_neighbours import make_passage

ME = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))


def answer(
    question: str, text: str, title: str = "Manual", similarity: float = 0.7, section: list[str] | None = None
) -> str:
    """What the engine writes about one passage, or a `section` with code; empty where it refuses."""
    turn = AskedTurn("t1", "c1", ME, question, settings=TurnSettings(answer_sentences=5))
    passage = make_passage(text, title, "d1", chunk_id="c1", similarity=similarity)
    if section:
        passage = passage.model_copy(update={"kind": "code", "section": section})
    choice = choose(turn, question, Found([passage], True, [], []))
    if choice.selection is None:
        return ""
    asked = frozenset(word.lower() for word in words_of(question))
    written = compose(choice.selection.chosen, [passage], {("d1", "c1"): 1}, asked)
    return f"{' '.join(choice.missing)}|{''.join(written)}"


class TestWhatIsPromised:
    def test_a_sentence_with_the_following_has_the_list_behind_it(self) -> None:
        text = (
            "The kiln is fired in the following three ways and no other.\n\n"
            "- slowly over wood\n- quickly over gas\n- overnight over coal\n\nGlaze is sold apart from it."
        )
        assert all(fuel in answer("How is the kiln fired?", text) for fuel in ("wood", "gas", "coal"))

    def test_a_sentence_that_breaks_off_before_code_has_it_behind_it(self) -> None:
        before = "To use the kiln in a shed of your own, put in its list of tools the line"
        text = f"{before}\n\nheats = TheKiln\nburns = wood\n\nand it will be heated."
        asked = "How do I use the kiln in my own shed?"
        written = answer(asked, text, section=["c1", "c2"])
        assert written == f"|{before} [1]\n\n*Manual* [1]:\n\n```\nheats = TheKiln\nburns = wood\n```"
        whole = f"{before}.\n\nHeats: TheKiln\n\nand it will be heated."
        assert "TheKiln" not in answer(asked, whole, section=["c1", "c2"])

    def test_one_line_of_code_within_a_sentence_stands_in_it(self) -> None:
        text = (
            "To use the kiln in a shed of your own, put in its list of tools the line\n\nHeats: TheKiln\n\n"
            "and it will be heated."
        )
        written = answer("How do I use the kiln in my own shed?", text, section=["c1", "c2"])
        assert written.endswith("of tools the line `Heats: TheKiln` and it will be heated [1].")

    def test_a_sentence_without_a_promise_stands_alone(self) -> None:
        text = (
            "The kiln is fired by whoever comes first in the morning.\n\n"
            "- slowly over wood\n- quickly over gas\n\nGlaze is sold apart from it."
        )
        assert "wood" not in answer("Who fires the kiln?", text)

    def test_an_item_that_ends_with_a_colon_has_the_items_below_it(self) -> None:
        text = "Pots of the shop:\n\n- Lids of a teapot come in:\n  - blue\n  - green\n- Handles of bone\n"
        said = answer("In what do lids of a teapot come?", text)
        assert "blue" in said
        assert "green" in said

    def test_one_that_leads_to_nothing_is_left_out_where_something_answers(self) -> None:
        text = "Jars:\n\n- The lids of the jars are these:\n- The lids of the jars are made of cork\n"
        assert "these:" not in answer("What are the lids of the jars made of?", text)


class TestOptions:
    def test_the_one_that_is_asked_for_comes_and_not_its_small_letter(self) -> None:
        text = (
            "-m, --mode MODE\n  Set the mode of the directory that is made.\n\n"
            "-M\n  Make no directory for the mode that is set.\n"
        )
        said = answer("What does the option -M do?", text)
        assert "Make no directory" in said
        assert "Set the mode" not in said
        assert said.startswith("|")

    def test_are_found_as_they_are_written(self) -> None:
        assert options_in("Use -M, --create-home or a well-known -5 in foo-bar.") == {"-M", "--create-home"}

    @pytest.mark.parametrize(
        ("text", "named"),
        [
            ("If FILE is '-', it is read.", "dash hyphen"),
            ("If FILE is -, it is read.", "dash hyphen"),
            ("Read it - or leave it - at once.", ""),
            ("A `*` matches all.", "asterisk star"),
        ],
    )
    def test_signs_that_a_text_speaks_of_have_names(self, text: str, named: str) -> None:
        assert names_of_signs(text) == named

    def test_a_dash_is_the_sign_in_the_manual(self) -> None:
        text = (
            "With no file at all the pump waits for the next one. "
            "Where the file is -, the pump reads what comes in by the pipe. "
            "A file with a name that is long is cut by the pump."
        )
        assert "the pipe" in answer("What does the pump do if the file is a dash?", text)


CHANGES = (
    "== 5.3: January 20, 2023\n\n - Follow symlinks of the kettle\n - Remove the tests of the lid\n\n"
    "== 5.2: May 05, 2022\n\n - Update the copy of the spout for Linux\n - Detect kettles that were deleted\n"
)


class TestReleases:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (CHANGES, "5.2: May 05, 2022 [1]"),
            (
                "5.3 - 20 January 2023\n  - Fix: lids\n\n5.2 - 5 May 2022\n  - Fix: spouts\n",
                "5.2 - 5 May 2022 [1]",
            ),
            ("## 5.3 (2023-01-20)\n\nLids.\n\n## 5.2 (2022-05-05)\n\nSpouts.\n", "5.2 (2022-05-05) [1]"),
            (
                "kettle (5.2) unstable; urgency=low\n\n  * New spout of the kettle.\n\n"
                " -- Ana Lund <ana@example.org>  Thu, 05 May 2022 10:00:00 +0000\n",
                "05 May 2022",
            ),
        ],
    )
    def test_the_day_stands_in_the_line_above_its_changes(self, text: str, said: str) -> None:
        """Also where the words of the question are too few to find it by."""
        for similarity in (0.1, 0.7):
            assert said in answer("When was kettle 5.2 released?", text, "kettle NEWS", similarity)

    def test_another_release_is_said_to_be_missing(self) -> None:
        assert answer("When was kettle 6.1 released?", CHANGES, "kettle NEWS").startswith("6.1|")

    def test_a_change_says_its_release(self) -> None:
        said = answer("Which release removed the tests of the lid?", CHANGES, "kettle NEWS")
        assert "5.3: January 20, 2023 [1]:" in said
        assert "Remove the tests of the lid" in said


class TestLinesOfTildes:
    def test_one_below_a_title_opens_no_code(self) -> None:
        text = (
            "kettle FAQ\n~~~~~~~~~~\n\n"
            "Q: How is the kettle cleaned of lime?\n\nA: Boil it with a spoon of vinegar.\n"
        )
        said = answer("How is the kettle cleaned of lime?", text)
        assert "Boil it with a spoon of vinegar [1]." in said
        assert "```" not in said

    def test_one_that_is_closed_is_code(self) -> None:
        text = "To clean the kettle of lime:\n~~~~~~\nkettle --clean lime\n~~~~~~\n"
        assert "```" in answer("How do I clean the kettle of lime?", text)
