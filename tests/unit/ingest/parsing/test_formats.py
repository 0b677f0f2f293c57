"""Each format gives its text, its structure and its facts."""

from collections import Counter

import pytest

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.sandbox.sandbox import Sandbox
from tests.unit.ingest.parsing import sample_files
from tests.unit.ingest.parsing.sample_files import check_ranges


def parsed(sandbox: Sandbox, data: bytes | str, name: str) -> Extracted:
    extracted = sandbox.parse(data.encode() if isinstance(data, str) else data, name)
    check_ranges(extracted)
    assert Extracted.from_json(extracted.to_json(), extracted.attachments) == extracted
    return extracted


def kinds(extracted: Extracted) -> list[str]:
    return [element.kind for element in extracted.elements]


class TestPlainText:
    def test_stays_as_it_is(self, sandbox: Sandbox) -> None:
        text = "One  line\nand another.\n\n- a\n- b\n\n\tIndented   text.\n"
        extracted = parsed(sandbox, text, "notes.txt")
        assert extracted.text == text
        assert kinds(extracted) == ["paragraph", "list", "paragraph"]

    def test_short_lines_are_no_headings(self, sandbox: Sandbox) -> None:
        extracted = parsed(
            sandbox,
            "Dear Ann\n\nThank you for your letter of last week, it was good.\n\nYours\n\nBob\n",
            "a.txt",
        )
        assert all(element.heading_path == () for element in extracted.elements)

    def test_underlined_numbered_and_capital_headings_are_found(self, sandbox: Sandbox) -> None:
        body = "This is the text of the section, which is long enough.\n\n"
        text = f"Manual\n======\n\n{body}Setup\n-----\n\n{body}"
        text += f"1.2 Before you begin\n\n{body}SAFETY NOTES\n\n{body}"
        titles = [e.heading_path for e in parsed(sandbox, text, "a.txt").elements if e.kind == "title"]
        assert titles[:2] == [("Manual",), ("Manual", "Setup")]
        assert [path[-1] for path in titles[2:]] == ["1.2 Before you begin", "SAFETY NOTES"]

    def test_form_feeds_are_pages(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, "first page\n\f\nsecond page\n", "a.txt")
        assert [element.page for element in extracted.elements] == [1, 2]
        assert extracted.pages == 2

    def test_source_code_is_code_with_its_functions_as_headings(self, sandbox: Sandbox) -> None:
        text = "import os\n\n\ndef main() -> None:\n    pass\n"
        extracted = parsed(sandbox, text, "tool.py")
        assert [(e.kind, e.language, e.heading_path) for e in extracted.elements] == [
            ("code", "python", ()),
            ("code", "python", ("main",)),
        ]
        assert extracted.text == text

    def test_json_on_one_long_line_is_laid_out_with_the_same_content(self, sandbox: Sandbox) -> None:
        data = "[" + ",".join(f'{{"name":"entry {n}","n":{n}}}' for n in range(2000)) + "]"
        extracted = parsed(sandbox, data, "data.json")
        assert extracted.text.count("\n") > 2000
        assert '"entry 1999"' in extracted.text


class TestMarkdown:
    TEXT = (
        "---\ntitle: Guide to it\n---\n# The `big` [Guide](http://x.org/) {#top}\n\nIntro.\n\n"
        "## Steps\n\n1. one\n   - deep\n\n     ```sh\n     run\n     ```\n2. two\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\n# no heading\nx = 1\n```\n\n"
        "Setext\n------\n\nlast [word][ref]\n\n[ref]: http://x.org/ref\n"
    )

    def test_stays_as_it_is_behind_its_front_matter(self, sandbox: Sandbox) -> None:
        assert parsed(sandbox, self.TEXT, "guide.md").text == self.TEXT[self.TEXT.index("# The") :]

    def test_has_its_structure(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, self.TEXT, "guide.md")
        assert kinds(extracted) == [
            "title",
            "paragraph",
            "title",
            "list",
            "code",
            "list",
            "table",
            "code",
            "title",
            "paragraph",
            "paragraph",
        ]
        assert extracted.title == "Guide to it"
        in_item, code = (e for e in extracted.elements if e.kind == "code")
        assert "run" in in_item.text
        assert code.language == "python"
        assert code.heading_path == ("The big Guide", "Steps")
        assert extracted.elements[-1].heading_path == ("The big Guide", "Setext")


class TestWebPage:
    PAGE = (
        "<html lang=en><head><title>Help &amp; more</title><style>x{}</style></head><body>"
        '<nav>menu</nav><h1>Help<a href="#h">¶</a></h1><p>A <b>bold</b> word.</p>'
        "<details><summary>More</summary>hidden depth</details>"
        "<ul><li>a<ul><li>b</li></ul></li></ul><pre>code  here\n  twice</pre><table>"
        "<caption>Sizes</caption><tr><th>S</th>"
        "<th>M</th></tr><tr><td>1</td><td>2</td></tr></table><h2>Next</h2><p>5</p><figure><img alt='a cat'>"
        "<figcaption>Our cat</figcaption></figure><script>var no</script><form><label>Name</label>"
        "</form></body></html>"
    )

    def test_has_what_a_reader_sees(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, self.PAGE, "help.html")
        for words in (
            "A bold word.",
            "More",
            "hidden depth",
            "code  here\n  twice",
            "S | M\n--- | ---\n1 | 2",
            "Sizes",
            "Our cat",
            "5",
            "Name",
        ):
            assert words in extracted.text
        for words in ("menu", "var no", "x{}", "¶"):
            assert words not in extracted.text
        assert (extracted.title, extracted.language) == ("Help & more", "en")

    def test_has_its_heading_paths(self, sandbox: Sandbox) -> None:
        elements = parsed(sandbox, self.PAGE, "help.html").elements
        assert next(e for e in elements if e.text == "5").heading_path == ("Help", "Next")
        assert next(e for e in elements if e.kind == "image_caption").text == "a cat"

    def test_a_table_that_arranges_the_page_is_no_table(self, sandbox: Sandbox) -> None:
        left, right = "<h1>Old page</h1><p>Words on the left.</p>", "<p>Words on the right.</p>"
        page = f"<table><tr><td>{left}</td><td>{right}</td></tr></table>"
        extracted = parsed(sandbox, f"<html><body>{page}</body></html>", "a.html")
        assert kinds(extracted) == ["title", "paragraph", "paragraph"]

    def test_deep_nesting_loses_no_words(self, sandbox: Sandbox) -> None:
        depth = 3000
        page = (
            "<html><body><p>top</p>"
            + "<div>" * depth
            + "<p>bottom words</p>"
            + "</div>" * depth
            + "<p>after</p></body></html>"
        )
        assert {"top", "bottom", "words"} <= set(parsed(sandbox, page, "deep.html").text.split())

    def test_a_small_main_does_not_hide_the_page(self, sandbox: Sandbox) -> None:
        page = (
            "<html><body><main><p>little</p></main><div><p>"
            + "much more text " * 30
            + "</p></div></body></html>"
        )
        assert "much more text" in parsed(sandbox, page, "a.html").text


class TestXml:
    def test_prose_is_taken_out_of_its_tags(self, sandbox: Sandbox) -> None:
        section = "<title>Sea</title><para>The <em>wide</em> sea.</para>"
        text = f"<?xml version='1.0'?><book><section>{section}</section></book>"
        extracted = parsed(sandbox, text, "book.xml")
        assert [(e.kind, e.text) for e in extracted.elements] == [
            ("title", "Sea"),
            ("paragraph", "The wide sea."),
        ]

    def test_data_stays_as_it_is(self, sandbox: Sandbox) -> None:
        text = "<?xml version='1.0'?>\n<items>\n <item id='1'><price>7</price></item>\n</items>\n"
        assert parsed(sandbox, text, "data.xml").text == text

    def test_entities_are_not_expanded(self, sandbox: Sandbox) -> None:
        bomb = (
            '<?xml version="1.0"?><!DOCTYPE z [<!ENTITY a "'
            + "x" * 1000
            + '"><!ENTITY b "'
            + "&a;" * 1000
            + '">]><z>&b;&b;</z>'
        )
        assert len(parsed(sandbox, bomb, "a.xml").text) < 10_000


class TestWord:
    def test_has_its_structure(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, sample_files.word(), "handbook.docx")
        assert extracted.title == "Handbook"
        by_text = {e.text: e for e in extracted.elements}
        assert by_text["Five days may be carried over."].heading_path == (
            "Handbook",
            "Leave",
            "Carrying over",
        )
        assert by_text["Year | Days\n--- | ---\n2025 | 30"].kind == "table"
        assert by_text["- by mail"].kind == "list"
        assert "7" in by_text
        assert "Internal" not in by_text, "the header of the pages"

    def test_loses_nothing_in_controls_insertions_boxes_and_notes(self, sandbox: Sandbox) -> None:
        text = parsed(sandbox, sample_files.word_with_hidden_corners(), "a.docx").text
        for words in ("controlled words", "before inserted words", "boxed words", "noted", "footnote words"):
            assert Counter(text.split("\n\n"))[words] == 1


class TestSlides:
    def test_are_pages_with_notes_last(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, sample_files.slides(), "plan.pptx")
        assert extracted.pages == 2
        assert [(e.page, e.text) for e in extracted.elements] == [
            (1, "Plan"),
            (1, "first point"),
            (1, "say this aloud"),
            (2, "boxed"),
            (2, "Q | Sales\n--- | ---\n1 | 12"),
        ]
        assert extracted.elements[3].heading_path == ()


class TestTables:
    def test_workbook_cells_are_shown_as_written(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, sample_files.workbook(), "prices.xlsx")
        assert [e.text for e in extracted.elements] == [
            "Prices",
            "Code | Price\n--- | ---\n007 | 12\n008 | 3.5",
            "Note | net\n--- | ---\nSum | =B2+B3",
            "Staff",
            "Ann | TRUE",
        ]
        assert extracted.warnings

    @pytest.mark.parametrize("gap", [",", ";", "\t", "|"])
    def test_delimited_text_keeps_its_cells(self, sandbox: Sandbox, gap: str) -> None:
        rows = [["id", "name"], ["007", f'"a{gap} b\nc"'], ["008", "d"]]
        extracted = parsed(sandbox, "\n".join(gap.join(row) for row in rows), "list.csv")
        assert kinds(extracted) == ["table"]
        shown = {"\t": "a b c", "|": "a\\| b c"}.get(gap, f"a{gap} b c")
        assert extracted.text.split("\n") == ["id | name", "--- | ---", f"007 | {shown}", "008 | d"]


class TestMail:
    def test_has_its_facts_and_attachments(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, sample_files.mail(), "a.eml")
        assert extracted.title == "Re: Delivery"
        assert extracted.metadata["sender"] == "Ann <ann@example.org>"
        assert extracted.metadata["date"].startswith("Mon, 02 Nov 2026")
        assert [(a.name, a.content) for a in extracted.attachments] == [("list.csv", b"a;b\n1;2\n")]
        assert "It comes on Friday." in extracted.text

    def test_html_speaks_where_the_plain_part_is_a_stub(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, sample_files.mail(html=True), "a.eml")
        assert "comes on Friday at noon" in extracted.text
        assert "> When does it come?" in extracted.text

    def test_without_a_body_still_carries_its_attachment(self, sandbox: Sandbox) -> None:
        data = (
            b"From: a@x.org\nSubject: The list\nMIME-Version: 1.0\nContent-Type: text/csv\n"
            b"Content-Disposition: attachment; filename=l.csv\n\na,b\n"
        )
        extracted = parsed(sandbox, data, "a.eml")
        assert (extracted.text, extracted.attachments[0].name) == ("The list", "l.csv")


class TestOutlookMessage:
    def test_has_its_facts_and_attachments(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, sample_files.outlook_message(), "news.msg")
        assert extracted.title == "News"
        assert "ann@x.org" in extracted.metadata["sender"]
        assert extracted.text.startswith("All is well.")
        assert [(a.name, a.content) for a in extracted.attachments] == [("n.txt", b"attached words")]


class TestBooksAndDocuments:
    def test_epub_follows_its_spine(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, sample_files.book(), "sea.epub")
        assert extracted.title == "Sea Stories"
        assert [(e.page, e.text) for e in extracted.elements] == [
            (1, "Ebb"),
            (1, "Text of Ebb."),
            (2, "Flow"),
            (2, "Text of Flow."),
        ]

    def test_open_document_has_its_structure(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, sample_files.open_document(), "terms.odt")
        assert [(e.kind, e.text) for e in extracted.elements] == [
            ("title", "Terms"),
            ("paragraph", "Pay within a month."),
            ("paragraph", "or later"),
            ("list", "- by card"),
            ("table", "A | B"),
        ]

    def test_open_sheets_are_titles_with_their_tables(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, sample_files.open_sheets(), "prices.ods")
        assert extracted.pages == 2
        assert [(e.kind, e.page, e.text) for e in extracted.elements] == [
            ("title", 1, "Prices"),
            ("table", 1, "Code | Price\n--- | ---\n007 | 12.00"),
            ("table", 1, "Note | net"),
            ("title", 2, "Staff"),
            ("table", 2, "Ann | Ann |  | 3\n--- | --- | --- | ---\nAnn | Ann |  | 3"),
        ]

    def test_open_slides_are_pages_from_the_top_to_the_bottom(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, sample_files.open_slides(), "plan.odp")
        assert (extracted.title, extracted.pages) == ("Plan", 1)
        assert [(e.kind, e.page, e.heading_path, e.text) for e in extracted.elements] == [
            ("title", 1, ("Plan",), "Plan"),
            ("list", 1, ("Plan",), "- first point"),
            ("table", 1, ("Plan",), "A | B"),
            ("paragraph", 1, ("Plan",), "say this aloud"),
        ]

    def test_rtf_gives_its_words_and_tables(self, sandbox: Sandbox) -> None:
        data = (
            rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator X;}"
            rb"\pard\outlinelevel0 Head\par\pard Hello w\'f6rld, "
            rb"\u8364?uro \u-10179?\u-8704?.\par{\trowd a\cell b\cell\row}{\trowd c\cell d\cell\row}"
            rb"\pard last \{one\}\par}"
        )
        extracted = parsed(sandbox, data, "a.rtf")
        assert [(e.kind, e.text) for e in extracted.elements] == [
            ("title", "Head"),
            ("paragraph", "Hello wörld, €uro 😀."),
            ("table", "a | b\n--- | ---\nc | d"),
            ("paragraph", "last {one}"),
        ]


class TestPdf:
    def test_has_pages_and_headings_by_size(self, sandbox: Sandbox) -> None:
        body = [
            (11, "The first line of a paragraph that goes on"),
            (11, "in a second line and ends there."),
            (11, ""),
        ]
        data = sample_files.pdf(
            [
                [(24, "Report"), (11, ""), (16, "Findings"), (11, ""), *body * 3],
                [(16, "Outlook"), (11, ""), *body * 3],
            ]
        )
        extracted = parsed(sandbox, data, "report.pdf")
        assert (extracted.title, extracted.pages) == ("Report", 2)
        assert extracted.elements[-1].heading_path == ("Report", "Outlook")
        assert extracted.elements[-1].page == 2
        paragraph = next(e for e in extracted.elements if e.kind == "paragraph")
        assert (
            paragraph.text == "The first line of a paragraph that goes on\nin a second line and ends there."
        )

    def test_a_bullet_in_a_font_of_its_own_does_not_cut_its_item(self, sandbox: Sandbox) -> None:
        small_bullet = "*) Tj /F1 11 Tf ( An item whose bullet is set in a smaller font than"
        page = [
            (11, "These are the items:"),
            (7, small_bullet),
            (11, "its words, which go on in a second line."),
        ]
        elements = parsed(sandbox, sample_files.pdf([page]), "a.pdf").elements
        assert [e.kind for e in elements] == ["paragraph", "list"]
        assert elements[1].text.endswith("second line.")

    def test_running_headers_and_page_numbers_are_shown_once(self, sandbox: Sandbox) -> None:
        pages = [
            [(9, "Annual Report"), (11, ""), (11, f"Total: {n * 17}.50 is here."), (11, ""), (9, str(n))]
            for n in range(1, 9)
        ]
        text = parsed(sandbox, sample_files.pdf(pages), "a.pdf").text
        assert text.count("Annual Report") == 1
        assert text.count("is here.") == 8

    def test_a_page_without_text_is_named(self, sandbox: Sandbox) -> None:
        extracted = parsed(sandbox, sample_files.pdf([[(11, "Words on a page.")], []]), "a.pdf")
        assert extracted.warnings == ("Page 2 is without text.",)
