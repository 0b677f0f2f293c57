"""A notebook is read as its cells: text with headings, code with its language, and what was printed."""

import json
from typing import Any

import pytest

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.records.notebooks import OUTPUT_CHARS
from tests.unit.ingest.parsing.here import parsed_here

PICTURE = "iVBORw0KGgo" * 400


def cell(kind: str, source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    lines = source.splitlines(keepends=True)
    return {"cell_type": kind, "metadata": {}, "source": lines, **({"outputs": outputs} if outputs else {})}


def shown(**data: str) -> dict[str, Any]:
    names = {"plain": "text/plain", "html": "text/html", "png": "image/png", "markdown": "text/markdown"}
    bundle = {names[name]: value for name, value in data.items()}
    return {"output_type": "execute_result", "metadata": {}, "data": bundle}


def printed(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": [text]}


def notebook(*cells: dict[str, Any], language: str = "python") -> str:
    facts = {"kernelspec": {"name": "python3"}, "language_info": {"name": language}}
    return json.dumps({"cells": cells, "metadata": facts, "nbformat": 4, "nbformat_minor": 5})


def read(*cells: dict[str, Any]) -> Extracted:
    return parsed_here(notebook(*cells), "analysis.ipynb")


def shape(extracted: Extracted) -> list[tuple[str, str]]:
    return [(element.kind, element.text) for element in extracted.elements]


class TestCells:
    def test_text_has_its_headings_and_code_its_language(self) -> None:
        extracted = read(
            cell("markdown", "# Tides\n\nWe look at tides."),
            cell("markdown", "## Loading\n\n- one file"),
            cell("code", "import csv\n\n    # indented\nrows = []"),
        )
        assert shape(extracted) == [
            ("title", "# Tides"),
            ("paragraph", "We look at tides."),
            ("title", "## Loading"),
            ("list", "- one file"),
            ("code", "import csv\n\n    # indented\nrows = []"),
        ]
        assert extracted.title == "Tides"
        assert extracted.elements[-1].heading_path == ("Tides", "Loading")
        assert extracted.elements[-1].language == "python"
        assert extracted.mime == "application/x-ipynb+json"

    def test_a_cell_may_be_in_another_language(self) -> None:
        extracted = read(cell("code", "%%bash\nls -l"), cell("code", "1 + 1"))
        assert [element.language for element in extracted.elements] == ["shell", "python"]

    def test_a_picture_in_the_text_leaves_no_base64(self) -> None:
        extracted = read(cell("markdown", f"Before ![a cat](data:image/png;base64,{PICTURE}) after."))
        assert extracted.text == "Before ![a cat](data:image/png) after."

    def test_the_third_format_is_read(self) -> None:
        cells = [
            {"cell_type": "heading", "level": 2, "source": ["Old"]},
            {
                "cell_type": "code",
                "input": ["print(1)"],
                "outputs": [{"output_type": "pyout", "text": ["1"], "png": PICTURE}],
            },
        ]
        book = json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]})
        extracted = parsed_here(book, "old.ipynb")
        assert shape(extracted) == [("title", "Old"), ("code", "print(1)"), ("code", "1")]


@pytest.mark.parametrize(("second", "title"), [("# News", "Ferry"), ("## News", "Ferry"), ("", "Ferry")])
def test_the_title_is_the_first_heading(second: str, title: str) -> None:
    assert (
        read(cell("markdown", "Read on."), cell("markdown", "# Ferry"), cell("markdown", second)).title
        == title
    )


def test_a_later_heading_of_a_higher_rank_leaves_no_title() -> None:
    assert read(cell("markdown", "## Ferry"), cell("markdown", "# News")).title is None


class TestOutputs:
    def test_what_was_printed_is_kept_as_a_terminal_shows_it(self) -> None:
        bar = printed("loss 10%\rloss 99%\n\x1b[31mred\x1b[0m words\r\n  indented")
        assert read(cell("code", "run()", bar)).elements[1].text == "loss 99%\nred words\n  indented"

    def test_a_data_frame_is_a_table(self) -> None:
        html = "<div><style>th {color: red}</style><table><tr><th></th><th>day</th></tr>"
        html += "<tr><th>0</th><td>Monday</td></tr></table></div>"
        extracted = read(cell("code", "df", shown(plain="      day\n0  Monday", html=html)))
        assert shape(extracted)[1] == (
            "table",
            "|  | day |\n--- | ---\n0 | Monday",
        )

    def test_pictures_are_counted_and_left_out(self) -> None:
        extracted = read(
            cell("code", "plot()", shown(plain="<Figure size 640x480 with 1 Axes>", png=PICTURE))
        )
        assert extracted.text == "plot()"
        assert extracted.warnings == ("Outputs without text, such as pictures, were left out: 1.",)

    def test_html_alone_gives_its_words(self) -> None:
        extracted = read(cell("code", "show()", shown(html="<b>Done</b><script>var x</script><p>in 3 s</p>")))
        assert shape(extracted)[1] == ("paragraph", "Done\nin 3 s")

    def test_markdown_is_read_as_markdown(self) -> None:
        extracted = read(
            cell("code", "say()", shown(markdown="### Result\n\nIt fits.", plain="<Markdown object>"))
        )
        assert [kind for kind, _ in shape(extracted)] == ["code", "title", "paragraph"]

    def test_an_error_keeps_its_trace(self) -> None:
        trace = ["\x1b[0;31mTraceback\x1b[0m", "ValueError: no tide"]
        error = {"output_type": "error", "ename": "ValueError", "evalue": "no tide", "traceback": trace}
        assert shape(read(cell("code", "fail()", error)))[1] == ("code", "Traceback\nValueError: no tide")

    @pytest.mark.parametrize(("length", "cut"), [(OUTPUT_CHARS, False), (OUTPUT_CHARS + 1, True)])
    def test_a_long_one_is_cut_and_that_is_said(self, length: int, cut: bool) -> None:
        extracted = read(cell("code", "go()", printed("x" * length)))
        assert len(extracted.elements[1].text) == OUTPUT_CHARS
        assert bool(extracted.warnings) is cut


class TestNotANotebook:
    @pytest.mark.parametrize(
        "text", ['{"a": 1}', "[1, 2]", '{"cells": 7}', "{broken", "[" * 100_000, "words"]
    )
    def test_is_read_as_code(self, text: str) -> None:
        assert shape(parsed_here(text, "x.ipynb")) == [("code", text)]

    @pytest.mark.parametrize("odd", [None, 7, "cell", [], {}, {"cell_type": 3, "source": {"a": 1}}])
    def test_odd_cells_break_nothing(self, odd: Any) -> None:
        book = json.dumps({"cells": [odd, cell("markdown", "words")], "metadata": odd, "nbformat": 4})
        assert "words" in parsed_here(book, "x.ipynb").text


class TestRawCells:
    def test_in_restructuredtext_have_their_headings(self) -> None:
        extracted = read(
            cell("raw", ".. _tides:\n\n.. currentmodule:: tides"),
            cell("code", "import tides"),
            cell("raw", "Tides of ports\n==============\n\nSee :func:`rise`."),
            cell("raw", "Spring\n------\n\n.. note::\n    Twice a month."),
        )
        assert extracted.title == "Tides of ports"
        assert [(e.kind, e.level, e.text) for e in extracted.elements] == [
            ("code", None, "import tides"),
            ("title", 1, "Tides of ports"),
            ("paragraph", None, "See rise."),
            ("title", 2, "Spring"),
            ("paragraph", None, "Note: Twice a month."),
        ]

    def test_in_markdown_have_their_headings_and_others_are_text(self) -> None:
        text = "# Tides\n\nSee [them](a.md).\n\n```py\nx = 1\n```\n\n- one\n- two"
        assert [kind for kind, _ in shape(read(cell("raw", text)))][:2] == ["title", "paragraph"]
        assert shape(read(cell("raw", "\\newpage"), cell("raw", " "))) == [("paragraph", "\\newpage")]


def test_what_an_output_says_below_its_table_is_kept() -> None:
    rows = "<tr><th>Pier</th><th>Boats</th></tr><tr><td>A</td><td>3</td></tr>"
    html = f"<style>td {{}}</style><table>{rows}</table><p>1 row × 2 columns</p>"
    elements = read(cell("code", "boats", shown(html=html, plain="Pier Boats"))).elements
    assert [(e.kind, e.text) for e in elements[-1:]] == [("paragraph", "1 row × 2 columns")]
    assert elements[-2].kind == "table"
