"""Each number by which the parts of an answer are chosen, between two cases that are close to it.

A weight is measured with another one as the ruler: the case just below and the case just above it differ in
the ruler alone. All other weights are set here, so a case tells of one number.
"""

from dataclasses import replace

import pytest

from footnote_agent.engines.companions import COMMAND_BEHIND, COMMAND_WITHIN
from footnote_agent.engines.fitting_sentences import is_of_contents
from footnote_agent.engines.part_scores import DEFAULT, FEWEST_OF_WAY, Weights
from footnote_agent.engines.quotable import PassageText
from footnote_agent.engines.salience import CODES, select

PLAIN = Weights(
    k1=0.5,
    b=0,
    neighbours=0,
    pairs=0,
    rank=0,
    rank_scale=3.0,
    cut=0,
    elsewhere=0,
    pads=0,
    pads_elsewhere=0,
    spoken=0,
    lacking=1,
    context=0,
    form=0,
    definition=0,
    opening=0,
    named=0,
    whole=2,
    away=1,
    other=0,
    apart=0,
    beside=0,
    loose=0,
    titled=0,
    same=0,
    cosine=0,
    rejected=1,
)
"""Words alone count, and each sentence with the word that is asked for scores 1."""

MANY = "How many ropes are there?"
"""Asks for a number: `form` is then the ruler for sentences that have one."""


def chosen(
    query: str,
    passages: list[PassageText | str],
    by: Weights,
    *,
    question: str | None = None,
    count: int = 20,
) -> list[str]:
    """The chosen parts, best first. A bare text is a document of its own."""
    sources = [
        PassageText(str(number), 0, one) if isinstance(one, str) else one
        for number, one in enumerate(passages)
    ]
    return [part.text for part in select(query, sources, count, by, question=question).chosen]


class TestWeights:
    """A fourth of `rank` is what the first passage is ahead of the second."""

    PLAIN_ROPE = "Ropes hang on the wall of the house."
    NUMBERED = "Ropes lie in 12 boxes below deck."

    @pytest.mark.parametrize(("numbered_ahead", "first"), [(0.19, "twice"), (0.21, "numbered")])
    def test_a_word_said_twice_counts_a_fifth_more(self, numbered_ahead: float, first: str) -> None:
        by = replace(PLAIN, k1=DEFAULT.k1, form=numbered_ahead)
        twice = "Ropes hang on the wall, ropes of all kinds."
        ranked = chosen("ropes", [twice, self.NUMBERED], by, question=MANY)
        assert ranked[0] == {"twice": twice, "numbered": self.NUMBERED}[first]

    @pytest.mark.parametrize(("head_start", "long_first"), [(0.73, False), (0.81, True)])
    def test_length_is_held_against_a_sentence_a_little(self, head_start: float, long_first: bool) -> None:
        by = replace(PLAIN, k1=2.0, b=DEFAULT.b, rank=head_start)
        long = "Ropes hang beside sails, anchors, lamps, flags, maps, oars, nets, buoys and charts."
        ranked = chosen("ropes", [long, "There they sell some ropes."], by)
        assert (ranked[0] == long) is long_first

    @pytest.mark.parametrize(("head_start", "neighbour_first"), [(2.74, False), (2.86, True)])
    def test_the_sentence_behind_a_match_has_three_tenths_of_it(
        self, head_start: float, neighbour_first: bool
    ) -> None:
        by = replace(PLAIN, neighbours=DEFAULT.neighbours, rank=head_start)
        behind = "The boats leave at seven and nine."
        ranked = chosen("ropes", [f"{self.PLAIN_ROPE} {behind}", "There they sell some ropes."], by)
        assert ranked.index(behind) == (1 if neighbour_first else 2)

    @pytest.mark.parametrize(("head_start", "neighbour_first"), [(3.37, False), (3.43, True)])
    def test_the_sentence_before_a_match_has_half_as_much(
        self, head_start: float, neighbour_first: bool
    ) -> None:
        by = replace(PLAIN, neighbours=0.3, rank=head_start)
        before = "The boats leave at seven and nine."
        ranked = chosen("ropes", [f"{before} {self.PLAIN_ROPE}", "There they sell some ropes."], by)
        assert ranked.index(before) == (1 if neighbour_first else 2)

    @pytest.mark.parametrize(("cut", "stays"), [(0.115, True), (0.125, False)])
    def test_a_word_that_all_of_three_parts_have_counts_an_eighth_of_both(
        self, cut: float, stays: bool
    ) -> None:
        texts = ["They sell us red ropes in town.", self.PLAIN_ROPE, "There they sell some ropes."]
        ranked = chosen("red ropes", [*texts], replace(PLAIN, cut=cut))
        assert (self.PLAIN_ROPE in ranked) is stays

    @pytest.mark.parametrize(("head_start", "together_first"), [(0.76, True), (0.84, False)])
    def test_two_words_of_the_question_side_by_side_add_a_fifth(
        self, head_start: float, together_first: bool
    ) -> None:
        by = replace(PLAIN, pairs=DEFAULT.pairs, rank=head_start)
        apart, together = "Ropes there are never red here.", "They sell us red ropes in town."
        assert (chosen("red ropes", [apart, together], by)[0] == together) is together_first

    @pytest.mark.parametrize(("numbered_ahead", "first_passage_first"), [(0.12, True), (0.13, False)])
    def test_the_second_passage_is_an_eighth_behind_the_first(
        self, numbered_ahead: float, first_passage_first: bool
    ) -> None:
        by = replace(PLAIN, rank=DEFAULT.rank, rank_scale=DEFAULT.rank_scale, form=numbered_ahead)
        ranked = chosen("ropes", [self.PLAIN_ROPE, self.NUMBERED], by, question=MANY)
        assert (ranked[0] == self.PLAIN_ROPE) is first_passage_first

    @pytest.mark.parametrize(("numbered_ahead", "stays"), [(0.95, True), (1.05, False)])
    def test_what_is_half_as_good_as_the_best_pads_no_answer(
        self, numbered_ahead: float, stays: bool
    ) -> None:
        by = replace(PLAIN, cut=DEFAULT.cut, form=numbered_ahead)
        ranked = chosen("ropes", [self.NUMBERED, self.PLAIN_ROPE], by, question=MANY)
        assert (self.PLAIN_ROPE in ranked) is stays

    @pytest.mark.parametrize(("numbered_ahead", "stays"), [(0.42, True), (0.44, False)])
    def test_an_item_is_seven_tenths_as_good_as_the_best_without_its_rank(
        self, numbered_ahead: float, stays: bool
    ) -> None:
        by = replace(PLAIN, rank=1.0, pads=DEFAULT.pads, form=numbered_ahead)
        listed = PassageText("d", 0, f"{self.NUMBERED}\n\nThey sell:\n\n- Ropes\n- Sails")
        assert ("- Ropes" in chosen("ropes", [listed], by, question=MANY)) is stays

    @pytest.mark.parametrize(("numbered_ahead", "stays"), [(0.62, True), (0.72, False)])
    def test_beside_an_item_prose_of_another_document_is_measured_so_too(
        self, numbered_ahead: float, stays: bool
    ) -> None:
        by = replace(PLAIN, rank=1.0, pads_elsewhere=DEFAULT.pads_elsewhere, form=numbered_ahead)
        listed = PassageText("d", 0, "- Ropes: 12 boxes\n- Sails")
        ranked = chosen("ropes", [listed, self.PLAIN_ROPE], by, question=MANY)
        assert (self.PLAIN_ROPE in ranked) is stays

    @pytest.mark.parametrize(("head_start", "behind_first"), [(0.77, False), (0.83, True)])
    def test_what_answers_a_question_has_four_fifths_of_it(
        self, head_start: float, behind_first: bool
    ) -> None:
        by = replace(PLAIN, spoken=DEFAULT.spoken, rank=head_start)
        behind = "The boats leave at seven and nine."
        asked = f"Where do they keep the ropes? {behind}"
        ranked = chosen("ropes", [asked, "There they sell some ropes."], by)
        assert (ranked[0] == behind) is behind_first

    @pytest.mark.parametrize(("pair_ahead", "with_first"), [(2.1, True), (2.2, False)])
    def test_what_lacks_the_number_of_the_question_has_seven_tenths(
        self, pair_ahead: float, with_first: bool
    ) -> None:
        by = replace(PLAIN, lacking=DEFAULT.lacking, pairs=pair_ahead)
        having, lacking = "Of the release of ropes 9 hang there.", "Now the ropes release 8 hang there."
        ranked = chosen("ropes release 9", [lacking, having], by)
        assert (ranked[0] == having) is with_first

    @pytest.mark.parametrize(("numbered_ahead", "stays"), [(0.40, True), (0.46, False)])
    def test_another_document_must_be_seven_tenths_as_good(self, numbered_ahead: float, stays: bool) -> None:
        by = replace(PLAIN, elsewhere=DEFAULT.elsewhere, form=numbered_ahead)
        ranked = chosen("ropes", [self.NUMBERED, self.PLAIN_ROPE], by, question=MANY)
        assert (self.PLAIN_ROPE in ranked) is stays

    @pytest.mark.parametrize(("numbered_ahead", "under_first"), [(0.235, False), (0.265, True)])
    def test_a_word_of_the_heading_counts_three_quarters_of_one_in_the_sentence(
        self, numbered_ahead: float, under_first: bool
    ) -> None:
        by = replace(PLAIN, context=DEFAULT.context, form=numbered_ahead)
        under = PassageText("under", 0, "They lie in 12 boxes below deck.", ("Ropes",))
        ranked = chosen("ropes", [self.PLAIN_ROPE, under], by, question=MANY)
        assert (ranked[0] == under.text) is under_first

    @pytest.mark.parametrize(("head_start", "numbered_first"), [(0.95, True), (1.05, False)])
    def test_the_number_that_is_asked_for_adds_a_quarter(
        self, head_start: float, numbered_first: bool
    ) -> None:
        by = replace(PLAIN, form=DEFAULT.form, rank=head_start)
        ranked = chosen("ropes", [self.PLAIN_ROPE, self.NUMBERED], by, question=MANY)
        assert (ranked[0] == self.NUMBERED) is numbered_first

    @pytest.mark.parametrize(("head_start", "defined_first"), [(1.9, True), (2.1, False)])
    def test_the_definition_that_is_asked_for_adds_half(self, head_start: float, defined_first: bool) -> None:
        by = replace(PLAIN, definition=DEFAULT.definition, rank=head_start)
        plain, defined = "They hang a rope on the wall.", "A rope is a string of hemp."
        ranked = chosen("rope", [plain, defined], by, question="What is a rope?", count=1)
        assert (ranked == [defined]) is defined_first

    @pytest.mark.parametrize(("head_start", "opening_first"), [(1.15, True), (1.25, False)])
    def test_the_first_sentence_of_a_section_adds_less_where_a_definition_is_asked_for(
        self, head_start: float, opening_first: bool
    ) -> None:
        by = replace(PLAIN, opening=DEFAULT.opening, rank=head_start)
        opening = PassageText("opening", 0, "Ropes\n\nAll that sails needs a rope on deck.", ("Ropes",))
        plain = "They hang a rope on the wall."
        ranked = chosen("rope", [plain, opening], by, question="What is a rope?")
        assert (ranked[0] != plain) is opening_first


class TestLists:
    @pytest.mark.parametrize(("numbered_ahead", "stays"), [(0.23, True), (0.27, False)])
    def test_an_item_far_behind_the_best_of_its_list_is_not_quoted(
        self, numbered_ahead: float, stays: bool
    ) -> None:
        listed = (
            "- Ropes lie in 12 boxes\n- Ropes hang here\n- Sails are wet\n- Nets are dry\n- Oars are long\n"
        )
        ranked = chosen("ropes", [listed], replace(PLAIN, form=numbered_ahead), question=MANY)
        assert ("- Ropes hang here" in ranked) is stays

    LETTERS = "alpha beta gamma delta epsilon zeta theta iota kappa lambda sigma"

    @pytest.mark.parametrize(("terms", "whole"), [(10, True), (11, False)])
    def test_a_list_is_what_is_asked_for_if_its_lead_has_half_of_the_words(
        self, terms: int, whole: bool
    ) -> None:
        asked = self.LETTERS.split()[:terms]
        listed = f"The {', '.join(asked[:5])}:\n\n- The {asked[5]} one.\n- Another.\n- The {asked[5]}.\n"
        assert ("- Another." in chosen(" ".join(asked), [listed], PLAIN, count=1)) is whole

    @pytest.mark.parametrize(("items", "whole"), [(10, True), (11, False)])
    def test_a_list_of_which_half_is_chosen_is_quoted_whole(self, items: int, whole: bool) -> None:
        letters = self.LETTERS.split()
        listed = "\n".join(
            f"- {'Ropes of' if number < 5 else 'Sails of'} {letters[number]}" for number in range(items)
        )
        assert ("- Sails of zeta" in chosen("ropes", [listed], PLAIN)) is whole

    @pytest.mark.parametrize(("items", "whole"), [(12, True), (13, False)])
    def test_a_list_that_is_asked_for_is_quoted_whole_up_to_a_dozen(self, items: int, whole: bool) -> None:
        listed = "\n".join(f"- Thing {number}" for number in range(items))
        ranked = chosen("spare parts", [f"Spare parts:\n\n{listed}"], replace(PLAIN, context=0.5), count=1)
        assert (len(ranked) == items) is whole


class TestCode:
    @staticmethod
    def fenced(*words: str) -> str:
        return "\n\nRopes and more ropes of all kinds are here.\n\n".join(
            f"```\n{word} ropes\n```" for word in words
        )

    def test_is_quoted_twice_at_most(self) -> None:
        ranked = chosen("ropes", [self.fenced("red", "blue", "green")], PLAIN, question="How to get ropes?")
        assert sum(text.count("\n") == 0 and len(text.split()) == 2 for text in ranked) == CODES

    @pytest.mark.parametrize(("between", "quoted"), [(COMMAND_WITHIN, True), (COMMAND_WITHIN + 1, False)])
    def test_that_a_sentence_leads_to_is_quoted_with_it(self, between: int, quoted: bool) -> None:
        lead = "So do it like this, my friend:"
        gap = " " * (between - len(lead) - len("\n\n```\n"))
        text = f"The kettle is built by its own tool.{gap}{lead}\n\n```\ngong --pots\n```"
        by = replace(PLAIN, cut=DEFAULT.cut)
        assert ("gong --pots" in chosen("How do I build the kettle?", [text], by)) is quoted
        assert "gong --pots" not in chosen("What is the kettle built by?", [text], by)

    @pytest.mark.parametrize(("between", "quoted"), [(COMMAND_BEHIND, True), (COMMAND_BEHIND + 1, False)])
    def test_right_behind_a_sentence_needs_no_lead(self, between: int, quoted: bool) -> None:
        gap = " " * (between - len("\n\n```\n"))
        text = f"The kettle is built by its own tool.{gap}\n\n```\ngong --pots\n```"
        by = replace(PLAIN, cut=DEFAULT.cut)
        assert ("gong --pots" in chosen("How do I build the kettle?", [text], by)) is quoted


class TestWhatCanStandInAnAnswer:
    @pytest.mark.parametrize(
        ("text", "can"),
        [
            ("Tea is hot in this cafe.", False),
            ("Tea is hot in this place.", True),
            ("Tea tastes marvellous everywhere.", False),
            ("Tea tastes marvellous nearly everywhere.", True),
            ("Tea is served in the small room behind the", False),
            ("Tea is served in the small room behind the hall", True),
            ("Tea is served in the small room behind the hall:", False),
            ("Tea costs us all 1234567 12345.", False),
            ("Tea costs us all 123456 1234.", True),
            (f"Tea is {'very ' * 136}{'h' * 13}.", False),
            ("Tea is served with <milk> and <sugar> here.", True),
            ("Tea is served with <milk>, <rum> and <sugar> here.", False),
            (f"Tea is {'very ' * 136}{'h' * 12}.", True),
            ("Tea cost 12.", True),
            ("Tea cost 2.", False),
            ("Teabag 12345.", False),
            ("tea cost 123.", False),
            ("Tea cost 12345", False),
            ("Tea is served with <milk> and <sugar> or | here.", False),
            (f"Tea is served with <milk>, <rum> and <sugar> {'here and ' * 15}there, too.", False),
            (f"Tea is served with <milk>, <rum> and <sugar> {'here and ' * 17}there.", True),
        ],
    )
    def test_is_long_enough_short_enough_and_made_of_words(self, text: str, can: bool) -> None:
        assert (chosen("tea", [text], DEFAULT) == [text]) is can

    @pytest.mark.parametrize(("words", "can"), [(31, False), (32, True)])
    def test_is_no_table_of_contents(self, words: int, can: bool) -> None:
        sections = "Tea 1.1. Pots 1.2. Cups 1.3. Lids 1.4."
        text = f"{sections} {'of tea ' * ((words - 8) // 2)}{'pot ' * (words % 2)}end."
        assert is_of_contents(text) is not can

    @pytest.mark.parametrize(
        ("item", "can"), [("[Tea](#tea)", False), ("[Tea](tea.md)", True), ("Tea?", False)]
    )
    def test_is_no_item_that_leads_elsewhere(self, item: str, can: bool) -> None:
        ranked = chosen("tea", [f"- {item}\n- Of tea there is plenty"], PLAIN, count=20)
        assert any(item in text for text in ranked) is can

    @pytest.mark.parametrize(("chars", "can"), [(6000, True), (6001, False)])
    def test_code_of_more_than_six_thousand_characters_is_data(self, chars: int, can: bool) -> None:
        code = "ropes = " + "1" * (chars - 8)
        assert (chosen("ropes", [PassageText("d", 0, code, kind="code")], PLAIN) == [code]) is can

    @pytest.mark.parametrize(
        ("opening", "joined"), [("Not by itself, no.", True), ("Not all by itself, no.", False)]
    )
    def test_four_words_such_as_yes_are_quoted_with_what_follows(self, opening: str, joined: bool) -> None:
        behind = "Ropes hang on the wall of the house."
        assert (chosen("ropes", [f"{opening} {behind}"], PLAIN) == [f"{opening} {behind}"]) is joined

    @pytest.mark.parametrize(("gap", "led"), [(4, True), (5, False)])
    def test_a_list_is_led_in_by_the_passage_right_before_it(self, gap: int, led: bool) -> None:
        lead = PassageText("d", 0, "These ropes are sold:")
        items = PassageText("d", len(lead.text) + gap, "- Hemp by the yard\n- Sisal by the pound")
        plain = "Ropes hang on the wall of the house."
        ranked = chosen("ropes", [plain, lead, items], replace(PLAIN, context=0.5, cut=0.5))
        assert ("- Hemp by the yard" in ranked) is led


class TestSayingTheSame:
    FIRST = "The red, blue, green, white and black flags fly."

    def test_is_not_sharing_four_terms_of_five(self) -> None:
        four_of_five = "The red, blue, green and white lamp."
        assert len(chosen("red blue green white", [four_of_five, self.FIRST], PLAIN)) == 2

    @pytest.mark.parametrize(
        ("short", "both"), [("These are all the red ropes.", True), ("There are the long red ropes.", False)]
    )
    def test_takes_more_than_two_terms(self, short: str, both: bool) -> None:
        longer = "The long red ropes are those of Ann and hang there."
        said = chosen("red ropes", [short, longer], replace(PLAIN, rank=1.0))
        assert said == ([short, longer] if both else [short])

    def test_is_sharing_five_terms_of_six(self) -> None:
        five_of_six = "The red, blue, green, white and black lamp."
        assert len(chosen("red blue green white black", [five_of_six, self.FIRST], PLAIN)) == 1

    @pytest.mark.parametrize(
        ("first", "second", "both"),
        [
            ("up to 30 days", "up to 14 days", True),
            ("up to fourteen days", "up to thirty days", True),
            ("until 30 March", "until 30 June", True),
            ("up to 1,200 days", "up to 1200 days", False),
            ("up to 30 days", "up to 30 long days", False),
            ("up to 30 days", "up to 30 days, or 4 weeks", False),
        ],
    )
    def test_is_not_contradicting_by_a_number(self, first: str, second: str, both: bool) -> None:
        asked = "How long may guests keep the large red boat of the harbour club?"
        text = "Guests may keep the large red boat of the harbour club {}."
        said = [text.format(first), text.format(second)]
        assert len(chosen(asked, [*said], PLAIN)) == (2 if both else 1)


@pytest.mark.parametrize(("more", "first"), [(FEWEST_OF_WAY, True), (FEWEST_OF_WAY - 1, False)])
def test_an_item_that_tells_a_way_has_more_words_than_the_question(more: int, first: bool) -> None:
    item = f"- ropes {' '.join(('sisal', 'hemp', 'wire')[:more])}"
    text = f"{item}\n- wood of the old oak\n\nRopes hang on the wall of the house."
    ranked = chosen("ropes", [text], replace(PLAIN, away=0.5), question="How do I get ropes?")
    assert (ranked[0] == item) is first
