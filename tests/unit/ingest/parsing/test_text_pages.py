"""Texts that are laid out for pages: RFCs, and prints of manuals."""

import pytest

from footnote_ingest.parsing.text_pages import without_page_edges
from tests.unit.ingest.parsing.here import parsed_here

HEAD = "RFC 12                      Reading of Gauges               March 1995"


def memo(pages: int, foot: str = "Miller                    Informational               [Page {}]") -> str:
    said = [
        f"   The gauge of pier {at} is read each hour\n   and its reading is sent by the keeper of it"
        for at in range(pages)
    ]
    first = "Ann Miller          RFC 12: Reading of Gauges\nInformational       March 1995"
    laid_out = [
        f"{HEAD if at else first}\n\n{said}\n\n\n\n{foot.format(at + 1)}" for at, said in enumerate(said)
    ]
    return "\n\f".join(laid_out)


def test_heads_and_feet_of_pages_are_blank() -> None:
    text = memo(5)
    shown, left_out = without_page_edges(text)
    assert len(shown) == len(text)
    assert "[Page" not in shown
    assert HEAD not in shown
    assert shown.count("is sent by the keeper of it") == 5
    assert left_out == {" ".join(HEAD.split()), "Miller Informational [Page 1]"}
    assert parsed_here(text, "a.txt").metadata["left_out"] == "; ".join(sorted(left_out))


def test_one_that_says_something_of_its_own_is_kept_once() -> None:
    text = memo(5).replace("Ann Miller", "Ann")
    shown = without_page_edges(text).text
    assert (shown.count("Miller"), shown.count(HEAD)) == (1, 0)
    assert "[Page 1]" in shown


@pytest.mark.parametrize(
    "text",
    [
        memo(2),
        memo(5, foot="The boat of pier {0}{0} is red"),
        "\f\n".join(f"* Changes in release {at}.2\n\nIt sails to pier {at * 3}" for at in range(3, 9)),
    ],
    ids=["few pages", "numbers that do not count", "sections"],
)
def test_what_does_not_come_again_stays(text: str) -> None:
    kept = text.replace(HEAD, " " * len(HEAD)) if text.count(HEAD) > 2 else text
    assert without_page_edges(text).text == kept


def test_figures_that_are_the_same_on_all_pages_are_kept_once() -> None:
    assert without_page_edges("\n\f".join(["12 14 16"] * 5)).text.split() == ["12", "14", "16"]


def test_a_sentence_goes_on_behind_the_edge_of_a_page() -> None:
    text = memo(4).replace("   The gauge of pier 2", "   to the office. The gauge of pier 2")
    said = [" ".join(element.text.split()) for element in parsed_here(text, "a.txt").elements]
    (torn,) = [one for one in said if "pier 1 is" in one]
    assert torn.endswith(
        "is sent by the keeper of it to the office. The gauge of pier 2 is read each hour "
        "and its reading is sent by the keeper of it"
    )
    assert next(one for one in said if "pier 0 is" in one).endswith("is sent by the keeper of it")


@pytest.mark.parametrize(("line", "torn"), [(40, True), (39, False)])
def test_a_line_that_the_edge_of_a_page_tears_is_full(line: int, *, torn: bool) -> None:
    text = f"It is about ships.\n{'ships of all' * 9}"[: 19 + line] + "\n\fand so on.\n"
    assert len(parsed_here(text, "a.txt").elements) == 2 - torn


def test_pages_are_counted_as_before() -> None:
    assert [element.page for element in parsed_here(memo(5), "a.txt").elements] == [1, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("foot", "counts"),
    [
        *(("{}", True), ("- {} -", True), ("Page {}", True), ("Page {} of 5", True), ("[p. {}]", True)),
        *(("Gauges      {}", True), ("{}      Gauges", True)),
        *(("Chapter {}", False), ("Gauge {} is red", False), ("{}. Gauges", False), ("In 4.{}", False)),
    ],
)
def test_a_number_of_a_page_is_named_or_stands_apart(foot: str, *, counts: bool) -> None:
    shown = without_page_edges(memo(5, foot)).text
    assert (foot.format(4) not in map(str.strip, shown.split("\n"))) is counts
