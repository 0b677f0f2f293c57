"""Code that a PDF sets in a font of words, and what only looks like it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.parsing.pdf.code_lines import sure_code, with_code
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.paragraphs import pieces_of
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, words

TEXT = "Some words of the text that are long enough to fill a line,"


def lines(*texts: str, top: float = 700, gap: float = 12) -> list[PdfLine]:
    return [
        PdfLine(text, 10, top - gap * at, top - gap * at, cells=(Cell(text, 50, 300),))
        for at, text in enumerate(texts)
    ]


def read(page: Sequence[str]) -> list[tuple[str, str]]:
    return [(element.kind, element.text) for element in parsed_here(drawn(page), "a.pdf").elements]


def code(page: Sequence[PdfLine]) -> list[str]:
    return [line.text for line in with_code(page) if line.mono]


@pytest.mark.parametrize(
    "text",
    [
        "plugin.base.Magic = cmsPluginMagicNumber;",
        "if (Size == 0) {",
        "return accum + next(3); // The next three of the values that are there",
        "#include “lcms2.h”",
        "typedef struct _cms_handler {",
        "def read(self, path):",
        ">>> import this",
        '"name": "a value",',
        '<a href="other.html">',
        "model <- lm(speed ~ dist)",
        "case TYPE_SINH:",
    ],
)
def test_marks_of_code(text: str) -> None:
    assert sure_code(text)


@pytest.mark.parametrize(
    ("above", "text", "is_code"),
    [
        ("Then type:", "$ ./make-all now", True),
        ("Then type", "$ ./make-all now", False),
        ("It prints:", "x_of(y) = z;", False),
    ],
)
def test_what_a_sentence_tells_to_type_may_stand_near_it(above: str, text: str, is_code: bool) -> None:
    assert code(lines(above, text, "The tool goes on.")) == [text] * is_code


@pytest.mark.parametrize(
    "text",
    [
        "the members of the board (see above);",
        "RAM (4 GB);",
        "the function(s);",
        "x = (a + b);",
        "S = {x ∈ B};",
        "carbon dioxide; and",
        "Smith, J. (1999); Jones, K. (2001);",
        "GLP_MIN — perfect(15);",
        "<john@example.org>",
        "<http://example.org/>",
        "The price is $ 5 a piece.",
        "in this case: the default:",
    ],
)
def test_marks_that_prose_has_too(text: str) -> None:
    assert not sure_code(text)


@given(st.lists(st.sampled_from(["the", "of", "members", "Board", "is", "read", "well"]), min_size=1))
def test_words_alone_are_never_code(told: list[str]) -> None:
    for end in (".", ";", ":", ",", ""):
        assert not sure_code(" ".join(told) + end)


@given(st.text(max_size=200))
def test_any_text_is_told(text: str) -> None:
    page = lines(*(part for part in text.splitlines() if part.strip()))
    assert [line.text for line in with_code(page)] == [line.text for line in page]


FUNCTION = (
    "cmsFormatter my_Factory(cmsUInt32Number Type,",
    "cmsFormatterDirection Dir,",
    "cmsUInt32Number dwFlags)",
    "{",
    "cmsFormatter Result = { NULL };",
    "return Result;",
    "}",
)


def test_the_lines_of_a_function_are_code_together() -> None:
    assert code(lines(TEXT, *FUNCTION, TEXT)) == list(FUNCTION)


def test_a_structure_is_code_from_bracket_to_bracket() -> None:
    structure = ["typedef struct {", "Base base;", *(f"Number field{at};" for at in range(9)), "} Plugin;"]
    assert code(lines(TEXT, *structure, TEXT)) == structure


def test_a_declaration_is_code_from_its_name_to_its_last_argument() -> None:
    told = ["cmsPipeline* linked(cmsContext ContextID,", *["Number Count,"] * 8, "Number dwFlags);"]
    assert code(lines(TEXT, *told, TEXT)) == told
    assert code(lines(TEXT, "as in Perl (and JavaScript);", TEXT)) == []


def test_the_sentence_above_and_the_name_below_are_no_code() -> None:
    told = ["For example f(x) calls", "y = f(x)[0];", "put(y, out);", "Other functions"]
    assert code(lines(*told)) == told[1:3]


@pytest.mark.parametrize(("ended", "is_code"), [(2, True), (1, False)])
def test_most_lines_end_as_code_does(ended: int, is_code: bool) -> None:
    """Three or two of five lines."""
    told = ["first(a, b) {", *(["more(a, b),"] * (ended - 1)), *(["more_of it"] * (4 - ended)), "last(x);"]
    assert (code(lines(*told)) == told) is is_code


@pytest.mark.parametrize(("more", "is_code"), [(4, True), (5, False)])
def test_a_fifth_of_the_lines_is_code_beyond_doubt(more: int, is_code: bool) -> None:
    told = [*["a_long_name,"] * more, "last(a)[0];"]
    assert (code(lines(*told)) == told) is is_code


@pytest.mark.parametrize(("gap", "is_code"), [(12.5, False), (12.6, True)])
def test_a_single_line_stands_apart(gap: float, is_code: bool) -> None:
    page = [*lines(TEXT), *lines("save(x, y);", top=700 - gap), *lines(TEXT, top=700 - 2 * gap)]
    assert bool(code(page)) is is_code


@pytest.mark.parametrize(("gap", "count"), [(26, 4), (26.1, 3)])
def test_one_line_between_may_be_blank(gap: float, count: int) -> None:
    page = lines("begin_with,", "go_on with,", gap=gap)
    page += lines("save(x);", "}", top=page[-1].bottom - 12)
    assert len(code(page)) == count


def test_a_card_of_reference_is_no_code() -> None:
    told = [("array element", "name[at];"), ("block of lines", "{ };"), ("call", "name(of);")]
    page = [
        PdfLine(
            f"{name} {sign}",
            10,
            700 - 12 * at,
            700 - 12 * at,
            cells=(Cell(name, 50, 90), Cell(sign, 200, 260)),
        )
        for at, (name, sign) in enumerate(told)
    ]
    assert code(page) == []


def test_code_of_a_word_processor_keeps_its_indentation_and_is_no_table() -> None:
    body = [
        words(120, 676, "register"),
        words(190, 676, "Number8*"),
        words(260, 676, "accum,"),
        words(120, 664, "register"),
        words(190, 664, "Number32"),
        words(260, 664, "Stride)"),
        words(50, 652, "{"),
        words(62, 640, "wIn[0] = accum[0] << 8;"),
        words(62, 628, "wIn[1] ="),
        words(130, 628, "(accum[1] + 128) << 8;"),
        words(62, 616, "return"),
        words(130, 616, "next(accum);"),
    ]
    page = [
        paragraph(50, 740, "The values are put into their places by a function such as the next one."),
        words(50, 688, "Number8* unroll(struct _transform* info,"),
        *body,
        words(50, 604, "}"),
        paragraph(50, 560, "After it has run, the values are in their places and nothing else has changed."),
    ]
    found = read(page)
    assert [kind for kind, _ in found] == ["paragraph", "code", "paragraph"]
    assert "\n  wIn[0] = accum[0] << 8;\n" in found[1][1]


def test_a_table_with_signs_of_code_in_its_cells_stays_a_table() -> None:
    rows = [
        ("Sign", "Name", "Example"),
        ("==", "equal", "a == b"),
        ("{}", "block", "{ a }"),
        ("->", "of", "a->b"),
    ]
    page = [
        words(x, 700 - 14 * at, cell)
        for at, row in enumerate(rows)
        for x, cell in zip((50, 150, 300), row, strict=True)
    ]
    assert [kind for kind, _ in read(page)] == ["table"]


@pytest.mark.parametrize(
    ("mark", "kind"), [("\u2022 ", "list"), ("\u25a0 ", "list"), ("", "code"), ("* ", "code")]
)
def test_an_item_with_a_dot_is_no_code(mark: str, kind: str) -> None:
    item = [replace(line, mono=True, all_mono=True) for line in lines(f"{mark}make install all")]
    assert [piece.kind for piece in pieces_of(item, [None], 1)] == [kind]


class TestOneLineThatSaysItIsCode:
    """A whole line in a font of one width, as near to the text as its own lines."""

    def kinds(self, above: str, code: str, below: str) -> list[str]:
        page = lines(above, code, below)
        page[1] = replace(page[1], mono=True, all_mono=True)
        return [piece.kind for piece in pieces_of(page, [None] * 3, 1)]

    @pytest.mark.parametrize("code", ["> auto sib.auto", "$ make all", "AUTO> demofile('sib')", ">>> x"])
    def test_begins_with_a_prompt(self, code: str) -> None:
        assert self.kinds("which you can execute by entering", code, "or step by step") == [
            "paragraph",
            "code",
            "paragraph",
        ]

    @pytest.mark.parametrize(
        ("above", "code", "below", "is_code"),
        [
            ("It works.", "print(x, y = TRUE)", "Then go on.", True),
            ("It works:", "z <- print(x)", "Then go on.", True),
            ("It works with", "print(x, y = TRUE)", "Then go on.", False),
            ("It works.", "print(x, y = TRUE)", "is what you use.", False),
            ("It works.", "The print function", "Then go on.", False),
        ],
    )
    def test_is_a_call_between_sentences(self, above: str, code: str, below: str, is_code: bool) -> None:
        assert ("code" in self.kinds(above, code, below)) is is_code
