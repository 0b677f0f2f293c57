"""A summary without a model: whole sentences of the part that tells most, and nothing else."""

import pytest

from footnote_ingest.facts.summary_of_text import SummedPassage, summary_of_text

PUMP = "The pump in hall seven moves water from the river to the cooling tower of the plant."
CREW = "It is checked by the crew on each Monday, and the log of its checks hangs beside it."
OTHER = "The canteen of the company opens at noon and serves warm meals until two o'clock."


def passage(
    text: str, kind: str = "paragraph", headings: tuple[str, ...] = (), language: str | None = "en"
) -> SummedPassage:
    return SummedPassage(text, kind, headings, language)


def summed(*texts: str) -> str | None:
    return summary_of_text([passage(text) for text in texts])


class TestSentences:
    def test_are_those_that_a_document_begins_with(self) -> None:
        assert summed(f"# Pumps\n\n{PUMP} {CREW}\n\n{OTHER}") == f"{PUMP} {CREW}"

    def test_stand_in_one_line_without_marks_of_emphasis_and_links(self) -> None:
        assert summed(
            "The **pump** in [hall seven](hall.md#7) moves\n`water` from the _river_ to the tower."
        ) == ("The pump in hall seven moves water from the river to the tower.")

    @pytest.mark.parametrize(
        "wrong",
        [
            "moves water from the river to the tower of the plant in Bern.",
            "The pump in hall seven moves water from the river to",
            "The pump in hall seven moves water from the river ...",
            "The pump in hall seven moves water as follows:",
            "The pump calls {{ river.water }} and gives it to the tower.",
            "The <b>pump</b> in hall seven moves water to the tower.",
            "The pump |in hall| seven moves water to the tower.",
            "Pumps .......... 12 Towers .......... 14 Rivers ........ 16.",
            "See https://pumps.example for the pump in hall seven.",
            "See :doc:`pumps` for the pump in hall seven of the plant.",
            "Copyright by the makers of the pump in hall seven of the plant.",
            "Permission is granted to copy and distribute this manual of the pump.",
            "This manual is free software, and you can give it to whom you like.",
            "It comes without even the implied warranty of fitness for a purpose.",
            "Sotto licenza Creative Commons Attribution-ShareAlike 4.0 International License.",
            "This book of pumps is distributed under a licence of its makers.",
            "The pump in hall seven of the plant is that of version .",
            "Pump [options] the-river-of-water [towers...]",
            "Some move it by: \n* the pumps of the plant;\n* the towers of the town.",
            "Pumps of the plant\n1-1. Pumps of halls\n1-2. Pumps of towers\n1-3.",
            "4.3. What is a pump? 4.4. What is a tower of the plant?",
            "It moves water to the tower with\n-a very high pressure, and the river is low.",
            "12.5 17.3 19.2 88.1 pumps 12.9 14.4 17.0 11.1.",
        ],
    )
    def test_that_are_not_whole_or_no_running_text_are_left_out(self, wrong: str) -> None:
        assert summed(wrong) is None
        assert summed(f"{wrong}\n\n{PUMP}") == PUMP

    @pytest.mark.parametrize(
        "said",
        [
            "The warranty of the pump ends two years after the day of its purchase.",
            "Redistribution of income is studied in this report on five towns.",
            "The tenant pays for the water under the terms of the lease of the hall.",
        ],
    )
    def test_of_contracts_and_warranties_are_told(self, said: str) -> None:
        assert summed(said) == said

    def test_end_where_one_is_not_whole(self) -> None:
        assert summed(f"{PUMP} See https://pumps.example for more of it. {CREW}") == PUMP

    def test_of_a_text_without_capitals_begin_with_small_letters(self) -> None:
        assert summed("the wing was tested in a slipstream . it has a large ratio .") == (
            "the wing was tested in a slipstream . it has a large ratio ."
        )

    def test_begin_with_the_small_name_that_is_the_title(self) -> None:
        said = "pump moves water from the river to the tower. It is checked by the crew on each Monday."
        behind = "It is checked by the crew on each Monday."
        for title in ("pump(1)", "pump", "pump: water for all", "pump - water for all"):
            assert summary_of_text([passage(said)], title) == said
        for title in ("", "Pump", "pump of hall seven", "pumps(1)"):
            assert summary_of_text([passage(said)], title) == behind

    @pytest.mark.parametrize("name", ["pump7", "pump_all", "ePump"])
    def test_begin_with_names_that_are_told_by_their_signs(self, name: str) -> None:
        said = f"{name} moves water from the river to the tower. It is checked by the crew on Mondays."
        assert summed(said) == said

    def test_are_told_apart_by_the_abbreviations_of_the_language(self) -> None:
        said = "Die Pumpe wird seit dem 3. Oktober von der Mannschaft in Halle sieben geprüft, usw. Montags."
        assert summary_of_text([passage(said, language="de")]) == said

    @pytest.mark.parametrize(
        ("least", "less"),
        [
            ("Pumps move water.", "Pumps move."),
            ("水泵送水到水塔。", "水泵送水到塔。"),
            ("Pumpe 12345678 läuft heute weiter.", "Pumpe 123456789 läuft heute weiter."),
        ],
    )
    def test_are_long_enough_and_made_of_letters(self, least: str, less: str) -> None:
        assert summed(least) == least
        assert summed(less) is None

    def test_of_scripts_without_capitals_and_of_marked_letters_count(self) -> None:
        hindi = "यह पंप नदी से पानी को मीनार तक ले जाता है. हर सोमवार को इसकी जाँच होती है."
        assert summed(hindi) == hindi


class TestParts:
    @pytest.mark.parametrize("kind", ["code", "table", "footnote", "title", "image_caption"])
    def test_that_are_no_prose_are_left_out(self, kind: str) -> None:
        assert summary_of_text([passage(PUMP, kind), passage(CREW)]) == CREW

    @pytest.mark.parametrize("begun", ["# ", "| ", "    ", "```\n", "> > <p>", "- ", "12. ", "// ", "$ "])
    def test_of_markup_code_and_lists_are_left_out(self, begun: str) -> None:
        assert summed(f"{begun}{PUMP}\n\n{CREW}") == CREW

    @pytest.mark.parametrize(
        "above", ["Pumps, towers etc.", "## Pumps, towers etc.", "Pumps, towers etc.\n-----"]
    )
    def test_that_are_headings_are_left_out(self, above: str) -> None:
        one = passage(f"{above}\n\n{PUMP}", headings=("Plant", "Pumps, towers etc."))
        assert summary_of_text([one]) == PUMP
        assert summary_of_text([passage(f"{above}\n{PUMP}", headings=("Pumps, towers etc.",))]) == PUMP

    @pytest.mark.parametrize("heading", ["Acknowledgements", "LICENSE", "Danksagung"])
    def test_that_are_beside_the_matter_are_left_out(self, heading: str) -> None:
        assert summary_of_text([passage(OTHER, headings=(heading,)), passage(PUMP)]) == PUMP

    def test_that_are_items_of_several_lines_are_read_whole(self) -> None:
        assert summed(
            f" * {PUMP}\n * It is checked by the crew\n   on each Monday. The log\n   hangs beside it."
        ) == (f"{PUMP} It is checked by the crew on each Monday. The log hangs beside it.")

    def test_that_are_lists_count_where_there_is_nothing_else(self) -> None:
        assert summed(f"- {PUMP}\n- {CREW}\n- {OTHER}") == f"{PUMP} {CREW}"

    @pytest.mark.parametrize("heading", ["Abstract", "ZUSAMMENFASSUNG", "Résumé:", "摘要"])
    def test_that_sum_up_the_document_go_first(self, heading: str) -> None:
        assert summary_of_text([passage(OTHER), passage(PUMP, headings=("Pumps", heading))]) == PUMP

    def test_that_sum_up_nothing_leave_the_word_to_others(self) -> None:
        assert summary_of_text([passage(PUMP), passage("See below.", headings=("Abstract",))]) == PUMP

    def test_that_only_greet_do_not_begin(self) -> None:
        assert summed(f"I hope you are well.\n\n{PUMP} {CREW}") == f"{PUMP} {CREW}"
        assert summed("I hope you are well.") == "I hope you are well."
        enough = "w" * 48 + " is it now."
        assert len(f"W{enough}") == 60
        assert summed(f"W{enough}\n\n{PUMP} {CREW}") == f"W{enough} {PUMP} {CREW}"
        assert summed(f"W{enough[1:]}\n\n{PUMP} {CREW}") == f"{PUMP} {CREW}"

    def test_follow_until_there_is_enough(self) -> None:
        short = "The pump in hall seven moves " + "w" * 130 + "."
        assert len(short) == 160
        assert summed(f"{short}\n\n{OTHER}") == short
        assert summed(f"{short[:-2]}.\n\n{OTHER}") == f"{short[:-2]}. {OTHER}"

    def test_behind_the_first_ones_are_not_read(self) -> None:
        tables = [passage(OTHER, "table")] * 11
        assert summary_of_text([*tables, passage(PUMP)]) == PUMP
        assert summary_of_text([*tables, passage(OTHER, "table"), passage(PUMP)]) is None


def test_it_ends_with_the_last_sentence_that_has_room() -> None:
    sentence = "The pump in hall seven moves water, and there is much more to say of it here"
    room = 400 - 4 * len(f"{sentence} 1. ")
    last = "It is " + "w" * (room - 11) + " too."
    text = " ".join(f"{sentence} {n}." for n in range(4))
    assert len(f"{text} {last}") == 400
    assert summed(f"{text} {last}") == f"{text} {last}"
    assert summed(f"{text} {last[:-1]}o.") == text
