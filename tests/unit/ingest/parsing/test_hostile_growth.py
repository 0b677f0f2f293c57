"""Texts whose reading cost the square of their length, or many times it: they cost their length."""

import io
import time

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from footnote_ingest.parsing.markup.roff_macros import PageMacros
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.office.test_formulas import MATH, frame, odt_with

MOST_S = 8.0
"""Of a processor. Each of these texts took at least twelve seconds, and takes four at most."""

INFO = "This is a.info, produced by b.\n\n\x1f\nFile: a.info,  Node: Top\n\na\n"
MAN = ".TH A 1\n.SH B\n"


def _pages(size: int) -> str:
    """Pages of one word that is no other page's, without a line break."""
    letters = str.maketrans("0123456789", "abcdefghij")
    return "".join(f"x{at} \f" for at in range(size // 7)).translate(letters)


def _letters_of_symbol(count: int, *, named: bool = True) -> bytes:
    """A text of Word with one run, in which each letter has properties anew, which may name its font."""
    document = docx.Document()
    run = document.add_paragraph().add_run()._r
    for _ in range(count):
        properties, letter = OxmlElement("w:rPr"), OxmlElement("w:t")
        if named:
            fonts = OxmlElement("w:rFonts")
            fonts.set(qn("w:ascii"), "Symbol")
            properties.append(fonts)
        letter.text = "\uf061"
        run.extend([properties, letter])
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _one_object_by_many_names(count: int) -> bytes:
    frames = "".join(frame("Long" + "/" * slashes) for slashes in range(count))
    return odt_with(f"It is {frames}.", Long=MATH.format("<mi>y</mi>" * 100_000))


def _article(inner: str) -> str:
    return f"<article><title>T</title>{inner}<para>a</para></article>"


HOSTILE: dict[str, tuple[str, str | bytes]] = {
    "a long list of Markdown": ("a.md", "- a\n" * 30_000),
    "headings of HTML without words": ("a.md", "<div>\n" + ("<h1>" * 400 + "</h1>") * 750),
    "pages of one line": ("a.txt", _pages(150_000)),
    "stamps of versions": ("a.txt", "$Ab$\n\n" * 60_000),
    "names to jump to": ("a.txt", "*help.txt*\tFor Vim\n\n" + (" " * 80 + f"*{'a' * 78}*") * 5_000 + "x"),
    "menus": ("a.info", INFO + "* Menu:\n" * 16_000),
    "tables of nodes": ("a.info", INFO + "\n\x1f\nIndirect:" * 10_000),
    "a macro that fills": ("a.1", f"{MAN}.de PP\n{'a ' * 65_000}\n..\n" + ".PP\n" * 32_000),
    "a long macro": ("a.1", MAN + ".de QQ\n" + "\\fB" * 13_000 + "\n..\n" + ".QQ\n" * 10_000),
    "typed lines": ("a.1", MAN + "A: b\n.RE\n" * 60_000),
    "tables within tables": ("a.tex", "\\begin{document}" + "\\begin{tabular}{ll} a & b \\\\ " * 3_000),
    "many macros in a line": ("a.1", ".Dd a\n.Dt A 1\n.Os\n.Sh NAME\n.Ar " + "Ar " * 150_000),
    "a deep page": ("a.html", "<div>" * 1_500 + "<a>x</a>" * 5_000),
    "deep quotes of mail": (
        "a.eml",
        "From: a@b.c\nContent-Type: text/html\n\n" + "<blockquote type=cite>" * 1_500 + "<p>x" * 20_000,
    ),
    "fonts in a run of Word": ("a.docx", _letters_of_symbol(4_000)),
    "properties in a run of Word": ("a.docx", _letters_of_symbol(8_000, named=False)),
    "drawers of Org": ("a.org", "#+title: A\n* B\n" + ":c:\n" * 40_000 + ":end:\n"),
    "names of an object": ("a.odt", _one_object_by_many_names(40)),
    "authors within authors": (
        "a.xml",
        _article("<info>" + "<author>" * 200 + "<b>w </b>" * 4_000 + "</author>" * 200 + "</info>"),
    ),
    "many authors": (
        "a.xml",
        _article(
            "<info>"
            + "".join(f"<author><surname>N{at}</surname></author>" for at in range(40_000))
            + "</info>"
        ),
    ),
    "notes in paragraphs within paragraphs": (
        "a.xml",
        _article("<para>" * 200 + "<footnote><para>w</para></footnote>" * 8_000 + "</para>" * 200),
    ),
    "what is around no paragraph": (
        "a.xml",
        _article("<x>" * 200 + "<emphasis>x</emphasis> " * 40_000 + "<para>p</para>" + "</x>" * 200),
    ),
    "items within the words of items": (
        "a.xml",
        "<rss><channel><title>T</title>"
        + "<item><description>" * 100
        + "<p>w </p>" * 10_000
        + "</description></item>" * 100
        + "</channel></rss>",
    ),
    "a heading of brackets": ("a.md", "[a]: /u\n\n# " + "[" * 800_000 + "\n"),
    "a short name of code": (
        "a.tex",
        f"\\newmintinline[x]{{{'a' * 30}}}"
        + f"\\newmintinline[mintinline]{{{'a' * 30}}}" * 7
        + "\\x" * 200_000,
    ),
}


@pytest.mark.parametrize("text", HOSTILE)
def test_cost_grows_with_the_text(text: str) -> None:
    name, content = HOSTILE[text]
    started = time.process_time()
    parsed_here(content, name)
    assert time.process_time() - started < MOST_S


def test_a_macro_does_not_multiply_what_it_is_given() -> None:
    macros = PageMacros()
    macros.begin("de", "A")
    macros.take("\\\\$* " * 2_000)
    macros.take("..")
    assert macros.written("A", ["word"]) is not None
    assert macros.written("A", ["word" * 1_000]) == []


def test_a_macro_is_asked_anew_whether_it_fills_once_it_is_another() -> None:
    macros = PageMacros()
    for says, fills in ((".nf", False), (".fi", True), ("said", None)):
        macros.begin("de", "A")
        macros.take(says)
        macros.take("..")
        assert macros.fills("A") is fills
