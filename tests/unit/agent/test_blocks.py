"""Lists, fields, tables and code are quoted as what they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.engines.block import Block
from footnote_agent.engines.blocks import blocks_of, without_blocks
from footnote_agent.engines.composing import compose
from footnote_agent.engines.leads import lead_of
from footnote_agent.engines.quotable import PassageText
from footnote_agent.engines.salience import select
from footnote_testing.fake_neighbours import make_passage

KINDS = st.sampled_from(["text", "code", "mixed", "table"])

STEPS = """\
Much is easy here. To install the tools:

1. Fetch the archive
   from the server.
2. Unpack it.
3. Call the script.

Then you are done with everything that there is."""


def only(text: str, kind: str = "text") -> Block:
    (block,) = blocks_of(text, kind)
    return block


def answer(question: str, text: str, kind: str = "text", headings: tuple[str, ...] = ()) -> str:
    passage = make_passage(text, title="The manual", kind=kind, heading_path=list(headings))
    chosen = select(question, [PassageText("d1", 0, text, headings, kind=kind)], 5).chosen
    words = frozenset(question.lower().rstrip("?").split())
    return "".join(compose(chosen, [passage], {("d1", passage.chunk_id): 7}, words))


class TestBlocks:
    def test_a_list_has_its_lead_and_its_items_with_all_their_lines(self) -> None:
        block = only(STEPS)
        assert (block.kind, block.lead) == ("list", "To install the tools:")
        assert [part.text for part in block.parts] == [
            "1. Fetch the archive\n   from the server.",
            "2. Unpack it.",
            "3. Call the script.",
        ]

    @pytest.mark.parametrize(
        ("line", "lead"),
        [
            ("**Rejected.**", "Rejected"),
            ("__What we left out__:", "What we left out"),
            ("**" + "x" * 80 + "**", "x" * 80),
            ("**" + "x" * 81 + "**", ""),
            ("**Not all** of this **stands out**", ""),
            ("****", ""),
            ("Chosen", ""),
        ],
    )
    def test_a_bold_line_leads_in_the_list_below(self, line: str, lead: str) -> None:
        """Without it, what a page rejects would read as what it says."""
        for gap in ("\n", "\n\n"):
            assert only(f"{line}{gap}- A table of its own.\n- A second queue.\n").lead == lead

    def test_what_a_page_rejects_is_said_to_be_rejected(self) -> None:
        text = "The ferry is booked by mail.\n\n**Rejected.**\n- A ferry that is booked by telephone.\n"
        text += "- Booking of the ferry by telephone at night.\n"
        said = answer("How is a ferry booked by telephone?", text)
        assert "Rejected [7]:\n\n- A ferry that is booked by telephone." in said

    def test_code_has_no_heading_that_stands_above_it(self) -> None:
        (block,) = blocks_of("## Install\n\n```sh\nnpm install it\n```", "code", "shell", ("It", "Install"))
        assert [part.text for part in block.parts] == ["npm install it"]

    def test_rows_are_shown_without_targets_of_links(self) -> None:
        rows = "name | is\n--- | ---\n[tea](#tea) | hot"
        assert "tea | hot [7]" in answer("Is tea hot?", rows, "table")

    def test_one_item_is_no_list(self) -> None:
        assert blocks_of("We agreed on\n- nothing at all.\n\nThat was it.") == []

    def test_fields_are_two_lines_with_a_key_at_least(self) -> None:
        assert only("Price: 5 euros\nColour: red").kind == "fields"
        assert blocks_of("Price: 5 euros\n\nThe colour is red.") == []

    @pytest.mark.parametrize(("length", "is_key"), [(40, True), (41, False)])
    def test_a_key_is_short(self, length: int, is_key: bool) -> None:
        found = blocks_of(f"{'k' * length}: one\n{'m' * length}: two")
        assert bool(found) is is_key

    @pytest.mark.parametrize(("key", "is_key"), [("ends of the rope", True), ("ends of the old rope", False)])
    def test_a_key_has_four_words_at_most(self, key: str, is_key: bool) -> None:
        assert bool(blocks_of(f"{key}: one\n{key}: two")) is is_key

    def test_sentences_with_a_colon_are_no_fields(self) -> None:
        assert blocks_of("This is what he said to me: no.\nThis is what she said to him: yes.") == []

    def test_a_table_has_its_head_and_caption(self) -> None:
        block = only("Prices of ropes\n\nrope | price\n--- | ---\nthin | 5\nthick | 9", "table")
        assert (block.lead, block.head) == ("Prices of ropes", ("rope | price", "--- | ---"))
        assert [part.text for part in block.parts] == ["thin | 5", "thick | 9"]

    def test_code_is_what_stands_between_the_fences(self) -> None:
        block = only("Run this:\n\n```sh\nmake  all\n```\nAnd wait.")
        assert (block.kind, block.language, block.lead) == ("code", "sh", "Run this:")
        assert block.parts[0].text == "make  all"

    def test_a_fence_that_nothing_closes_goes_on_to_the_end(self) -> None:
        assert only("```\na\nb").parts[0].text == "a\nb"

    def test_code_does_not_begin_with_its_heading(self) -> None:
        (block,) = blocks_of("SYNOPSIS\n\ngit gc", "code", None, ["NAME", "SYNOPSIS"])
        assert block.parts[0].text == "git gc"

    def test_what_introduces_something_ends_with_a_colon(self) -> None:
        assert lead_of("All is well. You need the following:\n") == "You need the following:"
        assert lead_of("All is well.") == ""

    @pytest.mark.parametrize(("lines", "whole"), [(13, True), (14, False)])
    def test_what_introduces_something_has_a_dozen_lines_before_its_last(
        self, lines: int, whole: bool
    ) -> None:
        text = "You need" + "\nand need" * (lines - 1) + " this:"
        assert lead_of(text).startswith("You need") is whole

    @given(
        st.text(alphabet="-*1.ab:| `~\n", max_size=150), st.sampled_from(["text", "code", "mixed", "table"])
    )
    def test_any_text_has_blocks_in_order_and_apart(self, text: str, kind: str) -> None:
        found = blocks_of(text, kind)
        ends = [0, *(block.end for block in found)]
        assert all(block.start >= end for block, end in zip(found, ends, strict=False))
        assert len(without_blocks(text, found)) == len(text)
        for block in found:
            for part in block.parts:
                assert text[part.start : part.start + len(part.text)] == part.text


class TestAnAnswer:
    def test_shows_a_list_that_is_asked_for_as_a_list_with_one_number(self) -> None:
        steps = "1. Fetch the archive from the server.\n2. Unpack it.\n3. Call the script."
        assert answer("How do I install the tools?", STEPS) == f"To install the tools [7]:\n\n{steps}"

    def test_shows_the_item_alone_where_the_list_is_about_more(self) -> None:
        text = "Our offices:\n\n- Berlin has a garden.\n- Paris has a cellar.\n- Rome has a roof."
        assert answer("Which place has a cellar?", text) == "Our offices [7]:\n\n- Paris has a cellar."

    @pytest.mark.parametrize(("items", "whole"), [(12, True), (13, False)])
    def test_shows_no_long_list_whole(self, items: int, whole: bool) -> None:
        listed = "\n".join(f"- Thing {number} is at hand." for number in range(items))
        shown = answer("Which spare parts belong to the kit?", f"Spare parts of the kit:\n\n{listed}")
        assert (shown.count("\n- ") == items) is whole

    def test_shows_a_list_whole_below_its_heading_and_not_below_the_title_of_the_page(self) -> None:
        text = "Words.\n\n- Ropes are thin.\n- Boats are old.\n- Nets are wet.\n- Ropes hang here."
        question = "Which kinds of ropes are sold?"
        below_title = answer(question, text, headings=("Kinds of ropes sold",))
        below_heading = answer(question, text, headings=("Shop", "Kinds of ropes sold"))
        assert "Nets are wet" not in below_title
        assert "Nets are wet" in below_heading

    def test_shows_the_row_below_the_head_of_its_table(self) -> None:
        text = "rope | price\n--- | ---\nthin | 5\nthick | 9"
        shown = answer("What does the thick one cost?", text, "table")
        assert shown == "rope | price\n--- | ---\nthick | 9 [7]"

    def test_keeps_the_number_inside_a_closed_row(self) -> None:
        text = "| rope | price |\n|---|---|\n| thin | 5 |"
        assert answer("thin", text, "table").endswith("| thin | 5 [7] |")

    def test_shows_code_character_by_character_behind_its_heading(self) -> None:
        code = "for x in a[1:]:\n    print(x)  # [2]"
        assert answer("How do I print x?", code, "code", ("Loops",)) == f"*Loops* [7]:\n\n```\n{code}\n```"

    def test_lets_no_code_close_its_own_fence(self) -> None:
        shown = answer("How do I print ticks?", "print ticks\n````\nmore", "code")
        assert shown.endswith("`````\nprint ticks\n````\nmore\n`````")

    @pytest.mark.parametrize(("lines", "whole"), [(24, True), (25, False)])
    def test_of_long_code_shows_the_lines_that_are_asked_for(self, lines: int, whole: bool) -> None:
        code = "\n".join(["start()", *(f"step({n})" for n in range(lines - 2)), "finish the work"])
        shown = answer("Where does it finish the work?", code, "code")
        assert "finish the work" in shown
        assert ("start()" in shown) is whole

    def test_disarms_what_a_list_holds(self) -> None:
        text = "The ropes are:\n\n- thin [3] ![x](http://evil.example/a)\n- thick <script>"
        shown = answer("Which are the ropes?", text)
        assert "[3]" not in shown
        assert "http" not in shown
        assert "<script" not in shown

    def test_takes_the_lead_from_the_passage_that_ends_with_it(self) -> None:
        lead = "The following files are needed:"
        items = "- a.txt for the names\n- b.txt for the places"
        sources = [PassageText("d1", 0, lead), PassageText("d1", len(lead) + 2, items, kind="list")]
        passages = [make_passage(lead), make_passage(items)]
        chosen = select("Which files are needed?", sources, 5).chosen
        numbers = {(p.document_id, p.chunk_id): n for n, p in enumerate(passages, 1)}
        shown = "".join(compose(chosen, passages, numbers, frozenset()))
        assert shown == f"The following files are needed [2]:\n\n{items}"


class TestLedCommands:
    @pytest.mark.parametrize(
        "line",
        ["export EDITOR=/bin/nano", "ufw deny 80/tcp", "./run-tests --all", "$ make", "LANG=C sort -u"],
    )
    def test_a_command_behind_a_colon_is_code(self, line: str) -> None:
        (block,) = blocks_of(f"Put a line like this in your file:\n\n{line}\n\nThen start it again.")
        assert (block.kind, block.parts[0].text) == ("code", line)
        assert block.lead == "Put a line like this in your file:"

    @pytest.mark.parametrize(
        "line",
        [
            "and this goes on as a sentence/line.",
            "https://example.org/a",
            "many words of plain speech",
            "Anna Smith",
        ],
    )
    def test_what_is_no_command_is_none(self, line: str) -> None:
        assert not blocks_of(f"It is found here:\n\n{line}\n\nThen start it again.")

    def test_without_a_colon_there_is_none(self) -> None:
        assert not blocks_of("Put a line in your file.\n\nexport EDITOR=/bin/nano\n")
