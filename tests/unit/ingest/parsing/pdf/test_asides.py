"""Footnotes, captions and single lines of code: what stands beside the sentences of a PDF."""

from collections.abc import Sequence

import pytest

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.pdf.asides import begins_caption, footnotes, is_unfinished
from footnote_ingest.parsing.pdf.flow import Flow
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.paragraphs import pieces_of


def line(text: str, y: float, size: float = 10, *, mono: bool = False) -> PdfLine:
    return PdfLine(text, size, y, y, mono=mono, cells=(Cell(text, 50, 300),))


def shown(lines: Sequence[PdfLine]) -> list[tuple[str, str]]:
    to = Assembler(text_limit=10_000, element_limit=100)
    flow = Flow(to)
    for piece in pieces_of(lines, [None] * len(lines), 1):
        flow.add(piece)
    flow.finish()
    return [(element.kind, element.text) for element in to.elements]


BODY = [
    *(line("All the words of the first lines stand", 812 - 12 * at) for at in range(7)),
    line("here.", 728),
]
FIRST = "\n".join(line.text for line in BODY)


class TestFootnotes:
    def page(self, last: str, *, size: float = 8) -> list[PdfLine]:
        notes = [
            line("1 See the law.", 100, size),
            line("2 Or another", 90, size),
            line("law of it.", 80, size),
        ]
        return [*BODY, line("The report names the", 700), line(last, 688), *notes]

    def test_are_elements_of_their_own(self) -> None:
        assert shown(self.page("laws that were")) == [
            ("paragraph", FIRST),
            ("paragraph", "The report names the\nlaws that were"),
            ("footnote", "1 See the law."),
            ("footnote", "2 Or another\nlaw of it."),
        ]

    @pytest.mark.parametrize("mark", ["1", "12", "”3"])
    def test_have_a_mark_that_ends_a_sentence(self, mark: str) -> None:
        assert not is_unfinished(line(f"They are laws.{mark}", 700))
        assert is_unfinished(line("This is version 2.1", 700))

    def test_stay_below_a_sentence_that_ends(self) -> None:
        assert [text for _, text in shown(self.page("laws."))][-1] == "2 Or another\nlaw of it."

    @pytest.mark.parametrize(("size", "is_note"), [(9.3, True), (9.4, False)])
    def test_are_smaller_than_the_text(self, size: float, is_note: bool) -> None:
        assert bool(footnotes(self.page("laws.", size=size))) is is_note

    @pytest.mark.parametrize("mark", ["1 ", "12", "* ", "†", "a) "])
    def test_begin_with_a_mark(self, mark: str) -> None:
        assert footnotes([*BODY, line(f"{mark}See it.", 100, 8)]) == [range(8, 9)]
        assert footnotes([*BODY, line("See it.", 100, 8)]) == []

    @pytest.mark.parametrize("date", ["1999 was a good year", "31/12 of the year"])
    def test_a_date_begins_none(self, date: str) -> None:
        assert footnotes([*BODY, line("1 See it of", 100, 8), line(date, 90, 8)]) == [range(8, 10)]

    def test_end_their_column(self) -> None:
        note = line("1 See the law.", 100, 8)
        assert footnotes([*BODY, note, line("The next column.", 812)]) == [range(8, 9)]
        assert footnotes([*BODY, note, line("Text goes on.", 80)]) == []

    def test_are_no_code(self) -> None:
        assert shown([*BODY, line("1 Or f.py is the file.", 100, 8, mono=True)])[-1][0] == "paragraph"


class TestCaptions:
    def test_may_have_a_dash_behind_their_number(self) -> None:
        assert begins_caption(line("Table 6-2 - Synonyms for attributes", 500))
        assert not begins_caption(line("Table 6 shows synonyms", 500))

    @pytest.mark.parametrize(
        "text", ["Figure 3: Wheels", "Fig. 2.1. Wheels", "Table IV – Wheels", "Abb. 3: Rad"]
    )
    def test_name_a_figure_or_a_table(self, text: str) -> None:
        assert begins_caption(line(text, 700))

    @pytest.mark.parametrize("text", ["Figure 3 shows wheels", "Tables: 3", "Figures 2: a", "Fig tree 1."])
    def test_are_not_what_is_said_of_it(self, text: str) -> None:
        assert not begins_caption(line(text, 700))

    @pytest.mark.parametrize("name", ["Figure 3: Wheels", "Table 3. Wheels"])
    def test_are_elements_of_their_own(self, name: str) -> None:
        page = [*BODY, line(name, 714), line("of a car.", 702), line("Text goes on.", 670)]
        assert [kind for kind, _ in shown(page)] == ["paragraph", "image_caption", "paragraph"]

    @pytest.mark.parametrize(("gap", "own"), [(13.3, True), (13.1, False)])
    def test_lie_apart_from_the_text_above(self, gap: float, own: bool) -> None:
        page = [*BODY, line("They go on.", 716), line("Figure 3: Wheels", 716 - gap)]
        assert (shown(page)[-1][0] == "image_caption") is own

    def test_do_not_stand_within_a_sentence(self) -> None:
        begun = [
            line("The wheels that are shown in the", 700),
            line("first of the figures and those of a", 688),
        ]
        page = [*BODY, *begun, line("Figure 3: Wheels", 660), line("car turn.", 620)]
        assert [text for _, text in shown(page)][1:] == [
            "The wheels that are shown in the\nfirst of the figures and those of a\ncar turn.",
            "Figure 3: Wheels",
        ]
        page[-1] = line("Cars have four.", 620)
        page[-3] = line("first of the figures are round.", 688)
        assert [text for _, text in shown(page)][1:] == [
            "The wheels that are shown in the\nfirst of the figures are round.",
            "Figure 3: Wheels",
            "Cars have four.",
        ]


@pytest.mark.parametrize(
    ("text", "kind"), [("uname -m", "code"), ("uname", "paragraph"), ("Call f.py.", "paragraph")]
)
def test_a_command_on_a_line_of_its_own_is_code(text: str, kind: str) -> None:
    page = [*BODY, line(text, 700, mono=True), line("It tells the machine.", 670)]
    assert shown(page)[1] == (kind, text)


@pytest.mark.parametrize(("left", "kinds"), [(65.1, ["code", "paragraph"]), (64.9, [])])
def test_a_command_right_below_its_sentence_is_indented(left: float, kinds: list[str]) -> None:
    command = PdfLine("uname -m", 10, 716, 716, mono=True, cells=(Cell("uname -m", left, left + 50),))
    page = [*BODY, command, line("It tells the machine.", 704)]
    assert [kind for kind, _ in shown(page)][1:] == kinds
