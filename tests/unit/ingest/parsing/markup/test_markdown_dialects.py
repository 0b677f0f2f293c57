"""Markdown as MkDocs, MyST, Jekyll, Hugo, Pandoc and older programs write it."""

import pytest

from footnote_ingest.parsing.markup.markdown_dialects import as_commonmark, without_marks
from tests.unit.ingest.parsing.here import parsed_here

TEXT = "The ferry crosses the harbour twice each hour."


def shown(text: str) -> list[tuple[str, str]]:
    return [(e.kind, " ".join(e.text.split())) for e in parsed_here(text, "a.md").elements]


def paths(text: str) -> list[tuple[str, ...]]:
    return [e.heading_path for e in parsed_here(text, "a.md").elements if e.kind != "title"]


class TestHeadings:
    def test_a_heading_needs_no_blank_behind_its_marks(self) -> None:
        text = f"#Ferry\n\n{TEXT}\n\n##Use\n\n{TEXT}\n"
        assert paths(text) == [("Ferry",), ("Ferry", "Use")]

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            (f"#Ferry\n\n{TEXT}\n", True),
            (f"# Ship\n\n#Ferry\n\n{TEXT}\n", False),
            (f"# Ship\n\n#Ferry\n\n{TEXT}\n\n#Sea\n\n{TEXT}\n", True),
            (f"# Ship\n\n# Ship\n\n# Ship\n\n#Ferry\n\n{TEXT}\n\n#Sea\n\n{TEXT}\n", False),
            (f"#Ferry boats are late.\n\n{TEXT}\n", False),
            (f"#ferry\n\n{TEXT}\n", False),
            (f"#ferry boat\n\n{TEXT}\n", True),
            (f"#ferry #boat\n\n{TEXT}\n", False),
            (f"#include it\n\n{TEXT}\n", False),
            (f"{TEXT}\n#Ferry\n", False),
            (f"```\n\n#Ferry\n```\n\n{TEXT}\n", False),
            (f"#{'F' * 99}\n\n{TEXT}\n", True),
            (f"#{'F' * 100}\n\n{TEXT}\n", False),
        ],
    )
    def test_tags_commands_and_code_are_none(self, text: str, *, found: bool) -> None:
        assert any(path and path[-1] != "Ship" for path in paths(text)) is found

    def test_tildes_underline_the_names_of_parts(self) -> None:
        text = f"Ferry\n=====\n\nUse\n---\n\nFares\n~~~~~\n\n{TEXT}\n\nPiers\n~~~~~~~\n\n{TEXT}\n"
        assert paths(text) == [("Ferry", "Use", "Fares"), ("Ferry", "Use", "Piers")]

    @pytest.mark.parametrize(
        "text",
        [
            "~~~\nsail()\n~~~\n",
            "Fares\n~~~~~~~~\nsail()\n~~~~~~~~\n",
            "Fares\n~~~~~\n\nSail:\n\n~~~ python\nx\n~~~\n",
        ],
    )
    def test_tildes_around_code_are_a_fence(self, text: str) -> None:
        assert "code" in [kind for kind, _ in shown(text)]

    def test_three_bold_lines_that_stand_alone_are_headings(self) -> None:
        lines = ("**Fares**", "__Piers__", "**Who may sail**")
        text = "# Ferry\n\n" + "".join(f"{line}\n\n{TEXT}\n\n" for line in lines)
        assert paths(text) == [("Ferry", "Fares"), ("Ferry", "Piers"), ("Ferry", "Who may sail")]
        assert paths(text.replace("**Fares**", "Fares")) == [("Ferry",)] * 6
        assert paths(f"{text}# News\n\n{TEXT}\n")[0] == ("Ferry",)
        assert paths(text.replace("**Fares**", "**Fares:**"))[0] == ("Ferry",)

    @pytest.mark.parametrize(
        ("html", "name"),
        [
            ('<h1 align="center"><a href="u"><img src="a.png"></a><br>\n Ferry &amp; Co</h1>', "Ferry & Co"),
            ('<h1 align="center">\n  <img alt="Ferry" src="a.png">\n</h1>', "Ferry"),
            ('<div align="center"><img src="a.png"><h1><b>Ferry</b> boats</h1></div>', "Ferry boats"),
        ],
    )
    def test_a_heading_of_html_may_hold_links_and_pictures(self, html: str, name: str) -> None:
        text = f"{html}\n\n{TEXT}\n"
        assert paths(text)[-1] == (name,)
        assert parsed_here(text, "README.md").title == name

    def test_letters_that_are_longer_in_lower_case_do_not_move_a_heading(self) -> None:
        assert paths(f"<p>\u0130\u0130\u0130</p><h1>Ferry \u0130\u0130</h1>\n\n{TEXT}\n")[-1] == (
            "Ferry \u0130\u0130",
        )

    def test_two_headings_of_html_are_two(self) -> None:
        assert paths(f"<h1>Ferry</h1>\n<h2>Use</h2>\n\n{TEXT}\n")[-1] == ("Ferry", "Use")


class TestBoxes:
    @pytest.mark.parametrize("mark", ['!!! note "Fares"', "??? tip", "???+ tip", '=== "Python"'])
    def test_what_is_set_in_below_a_box_is_text(self, mark: str) -> None:
        text = f"{mark}\n    {TEXT}\n\n    It waits.\n\n    ```python\n    sail()\n    ```\n\nIt sails.\n"
        assert [kind for kind, _ in shown(text)] == ["paragraph", "paragraph", "code", "paragraph"]

    def test_a_box_may_hold_a_box(self) -> None:
        text = f"!!! note\n    {TEXT}\n\n    !!! tip\n        {TEXT}\n\n        It waits.\n\n    It sails.\n"
        assert {kind for kind, _ in shown(text)} == {"paragraph"}

    def test_code_that_is_set_in_elsewhere_stays_code(self) -> None:
        assert [kind for kind, _ in shown(f"{TEXT}\n\n    sail()\n\n!!! note\n    {TEXT}\n")][1] == "code"
        text = "````md\n!!! note\n    ```\n    sail()\n    ```\n````\n"
        assert [kind for kind, _ in shown(text)] == ["code"]

    @pytest.mark.parametrize(("fence", "end"), [("```", "```"), ("````", "````"), (":::", ":::")])
    def test_a_directive_of_myst_holds_text(self, fence: str, end: str) -> None:
        text = f"{fence}{{admonition}} Fares\n:class: tip\n\n{TEXT}\n\n- It waits.\n{end}\n\nIt sails.\n"
        assert shown(text) == [
            ("paragraph", "Fares"),
            ("paragraph", TEXT),
            ("list", "- It waits."),
            ("paragraph", "It sails."),
        ]

    def test_directives_may_hold_others_and_code(self) -> None:
        text = "````{tab-set}\n```{note}\nIt waits.\n```\n```python\nsail()\n```\n````\n"
        assert shown(text) == [("paragraph", "It waits."), ("code", "```python sail() ```")]

    def test_a_figure_says_its_caption_and_a_list_of_pages_nothing(self) -> None:
        text = "```{figure} a.png\n:name: a\nThe ferry.\n```\n\n```{toctree}\nintro\n```\n\nIt sails.\n"
        assert shown(text) == [("paragraph", "The ferry."), ("paragraph", "It sails.")]

    def test_a_list_of_pages_that_nothing_ends_takes_no_text(self) -> None:
        text = f"```{{toctree}}\nintro\n\n{TEXT}\n"
        assert without_marks(text) == text

    def test_a_line_of_equal_signs_before_words_is_no_tab(self) -> None:
        assert [kind for kind, _ in shown("=== Fares\n\n    sail()\n")] == ["paragraph", "code"]

    def test_code_that_shows_a_directive_stays(self) -> None:
        text = "````md\n```{note}\nIt waits.\n```\n````\n"
        assert without_marks(text) == text

    @pytest.mark.parametrize(
        ("info", "language"),
        [("{code-block} python", "python"), ("{code-cell}", "code-cell"), ("{.python .numbered}", "python")],
    )
    def test_a_directive_tells_the_language_of_its_code(self, info: str, language: str) -> None:
        (code,) = parsed_here(f"```{info}\nsail()\n```\n", "a.md").elements
        assert code.language == language


@pytest.mark.parametrize(
    "line",
    [
        *("[TOC]", "[[_TOC_]]", "[[toc]]", "{: .no_toc }", "{% raw %}", '{{< ref "a" >}}', "{{% notice %}}"),
        *("import Tabs from '@theme/Tabs';", 'import {A, B} from "c"', "import './a.css'", "</Tabs>"),
        *('<TabItem value="a" />', '<TabItem value="a">\n</TabItem>'),
    ],
)
def test_lines_for_programs_are_seen_by_none(line: str) -> None:
    assert shown(f"# Ferry\n\n{line}\n\n{TEXT}\n")[1:] == [("paragraph", TEXT)]
    code = f"```\n{line}\n```\n"
    assert without_marks(code) == code


@pytest.mark.parametrize(
    "line",
    [
        *(
            "<div>",
            "Import it from 'a'.",
            "<Tabs> and more",
            "{{ name }} is here",
            "<Your Name>",
            'import "fmt"',
        ),
        *("<TABLE>", "</TABLE>", "    {% raw %}", "    </Tabs>\n\n    <Tabs/>"),
    ],
)
def test_other_lines_are_text(line: str) -> None:
    assert without_marks(f"# Ferry\n\n{line}\n") == f"# Ferry\n\n{line}\n"


def test_what_a_part_of_a_program_says_to_a_reader_stays() -> None:
    part = '<Card title="Fares" icon="coin">\n  <Part label=\'Piers\' />\n</Card>'
    text = f'{part}\n\n{{% include note.html content="It waits." %}}\n'
    assert without_marks(text).split() == ["Fares", "Piers", "It", "waits."]
    assert {kind for kind, _ in shown(text)} == {"paragraph"}


def test_the_copy_has_as_many_lines() -> None:
    text = "#Ferry\n\n!!! note\n\tIt waits.\n\nUse\n~~~\n\nIt sails.\n"
    assert as_commonmark(text) == "# Ferry\n\n!!! note\nIt waits.\n\nUse\n---\n\nIt sails.\n"


class TestFront:
    @pytest.mark.parametrize(
        "front",
        [
            '+++\ntitle = "Tides"\ndate = 2026-11-02\n[params]\ntitle = "No"\n+++\n',
            "Title: Tides\nDate: 2026-11-02\nCategory: Sea\n\n",
            "% Tides\n% Ann Lee\n% May 2026\n\n",
            "% Tides\n\n",
        ],
    )
    def test_it_names_the_page_and_is_no_text(self, front: str) -> None:
        read = parsed_here(f"{front}# Ebb\n\nIt goes out.\n", "tides.md")
        assert read.title == "Tides"
        assert [element.text for element in read.elements] == ["# Ebb", "It goes out."]

    @pytest.mark.parametrize(
        "text",
        [
            "Title: Tides\n\nIt goes out.\n",
            "Note: Tides\nDate: May\n\nIt goes out.\n",
            "Title: Tides\nIt goes out.\n",
            "Name: Ann Lee\nTitle: Captain\nPhone: 555\n\nIt goes out.\n",
            "%matplotlib inline\n\nIt goes out.\n",
            "+++\nIt goes out.\n",
        ],
    )
    def test_other_beginnings_are_text(self, text: str) -> None:
        assert parsed_here(text, "tides.md").text == text


def test_a_heading_may_stand_between_marks_without_blanks() -> None:
    text = "##Tides##\n\nHigh at noon.\n\n##Piers##\n\nTwo of them.\n\n#C#\n\nA note.\n"
    assert [e.heading_path[-1] for e in parsed_here(text, "a.md").elements if e.kind == "title"] == [
        "Tides",
        "Piers",
        "C#",
    ]
