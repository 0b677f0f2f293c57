"""What is quoted beside the best part, and what is not: each number between two cases close to it."""

from dataclasses import replace

import pytest
from tests.unit.agent.test_blocks import answer
from tests.unit.agent.test_choice_thresholds import MANY, PLAIN, chosen

from footnote_agent.engines.companions import NEXT
from footnote_agent.engines.fitting_sentences import WORDS_OF_PLACEHOLDER, can_be_quoted
from footnote_agent.engines.part_scores import DEFAULT
from footnote_agent.engines.quotable import PassageText
from footnote_agent.engines.salience import MOST_OF_NAME, select
from footnote_agent.engines.word_pieces import word_rarity

NUMBERED = "Ropes lie in 12 boxes below deck."
PLAIN_ROPE = "Ropes hang on the wall of the house."


class TestWeights:
    @pytest.mark.parametrize(("numbered_ahead", "stays"), [(0.66, True), (0.67, False)])
    def test_what_another_passage_says_is_three_fifths_as_good(
        self, numbered_ahead: float, stays: bool
    ) -> None:
        by = replace(PLAIN, other=DEFAULT.other, form=numbered_ahead)
        ranked = chosen("ropes", [NUMBERED, PLAIN_ROPE], by, question=MANY)
        assert (PLAIN_ROPE in ranked) is stays
        assert PLAIN_ROPE in chosen("ropes", [f"{NUMBERED} {PLAIN_ROPE}"], by, question=MANY)

    @pytest.mark.parametrize(
        ("query", "stays"),
        [
            ("red blue green white black brown grey gold pink", True),
            ("red blue green white black brown grey gold tan sable pink", False),
        ],
    )
    def test_that_holds_where_the_best_part_has_nine_tenths_of_the_question(
        self, query: str, stays: bool
    ) -> None:
        by = replace(PLAIN, other=DEFAULT.other, most=DEFAULT.most)
        best = f"The {query.removesuffix(' pink')} flags fly over the town."
        other = "A pink lamp hangs over the old door."
        assert (other in chosen(query, [best, other], by)) is stays

    @pytest.mark.parametrize(("numbered_ahead", "stays"), [(0.42, True), (0.44, False)])
    def test_in_a_manual_what_stands_beside_the_best_is_seven_tenths_as_good(
        self, numbered_ahead: float, stays: bool
    ) -> None:
        by = replace(PLAIN, apart=DEFAULT.apart, form=numbered_ahead)
        headed = PassageText("d", 0, f"{NUMBERED} {PLAIN_ROPE}", ("Store",))
        assert (PLAIN_ROPE in chosen("ropes", [headed], by, question=MANY)) is stays

    @pytest.mark.parametrize(
        ("known", "stays"), [("red blue black white", True), ("red blue black white grey", False)]
    )
    def test_that_holds_where_the_best_part_has_three_fifths_of_the_question(
        self, known: str, stays: bool
    ) -> None:
        by = replace(PLAIN, apart=1.0, firm=DEFAULT.firm, loose=0.0)
        best = f"The {known} flags fly over the town."
        beside = "A brown lamp of pink and green hangs there."
        headed = PassageText("d", 0, f"{best} {beside}", ("Flags",))
        assert (beside in chosen(f"{known} brown pink green", [headed], by)) is stays

    @pytest.mark.parametrize(("numbered_ahead", "stays"), [(1.49, True), (1.51, False)])
    def test_else_two_fifths_are_enough(self, numbered_ahead: float, stays: bool) -> None:
        by = replace(PLAIN, apart=1.0, firm=2.0, loose=DEFAULT.loose, form=numbered_ahead)
        headed = PassageText("d", 0, f"{NUMBERED} {PLAIN_ROPE}", ("Store",))
        assert (PLAIN_ROPE in chosen("ropes", [headed], by, question=MANY)) is stays

    @pytest.mark.parametrize(("running", "stays"), [(0, False), (1, False), (2, True), (3, True)])
    def test_text_is_a_manual_where_most_of_its_lines_are_indented(self, running: int, stays: bool) -> None:
        by = replace(PLAIN, apart=DEFAULT.apart, form=1.0)
        lines = ["They keep the boats in the harbour."] * running
        text = "\n\n".join([f"   {NUMBERED}", f"   {PLAIN_ROPE}", *lines])
        text = text if running < 2 else text.replace(f"   {PLAIN_ROPE}", PLAIN_ROPE)
        assert (PLAIN_ROPE in chosen("ropes", [text], by, question=MANY)) is stays

    @pytest.mark.parametrize(("numbered_ahead", "away_first"), [(0.66, False), (0.67, True)])
    def test_what_sends_the_reader_elsewhere_has_three_fifths_of_its_match(
        self, numbered_ahead: float, away_first: bool
    ) -> None:
        by = replace(PLAIN, away=DEFAULT.away, form=numbered_ahead)
        away = "See page 12 for the ropes of the house."
        ranked = chosen("ropes", [PLAIN_ROPE, away], by, question=MANY)
        assert (ranked[0] == away) is away_first

    @pytest.mark.parametrize(("head_start", "option_first"), [(2.3, True), (2.5, False)])
    def test_an_option_whose_name_is_asked_for_has_half_of_a_match_more(
        self, head_start: float, option_first: bool
    ) -> None:
        by = replace(PLAIN, named=DEFAULT.named, rank=head_start)
        options = (
            "-m, --create-home\n\nMake the home of a user there, with its files.\n\n"
            "-k, --skel\n\nThe files that go there when it is made.\n"
        )
        ranked = chosen("create home", ["They create a home for the old sailors.", options], by)
        assert ranked[0].startswith("-m") is option_first

    @pytest.mark.parametrize("opening", ["Please consult", "For more information see", "Siehe", "Voir"])
    def test_the_phrases_that_do_so_are_of_several_languages(self, opening: str) -> None:
        by = replace(PLAIN, away=0.1)
        away = f"{opening} the ropes there, all the ropes of the house."
        assert chosen("ropes", [away, PLAIN_ROPE], by)[0] == PLAIN_ROPE

    def test_a_word_of_any_text_counts_less_than_a_rare_one(self) -> None:
        sources = [
            PassageText("0", 0, "There the red boats lie in the harbour."),
            PassageText("1", 0, "Somebody keeps capstans in the old house."),
        ]
        rarity = {"red": 0.2, "capstans": 1.0}
        question = "red capstans"
        assert select(question, sources, 1, PLAIN).chosen[0].document == "0"
        by_rarity = select(question, sources, 1, PLAIN, rarity=lambda word: rarity.get(word, 1.0))
        assert by_rarity.chosen[0].document == "1"


def test_a_word_is_rarer_the_fewer_texts_have_it() -> None:
    rarity = word_rarity()
    found = [rarity(word) for word in ("the", "many", "rope", "capstans")]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (0.0, 1.0)


class TestNumbers:
    def test_of_the_title_hold_for_all_below_it(self) -> None:
        by = replace(PLAIN, lacking=0.5, rank=4.0)
        titled = PassageText("0", 0, "This release mends 33 faults of the kettle.", title="Kettle 3.5.0")
        other = PassageText("1", 0, "In the release 3.5.0 the kettle is red.")
        assert chosen("release 3.5.0 kettle", [titled, other], by)[0] == titled.text


class TestTitles:
    @pytest.mark.parametrize(("head_start", "named_first"), [(1.33, False), (1.44, True)])
    def test_a_word_of_the_title_counts_three_tenths_for_all_below_it(
        self, head_start: float, named_first: bool
    ) -> None:
        by = replace(PLAIN, titled=DEFAULT.titled, rank=head_start)
        named = PassageText("0", 0, "A lid of blue steel lies in the shed.", title="Kettles")
        other = PassageText("1", 0, "They keep kettles with a lid in the shed.")
        assert (chosen("kettles lid", [named, other], by)[0] == named.text) is named_first

    @pytest.mark.parametrize(("words", "named"), [(MOST_OF_NAME, True), (MOST_OF_NAME + 1, False)])
    def test_a_long_one_is_a_sentence_and_names_nothing(self, words: int, named: bool) -> None:
        by = replace(PLAIN, titled=1.0, rank=0.1)
        title = " ".join(["Kettles", "red", "green", "blue", "brown", "black", "white"][:words])
        under = PassageText("0", 0, "A lid of steel lies in the shed.", title=title)
        other = PassageText("1", 0, "They keep kettles with a lid in the shed.")
        assert (chosen("kettles lid", [under, other], by)[0] == under.text) is named


class TestCode:
    TEXT = "The kettle returns the heat of its water.\n\n```\nkettle returns the heat\n```"

    @pytest.mark.parametrize(
        ("question", "quoted"),
        [
            ("How do I see what heat the kettle returns?", True),
            ("What does the kettle return as heat?", False),
        ],
    )
    def test_is_not_quoted_beside_what_is_said_in_words(self, question: str, quoted: bool) -> None:
        ranked = chosen("kettle returns heat", [self.TEXT], PLAIN, question=question)
        assert ("kettle returns the heat" in ranked) is quoted

    def test_that_only_stands_near_is_not_quoted_either(self) -> None:
        text = self.TEXT.replace("\nkettle returns the heat", "\nkettle returns it")
        assert chosen("kettle returns heat", [text], PLAIN) == ["The kettle returns the heat of its water."]

    def test_that_is_a_synopsis_has_three_fifths_of_its_match(self) -> None:
        synopsis = "Do this:\n\n    ropes --all [-x]"
        assert chosen("ropes", [synopsis, PLAIN_ROPE], PLAIN)[0] == "    ropes --all [-x]"
        assert chosen("ropes", [synopsis, PLAIN_ROPE], replace(PLAIN, away=DEFAULT.away))[0] == PLAIN_ROPE


class TestLists:
    LID = (
        "The parts of a kettle:\n\n- The lid keeps the water in.\n- The spout pours.\n- The handle is held.\n"
    )

    def test_of_a_list_only_the_item_that_the_question_names_is_quoted(self) -> None:
        assert chosen("parts of a kettle and lid", [self.LID], PLAIN, count=1) == [
            "- The lid keeps the water in."
        ]

    def test_what_asks_for_many_gets_the_list(self) -> None:
        by = replace(PLAIN, context=DEFAULT.context)
        whole = chosen(
            "parts kettle lid", [self.LID], by, count=1, question="What are the parts of a kettle lid?"
        )
        assert len(whole) == 3

    def test_of_the_options_of_a_manual_only_those_that_match_are_quoted(self) -> None:
        options = "-c\n    Create a file of ropes.\n\n-D\n    Delete the given user.\n"
        ranked = chosen(
            "delete user ropes", [PassageText("d", 0, options, ("t", "Ropes user"))], PLAIN, count=1
        )
        assert [one.partition("\n")[0] for one in ranked] == ["-D"]


class TestSentences:
    @pytest.mark.parametrize(("words", "fits"), [(2 * WORDS_OF_PLACEHOLDER, False), (11, True)])
    def test_with_many_placeholders_are_the_synopsis_of_a_command(self, words: int, fits: bool) -> None:
        assert can_be_quoted(f"kettle [lid] [heat]{' boil' * (words - 3)}.") is fits

    def test_that_go_on_behind_a_block_are_not_quoted(self) -> None:
        ending = "where the water of the old house is clear."
        assert not any(
            "where" in one for one in chosen("water", [f"```\nkettle cold water\n```\n\n{ending}"], PLAIN)
        )
        assert chosen("water", [f"cold is the water of any kettle. {ending}"], PLAIN) == [
            "cold is the water of any kettle.",
            ending,
        ]

    def test_that_lean_on_another_have_it_before_them_and_not_what_sends_elsewhere(self) -> None:
        first = "Kettles are cold in the morning of any day."
        example = "For example, the water of a kettle is ice."
        between = "(See the section of the manual on water.)"
        by = replace(PLAIN, cut=0.9)
        assert chosen("ice", [f"{first} {between} {example}"], by) == [example, first]

    @pytest.mark.parametrize(
        ("turn", "stays"),
        [
            ("But never on a Sunday in winter.", True),
            ("Aber niemals an einem Sonntag im Winter.", True),
            ("Nobody works on a Sunday in winter.", False),
        ],
    )
    def test_that_turn_what_the_best_part_says_are_quoted_with_it(self, turn: str, stays: bool) -> None:
        by = replace(PLAIN, cut=0.5)
        assert (turn in chosen("ropes", [f"{PLAIN_ROPE} {turn}"], by)) is stays
        assert turn not in chosen("ropes", [f"{PLAIN_ROPE} {turn}"], by, count=1)
        two: list[PassageText | str] = [f"{PLAIN_ROPE} {turn}", NUMBERED]
        assert (NUMBERED in chosen("ropes", two, by, count=2)) is not stays

    @pytest.mark.parametrize(
        ("turn", "stays"), [("Do not wait.", True), ("Never wait.", False), ("Do not wait?", False)]
    )
    def test_that_do_so_may_be_short(self, turn: str, stays: bool) -> None:
        assert (turn in chosen("ropes", [f"{PLAIN_ROPE} {turn}"], replace(PLAIN, cut=0.5))) is stays

    @pytest.mark.parametrize(
        ("question", "behind", "stays"),
        [
            ("Why are ropes there?", "That's because they were never sold at all.", True),
            ("Why are ropes there?", "That is said by many who were there before.", False),
            ("Why are ropes there?", "Nobody takes them because they are far too long.", False),
            ("Where are ropes?", "That's because they were never sold at all.", False),
        ],
    )
    def test_that_give_the_reason_which_is_asked_for_are_quoted_with_it(
        self, question: str, behind: str, stays: bool
    ) -> None:
        by = replace(PLAIN, cut=0.5)
        assert (behind in chosen("ropes", [f"{PLAIN_ROPE} {behind}"], by, question=question)) is stays

    @pytest.mark.parametrize(("between", "stays"), [(NEXT, True), (NEXT + 1, False)])
    def test_that_do_so_stand_right_behind_it(self, between: int, stays: bool) -> None:
        turn = "But never on a Sunday in winter."
        text = f"{PLAIN_ROPE}{' ' * between}{turn}"
        assert (turn in chosen("ropes", [text], replace(PLAIN, cut=0.5))) is stays

    def test_that_point_back_to_an_item_are_left_out_unless_they_are_the_best(self) -> None:
        text = "- The lid of the kettle\n- The water\n\nFurthermore, the kettle has a lid of steel.\n"
        first = "The kettle has a lid and a lid of steel."
        ranked = chosen("kettle lid", [first, text], replace(PLAIN, rank=1.0))
        assert not any("Furthermore" in one for one in ranked)
        alone = chosen("kettle lid steel", [text], PLAIN)
        assert alone[0].startswith("Furthermore")

    def test_below_a_heading_that_is_the_question_answer_it(self) -> None:
        passage = PassageText(
            "d",
            0,
            "It holds the tea of the house. Many of us drink of it each day. Some pots are pots of pots.",
            ("What is a pot?",),
        )
        assert chosen("What is a pot?", ["All pots and pots are pots of clay.", passage], DEFAULT) == [
            "It holds the tea of the house.",
            "Many of us drink of it each day.",
        ]


class TestDefinitions:
    def test_the_notice_of_a_licence_is_none(self) -> None:
        by = replace(PLAIN, definition=DEFAULT.definition)
        notice = "Kettle is free software; you can redistribute it under the terms of the licence."
        told = "The kettle scans the water, and the kettle boils it."
        assert chosen("What is kettle?", [notice, told], by)[0] == told
        assert not can_be_quoted("Kettle is distributed in the hope that it will be useful to all.")

    ENTRIES = (
        "lid\n\n- The steel cover of the kettle.\n\nnolid\n\n- The opposite of a lid, and a lid it is not.\n"
    )

    def test_an_entry_defines_its_own_term(self) -> None:
        by = replace(PLAIN, definition=DEFAULT.definition)
        assert chosen("What is lid?", [self.ENTRIES], by)[0].startswith("lid\n")
        assert chosen("Where is lid?", [self.ENTRIES], by)[0].startswith("nolid\n")

    @pytest.mark.parametrize(
        "question", ["What does a lid do in kettles?", "What does a lid mean for the kettle?"]
    )
    def test_what_is_asked_of_ends_before_where(self, question: str) -> None:
        by = replace(PLAIN, definition=DEFAULT.definition)
        said = "A lid means that the water stays within."
        assert chosen(question, ["A kettle has a lid of steel there.", said], by)[0] == said


def test_a_block_of_a_manual_page_is_named_by_the_page() -> None:
    said = answer(
        "Which lids are red?", "- Red lids\n- Blue pots", headings=("LIDS(1) All of the lids LIDS(1)",)
    )
    assert said.startswith("*LIDS(1)* [7]:")
