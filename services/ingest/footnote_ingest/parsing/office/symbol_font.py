"""Letters and signs of the font Symbol, which office files write in private places of Unicode, F020 to F0FF.

Where its letters stand is told by Adobe's Symbol encoding (The PostScript Language Reference, appendix E.5).
"""

from docx.oxml.ns import qn
from lxml import etree

_FIRST = 0xF020
_LETTERS = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
_SMALL = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_ROWS = {
    0x20: " !∀#∃%&∋()∗+,−./0123456789:;<=>?",
    0x40: f"≅{_LETTERS}[∴]⊥_",
    0x61: f"{_SMALL}{{|}}∼",
    0xA1: "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…",
    0xBF: "↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑",
    0xF1: "⟩∫",
}
SYMBOLS = {0xF000 + at + step: sign for at, row in _ROWS.items() for step, sign in enumerate(row)}
"""What each private place of the font stands for."""

PICTURES = {
    0xF000 + at: sign
    for at, sign in zip(b"\x6f\xa7\xa8\xb7\xd8\xe0\xfb\xfc\xfd\xfe", "☐▪◻•➢→✗✓☒☑", strict=True)
}
"""What the signs of Wingdings stand for that people put into texts and forms."""

_MOST_DIGITS = 6
_OTHERS = frozenset({"wingdings", "wingdings 2", "wingdings 3", "webdings"})


def write_symbols(body: etree._Element, fonts: set[str]) -> None:
    """Write the letters of Symbol as themselves, where no other font with such places is among the `fonts`.

    A file with two of them does not say in the text itself whose a letter is.
    """
    named = {font.casefold().strip("'\"") for font in fonts}
    if "symbol" not in named or named & _OTHERS:
        return
    for node in body.iter():
        if isinstance(node.tag, str) and node.text and max(node.text) >= chr(_FIRST):
            node.text = node.text.translate(SYMBOLS)
        if node.tail and max(node.tail) >= chr(_FIRST):
            node.tail = node.tail.translate(SYMBOLS)


def write_word_symbols(body: etree._Element) -> None:
    """Write the signs of a Word text that name their font, and the runs that are set in Symbol.

    A sign has an element of its own (ECMA-376 part 1, 17.3.3.30), which holds no text.
    """
    for sign in list(body.iter(qn("w:sym"))):
        run, code = sign.getparent(), sign.get(qn("w:char"), "")
        if run is None or len(code) > _MOST_DIGITS or not code.isalnum():
            continue
        table = SYMBOLS if sign.get(qn("w:font"), "").casefold() == "symbol" else PICTURES
        try:
            place = int(code, 16) | 0xF000
        except ValueError:
            continue
        if written := table.get(place):
            text = etree.Element(qn("w:t"))
            text.text, text.tail = written, sign.tail
            run.replace(sign, text)
    # A damaged run may have very many texts and properties, so each run is asked once.
    known: dict[etree._Element, bool] = {}
    for text in body.iter(qn("w:t")):
        if text.text and max(text.text) >= chr(_FIRST):
            run = next(text.iterancestors(qn("w:r")), None)
            if run is not None and run not in known:
                known[run] = _is_in_symbol(run)
            if run is not None and known[run]:
                text.text = text.text.translate(SYMBOLS)


def _is_in_symbol(run: etree._Element) -> bool:
    """Whether a run has properties of its own that set it in Symbol."""
    fonts = run.find(f"{qn('w:rPr')}/{qn('w:rFonts')}")
    return fonts is not None and fonts.get(qn("w:ascii"), "").casefold() == "symbol"
