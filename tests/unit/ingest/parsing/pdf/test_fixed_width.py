"""Fonts of one width: by their names, and by their letters where they have none."""

import pytest

from footnote_ingest.parsing.pdf.fixed_width import FixedWidth
from footnote_ingest.parsing.pdf.fonts import Font, font_named

UNNAMED = font_named("", 0)
NAMED = font_named("Times-Roman", 0)


@pytest.mark.parametrize(
    ("name", "is_mono"),
    [
        ("NimbusMonL-Regu-Extend_850", True),
        ("ABCDEF+SFST1000", True),
        ("CMITT10", True),
        ("Monaco", True),
        ("LetterGothicStd", True),
        ("35c374+mplus1mn-regular", True),
        ("MPLUS1p-Regular", False),
        ("Inconsolata-Regular", True),
        ("NEGTVS+t1xtt", True),
        ("MLCCXW+t1xbtt", True),
        ("BYSJKT+tcxtt", True),
        ("SFRM1000", False),
        ("Harmony", False),
        ("ABCDEF+Cousine", True),
        ("TeXGyreCursor-Regular", True),
        ("pcrb8r", True),
        ("SourceCodePro", True),
        ("ArialUnicodeMS", False),
        ("LucidaSansUnicode", False),
        ("MonotypeCorsiva", False),
    ],
)
def test_a_name_tells_a_font_of_one_width(name: str, is_mono: bool) -> None:
    assert font_named(name, 0).mono is is_mono


@pytest.mark.parametrize(
    ("name", "is_italic"),
    [("Arial-ItalicMT", True), ("MinionPro-Ital", True), ("Digital-7", False), ("CapitalHill", False)],
)
def test_a_name_tells_a_slanted_font(name: str, is_italic: bool) -> None:
    assert font_named(name, 0).italic is is_italic


@pytest.mark.parametrize(("name", "unnamed"), [("", True), ("F12", True), ("Abel", False)])
def test_a_short_name_tells_nothing(name: str, unnamed: bool) -> None:
    assert font_named(name, 0).unnamed is unnamed


def holds(text: str, narrow: float, *, font: Font = UNNAMED, first: int = 0) -> bool:
    """Whether a line is of one width, whose narrow letters take this share of the others."""
    advances = [narrow if char in "fijlrt.,:;'!|()" else 1.0 for char in " " * first + text]
    return FixedWidth(lambda _: font, lambda at: advances[at]).holds(text, first)


@pytest.mark.parametrize(("narrow", "is_mono"), [(0.9, True), (0.89, False)])
def test_narrow_letters_are_as_wide_as_others(narrow: float, is_mono: bool) -> None:
    assert holds("print(x)", narrow) is is_mono
    assert holds("print(x)", narrow, first=7) is is_mono


@pytest.mark.parametrize("text", ["", "xyz", "ill", "(.)", "a b c.", "\u540d\u524d: a file"])
def test_nothing_is_told_without_letters_of_both_kinds_or_among_others(text: str) -> None:
    assert not holds(text, 1.0)


def test_numbers_tell_it_by_their_points() -> None:
    assert holds("27.94869106 0.00983451", 1.0)
    assert not holds("27.94869106 0.00983451", 0.55)


@pytest.mark.parametrize("words", ["plot can be drawn by ", "all of it by "])
def test_words_in_another_font_before_a_name_are_noticed(words: str) -> None:
    text = words + "plot(object)"
    advances = [0.5 if char in "fijlrt.,()" else 1.0 for char in words] + [1.0] * len("plot(object)")
    assert not FixedWidth(lambda _: UNNAMED, advances.__getitem__).holds(text, 0)


def test_a_named_font_is_not_measured() -> None:
    assert not holds("print(x)", 1.0, font=NAMED)


def test_letters_of_two_fonts_tell_nothing() -> None:
    fonts = [UNNAMED] * 4 + [UNNAMED._replace(bold=True)] * 4
    assert not FixedWidth(fonts.__getitem__, lambda _: 1.0).holds("print(is", 0)
