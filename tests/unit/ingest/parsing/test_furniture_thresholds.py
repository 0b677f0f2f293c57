"""The numbers by which a web page is told from what surrounds it, each just inside and just outside."""

import pytest
from lxml import etree

from footnote_ingest.parsing.page_furniture import content, remove_furniture
from footnote_ingest.parsing.partitioners import partition_html


def marked(*parts: str) -> str:
    """The text of a page without what it marks as furniture."""
    root = etree.fromstring(f"<html><body>{''.join(parts)}</body></html>", etree.HTMLParser())
    remove_furniture(root)
    return "".join(root.itertext())


def kept(*parts: str, main: str) -> str:
    """The text of a page from its content's beginning to its end. `main`: what was found to be content."""
    elements = partition_html(text=f"<html><body>{''.join(parts)}</body></html>", languages=[""])
    return " ".join(element.text for element in content(elements, main))


def linked(words: str, behind: str = "") -> str:
    return f"<p><a href='a.html'>{words}</a> {behind}</p>"


class TestMarks:
    @pytest.mark.parametrize(("chars", "is_content"), [(52, True), (48, False)])
    def test_a_sidebar_with_more_than_half_of_the_page_is_content(self, chars: int, is_content: bool) -> None:
        text = marked(f"<div class='sidebar'>{'s' * chars}</div>", f"<p>{'m' * (100 - chars)}</p>")
        assert ("s" in text) is is_content

    @pytest.mark.parametrize(("links", "gone"), [(3, True), (2, False)])
    def test_three_links_into_the_page_are_a_table_of_contents(self, links: int, gone: bool) -> None:
        assert ("pier" not in marked("<ul>", "<li><a href='#p'>pier</a></li>" * links, "</ul>")) is gone

    @pytest.mark.parametrize(("chars", "gone"), [(91, True), (89, False)])
    def test_a_table_of_contents_is_links_and_hardly_more(self, chars: int, gone: bool) -> None:
        entry = f"<li><a href='#p'>{'p' * chars}</a>{'t' * (100 - chars)}</li>"
        assert ("p" not in marked("<ul>", entry * 3, "</ul>")) is gone


class TestEdges:
    MAIN = "m" * 1000

    @pytest.mark.parametrize(("chars", "gone"), [(61, True), (59, False)])
    def test_a_part_of_a_menu_is_links_by_six_tenths(self, chars: int, gone: bool) -> None:
        menu = linked("l" * chars, "t" * (99 - chars))
        assert ("l" not in kept(menu, f"<p>{self.MAIN}</p>", main=self.MAIN)) is gone

    @pytest.mark.parametrize(("chars", "gone"), [(96, True), (94, False)])
    def test_an_item_of_a_menu_is_a_link_and_hardly_more(self, chars: int, gone: bool) -> None:
        item = f"<ul><li><a href='a.html'>{'l' * chars}</a> {'t' * (99 - chars)}</li></ul>"
        assert ("l" not in kept(f"<p>{self.MAIN}</p>", item, main=self.MAIN)) is gone

    @pytest.mark.parametrize(("chars", "gone"), [(290, True), (310, False)])
    def test_no_more_than_three_tenths_of_a_page_are_left_out(self, chars: int, gone: bool) -> None:
        main = "m" * (1000 - chars)
        assert ("l" not in kept(linked("l" * chars), f"<p>{main}</p>", main=main)) is gone

    @pytest.mark.parametrize(("chars", "gone"), [(510, True), (490, False)])
    def test_a_judge_that_loses_half_of_a_page_is_not_believed(self, chars: int, gone: bool) -> None:
        page = [linked("l" * 100), f"<p>{'m' * 900}</p>"]
        assert ("l" not in kept(*page, main="m" * chars)) is gone

    @pytest.mark.parametrize(("parts", "left"), [(60, 0), (61, 1)])
    def test_a_menu_at_either_end_has_sixty_parts_at_most(self, parts: int, left: int) -> None:
        assert kept(*[linked("l")] * parts, f"<p>{self.MAIN}</p>", main=self.MAIN).count("l") == left
