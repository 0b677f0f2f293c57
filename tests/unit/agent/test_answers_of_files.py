"""What people ask of their files: who wrote it, which row, which command, and nothing beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.agent.test_blocks import answer

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.engines.asked_things import asks_which_things
from footnote_agent.engines.blocks import blocks_of
from footnote_agent.engines.composing import compose
from footnote_agent.engines.cues import cue_of
from footnote_agent.engines.extractive import MOST_BESIDE_CELL, choose
from footnote_agent.engines.fitting_sentences import can_be_quoted
from footnote_agent.engines.plain_rows import FEWEST_RECORDS, LONGEST_RAGGED, MOST_OF_ROW
from footnote_agent.tools.evidence_search import Found
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import Passage
from footnote_shared.contracts.turns import TurnSettings
from footnote_testing.fake_neighbours import make_passage

ME = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))
TEMPI = "Largo        1/4=56         Vivace         1/4=168\n"
MORE_TEMPI = (
    "Adagio       1/4=59         Vivo           1/4=180\nLento        1/4=62         Presto         1/4=192\n"
)
ANDANTE = "Andante      1/4=88         Prestissimo    1/4=240\n"
KEYS = "i lists inventory\nd drops items\ng or , pick up items from the ground\nS saves the game\n"


def told(question: str, *passages: Passage, sufficient: bool = True) -> tuple[list[str], str]:
    """The names that are said to be missing, and the answer; empty where there is none."""
    turn = AskedTurn("t1", "c1", ME, question, settings=TurnSettings(answer_sentences=5))
    choice = choose(turn, question, Found(list(passages), sufficient, [], []))
    if choice.selection is None:
        return [], ""
    numbers = {(one.document_id, one.chunk_id): n for n, one in enumerate(passages, 1)}
    asked = frozenset(question.lower().rstrip("?").split())
    return list(choice.missing), "".join(compose(choice.selection.chosen, passages, numbers, asked))


class TestCommands:
    def test_what_root_types_is_shown_behind_the_words_that_break_off_before_it(self) -> None:
        text = (
            "If changes are desired, the image needs to be made anew. This is achieved by the command\n\n"
            "# kettle-reconfigure image-3.2\n\nwhere image-3.2 is the name of the image."
        )
        said = answer("How do I make the image anew?", text)
        assert "This is achieved by the command [7]:\n\n```\n# kettle-reconfigure image-3.2\n```" in said
        assert "where image" not in said

    def test_a_heading_with_the_same_sign_is_no_command(self) -> None:
        text = "The kettle boils water.\n\n# how to boil\n\nFill the kettle with water and press it."
        assert "```" not in answer("How do I boil water in the kettle?", text)

    def test_words_that_lead_to_the_next_command_are_none(self) -> None:
        text = "pip install kettle\n\nor from source:\n\npython setup.py install"
        said = answer("How do I install the kettle?", text, kind="mixed", headings=("Kettle", "Installation"))
        assert "```\nor from source" not in said

    def test_a_pattern_of_names_is_code_behind_what_leads_to_it(self) -> None:
        text = "A post has to be named in the following form:\n\n          \nYEAR-MONTH-DAY-title.EXT\n"
        block = blocks_of(text)[0]
        assert (block.kind, block.parts[0].text) == ("code", "YEAR-MONTH-DAY-title.EXT")
        assert block.lead == "A post has to be named in the following form:"


class TestRows:
    def test_of_columns_the_row_with_the_word_is_quoted(self) -> None:
        said = answer("What tempo is Andante?", f"These are used:\n\n{TEMPI}{MORE_TEMPI}{ANDANTE}")
        assert said == "These are used [7]:\n\n- Andante 1/4=88 Prestissimo 1/4=240"

    @pytest.mark.parametrize(("rows", "kind"), [(FEWEST_RECORDS, "fields"), (FEWEST_RECORDS - 1, None)])
    def test_columns_have_four_rows(self, rows: int, kind: str | None) -> None:
        found = blocks_of("".join(f"alpha {'x' * row}  beta  {row}\n" for row in range(1, rows + 1)))
        assert [block.kind for block in found] == ([kind] if kind else [])

    def test_two_blanks_behind_a_sentence_make_no_columns(self) -> None:
        assert not blocks_of("The gull eats.  The gull sleeps\nat night.  It flies by day\n" * 3)

    @pytest.mark.parametrize(("size", "found"), [(MOST_OF_ROW, True), (MOST_OF_ROW + 1, False)])
    def test_a_row_of_columns_is_no_longer_than_a_line(self, size: int, found: bool) -> None:
        row = f"alpha  beta  {'x' * (size - 13)}\n"
        assert bool(blocks_of(row * FEWEST_RECORDS)) is found

    def test_of_short_lines_each_is_one_and_the_number_that_is_asked_for_tells_which(self) -> None:
        assert answer("Which key picks up items?", KEYS, headings=("Game", "Commands")).endswith(
            "- g or , pick up items from the ground"
        )
        flats = "7 sharps: C#\n5 sharps: B\n3 flats : Eb\n5 flats : Db\n"
        assert answer("Which key has three flats?", flats, headings=("Game", "Keys")).endswith(
            "- 3 flats : Eb"
        )

    def test_lines_that_were_wrapped_are_sentences(self) -> None:
        text = "gulls of the harbour eat what the boats\nleave there, and then they fly out to sea\n"
        assert not blocks_of(text * 3)

    @pytest.mark.parametrize(("size", "found"), [(LONGEST_RAGGED, True), (LONGEST_RAGGED + 1, False)])
    def test_long_lines_are_no_rows(self, size: int, found: bool) -> None:
        text = f"d drop\ne eat it\n{'x' * (size - 2)} y\nq quit\n"
        assert bool(blocks_of(text)) is found

    @given(st.lists(st.text("ab .:|-#`1\t", max_size=12), max_size=12))
    def test_blocks_stand_where_they_are_said_to(self, lines: list[str]) -> None:
        text = "\n".join(lines)
        behind = 0
        for block in blocks_of(text):
            assert behind <= block.start <= block.end <= len(text)
            behind = block.end
            assert all(text.startswith(part.text, part.start) for part in block.parts)

    def test_one_name_that_is_a_whole_cell_brings_its_row(self) -> None:
        table = "| package | author |\n| --- | --- |\n| KODBC | Ada Byron |\n| KODBC2 | Max Kuhn |\n"
        row = make_passage(table, "authors.csv", "d1", chunk_id="c1", kind="table", similarity=0.2)
        assert "Ada Byron" in told("Who wrote KODBC?", row, sufficient=False)[1]
        assert "Max Kuhn" not in told("Who wrote KODBC?", row, sufficient=False)[1]
        assert told("Who wrote KODBT?", row, sufficient=False)[1] == ""
        many = f"Which {' '.join(['old', 'red', 'big'][:MOST_BESIDE_CELL])} ships does KODBC sail?"
        assert told(many, row, sufficient=False)[1] == ""

    def test_an_item_that_was_wrapped_goes_on_in_capitals(self) -> None:
        long = "- Next you are asked to fill in the form with your name. Select"
        text = f"Steps:\n\n{long}\nSubmit when finished.\n- Wait for the mail."
        assert blocks_of(text)[0].parts[0].text.endswith("Submit when finished.")


class TestWho:
    @pytest.mark.parametrize(
        "asked", ["Who wrote the gull manifesto?", "Who is the author of the gull manifesto?"]
    )
    def test_the_line_of_the_title_page_is_all_that_is_said(self, asked: str) -> None:
        text = (
            "The Gull Manifesto\n\nWritten by Ian A. Murdock\n\n"
            "The gull will eventually be distributed by The Free Bird Foundation on paper and on tape."
        )
        assert answer(asked, text) == "Written by Ian A. Murdock [7]"

    def test_what_is_written_by_nobody_is_no_such_line(self) -> None:
        assert can_be_quoted("Written by Ian A. Murdock")
        assert not can_be_quoted("by using the kettle with care")

    @pytest.mark.parametrize(
        ("question", "says"),
        [("Who wrote it?", True), ("Who ate it?", False), ("Wer hat es geschrieben?", False)],
    )
    def test_only_who_asks_for_authors_is_told_them(self, question: str, says: bool) -> None:
        cue = cue_of(question)
        assert bool(cue and cue.says("The kettle was developed by Ada Byron.")) is says

    def test_marks_of_a_comment_are_no_text(self) -> None:
        text = "/* kettle.c: it boils water until the mark is met. Version of Mark Adler */"
        said = answer("Who wrote kettle.c?", text)
        assert "kettle.c: it boils" in said
        assert "*" not in said


class TestDefinitions:
    def test_what_something_is_called_defines_it(self) -> None:
        text = (
            "Birds eat CEROs by day. A set of series is referred to as a CERO, and no other. CEROs are few."
        )
        assert answer("What is a CERO?", text).startswith("A set of series is referred to as a CERO")

    def test_words_that_only_ask_are_not_looked_for(self) -> None:
        text = (
            "The purpose of all birds is not known. Excess is what the keeper adds to the water for safety."
        )
        assert answer("What is the purpose of excess?", text).startswith("Excess is what")

    def test_the_last_clause_asks(self) -> None:
        cue = cue_of("I am no lawyer, how do I sign up?")
        assert cue is not None
        assert cue.asked == "way"


class TestMissing:
    def test_a_name_in_another_passage_of_the_same_document_is_not_missing(self) -> None:
        near = make_passage(
            "The image is made anew with a kettle command.", "Images", "d1", chunk_id="c1", similarity=0.8
        )
        other = make_passage("Booting Tebian has two stages.", "Images", "d1", chunk_id="c2", similarity=0.3)
        foreign = make_passage("Booting Tebian has two stages.", "Boots", "d2", chunk_id="c2", similarity=0.3)
        asked = "How is the image made anew on Tebian?"
        assert told(asked, near, other)[0] == []
        assert told(asked, near, foreign)[0] == ["Tebian"]


class TestNothingBeside:
    def test_another_document_that_lacks_its_name_is_not_quoted(self) -> None:
        best = make_passage(
            "You choose one of the skill levels novice and expert at the start.",
            "Trek",
            "d1",
            chunk_id="c1",
            similarity=0.7,
        )
        other = make_passage(
            "The server sends the skill levels that you can choose.",
            "Protocol",
            "d2",
            chunk_id="c2",
            similarity=0.7,
        )
        said = told("Which skill levels can I choose in trek?", best, other)[1]
        assert "novice" in said
        assert "server" not in said

    def test_a_piece_that_goes_on_with_something_else_is_no_answer(self) -> None:
        assert not can_be_quoted("available only to members of the world for developers of kettles, and")
        assert can_be_quoted(
            "kettle.c: an example of how water is boiled until it has the size that is wanted"
        )
        assert not can_be_quoted(". . E . 1 condition RED 2 x y z 3 4 . * K")

    def test_the_title_is_no_answer(self) -> None:
        title = "Instructions for Creating an Account on the Electronic Filing System of the Court of Gulls"
        text = f"{title}\n\nYou create an account by a visit of the court of gulls."
        assert title not in answer("How is an account created?", text, headings=(title,))

    @pytest.mark.parametrize(
        ("question", "several"),
        [
            ("which package integrates ivy", False),
            ("which operating systems are supported", True),
            ("which file formats", True),
            ("in which releases did it work", True),
        ],
    )
    def test_a_verb_is_no_plural(self, question: str, several: bool) -> None:
        assert asks_which_things(question.split()) is several

    def test_items_that_share_a_word_with_the_one_that_is_asked_for_are_not_all_quoted(self) -> None:
        items = "".join(
            f"- {name}-ship provides {name.title()} integration\n"
            for name in ("ivy", "helm", "rails", "org", "tree", "bar")
        )
        said = answer("Which package integrates the ship with Ivy?", f"Packages for the ship:\n\n{items}")
        assert "ivy-ship" in said
        assert "rails-ship" not in said or "tree-ship" not in said

    def test_a_label_has_what_it_says_and_the_number_that_is_asked_for(self) -> None:
        item = (
            "Staging Directory. A directory that is large enough for a tenth of the data. "
            "The directory must be open to all nodes that have the directory in their backup list. "
            f"A minimum of 50 GB is recommended. {'The rest is long. ' * 12}"
        )
        passage = make_passage(
            f"Fields:\n\n- {item}\n- Provider. Choose one.", "Backup", "d1", chunk_id="c1", similarity=0.8
        )
        question = "How big should the staging directory be?"
        turn = AskedTurn("t1", "c1", ME, question, settings=TurnSettings(answer_sentences=5))
        selection = choose(turn, question, Found([passage], True, [], [])).selection
        assert selection is not None
        cue = cue_of(question)
        assert cue is not None
        words = frozenset(question.lower().rstrip("?").split())
        said = "".join(compose(selection.chosen, [passage], {("d1", "c1"): 1}, words, cue.holds))
        assert "large enough for a tenth" in said
        assert "50 GB" in said
