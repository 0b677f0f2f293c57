"""The numbers by which data, subtitles, mails and pages are read, each just inside and just outside."""

import json
from collections.abc import Mapping
from email.message import EmailMessage

import pytest

from tests.unit.ingest.parsing.here import parsed_here


def paths(data: Mapping[str, object]) -> set[tuple[str, ...]]:
    extracted = parsed_here(json.dumps(data), "data.json")
    return {element.heading_path for element in extracted.elements}


def list_of(chars: int) -> list[str]:
    """A list that takes so many characters in JSON."""
    return ["x" * (chars - 4)]


class TestData:
    @pytest.mark.parametrize(("chars", "is_section"), [(40, True), (39, False)])
    def test_an_outermost_key_is_a_heading_from_40_characters_on(self, chars: int, is_section: bool) -> None:
        assert (("alpha",) in paths({"alpha": list_of(chars), "beta": 1})) is is_section

    @pytest.mark.parametrize(("chars", "is_section"), [(200, True), (199, False)])
    def test_an_inner_key_is_one_from_200_characters_on(self, chars: int, is_section: bool) -> None:
        found = paths({"alpha": {"inner": list_of(chars), "other": 1}})
        assert (("alpha", "inner") in found) is is_section

    @pytest.mark.parametrize(("chars", "is_section"), [(600, True), (599, False)])
    def test_an_entry_of_a_list_is_one_from_600_characters_on(self, chars: int, is_section: bool) -> None:
        empty = len(json.dumps({"name": "Ann", "text": ""}))
        entry = {"name": "Ann", "text": "x" * (chars - empty)}
        assert (("alpha", "Ann") in paths({"alpha": [entry, 1]})) is is_section

    def test_a_heading_has_100_characters_at_most(self) -> None:
        assert ("alpha", "n" * 100) in paths({"alpha": [{"name": "n" * 150, "text": "x" * 600}]})

    def test_headings_are_twelve_deep_at_most(self) -> None:
        nested: dict[str, object] = {"last": list_of(400)}
        for level in range(20, 0, -1):
            nested = {f"level {level}": nested}
        assert max(map(len, paths(nested))) == 12

    @pytest.mark.parametrize(("at", "count"), [(300, 2), (299, 1)])
    def test_small_neighbours_are_an_element_of_300_characters(self, at: int, count: int) -> None:
        """The second key begins at this character."""
        begin = json.dumps({"a": "", "b": 1}).index('"b"')
        data = {"a": "x" * (at - begin), "b": 1}
        assert len(parsed_here(json.dumps(data), "data.json").elements) == count


@pytest.mark.parametrize(("chars", "count"), [(300, 1), (301, 2)])
def test_cues_of_subtitles_are_one_passage_of_600_characters(chars: int, count: int) -> None:
    said = ["a" * 300, "b" * chars]
    cues = [f"{at + 1}\n00:00:0{at},000 --> 00:00:0{at + 1},000\n{words}\n" for at, words in enumerate(said)]
    assert len(parsed_here("\n".join(cues), "film.srt").elements) == count


@pytest.mark.parametrize(("plain", "is_stub"), [(11, True), (12, False)])
def test_a_plain_body_with_less_than_six_tenths_of_the_words_is_a_stub(plain: int, is_stub: bool) -> None:
    mail = EmailMessage()
    mail["Subject"] = "Words"
    mail.set_content("plain " * plain)
    mail.add_alternative(f"<p>{'rich ' * 20}</p>", subtype="html")
    assert ("rich" in parsed_here(mail.as_bytes(), "a.eml").text) is is_stub


@pytest.mark.parametrize(("inside", "is_all_read"), [(299, True), (300, False)])
def test_a_main_part_of_less_than_three_tenths_is_not_all_of_the_page(inside: int, is_all_read: bool) -> None:
    beside, main = "b" * (1000 - inside), "m" * inside
    page = f"<html><body><p>{beside}</p><main><p>{main}</p></main></body></html>"
    text = parsed_here(page, "a.html").text
    assert (beside in text, main in text) == (is_all_read, True)
