"""The macros of mdoc(7) that shape a page: its lists, displays, declarations and references."""

import re

from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.markup.mdoc_words import INLINE, MdocLine, Spoken
from footnote_ingest.parsing.markup.roff_escapes import MdocWord, words_of
from footnote_ingest.parsing.markup.roff_page import ManualPage

_FORM = re.compile(r"-(bullet|column|dash|diag|enum|hang|hyphen|inset|item|ohang|tag)\b")
_PARTS = tuple(f"%{letter}" for letter in "TBIJRNVUPQCDO")
_MARKED = frozenset({"bullet", "dash", "hyphen", "item"})


def spoken(page: ManualPage, words: list[MdocWord]) -> Spoken:
    """What a macro and its arguments say."""
    said = MdocLine(page.name, spaced=page.spaced).read(words)
    return said._replace(text=one_line(said.text))


def obey_mdoc(page: ManualPage, name: str, rest: str) -> bool:
    """What a macro of mdoc does. Returns False for macros of other packages."""
    return _lists(page, name, rest) or _declares(page, name, rest) or _says(page, name, rest)


def _lists(page: ManualPage, name: str, rest: str) -> bool:
    if name == "Bl":
        form = _FORM.search(rest)
        page.open_list(form[1] if form else "tag")
    elif name == "El":
        page.close_list()
    elif name == "It":
        _begin_item(page, rest)
    elif name == "Ta":
        page.end_cell()
        columns = page.columns()
        if columns is not None and columns.rows:
            columns.rows[-1].append("")
        _say(page, words_of(rest, page.strings))
    elif name == "Bd":
        page.flush()
        page.code = any(kind in rest for kind in ("literal", "unfilled"))
    elif name == "Ed":
        page.flush()
        page.code = False
    elif name in ("Dl", "D1"):
        page.flush()
        page.to.add("code", spoken(page, words_of(rest, page.strings)).text)
    else:
        return False
    return True


def _begin_item(page: ManualPage, rest: str) -> None:
    columns = page.columns()
    if columns is not None and columns.rows is not None:
        page.end_cell()
        columns.rows.append(_cells(page, rest))
        return
    page.flush()
    words = words_of(rest, page.strings)
    listed = page.lists[-1] if page.lists else None
    if listed is not None:
        listed.items += 1
        if listed.form == "enum" or listed.form in _MARKED:
            page.tag = f"{listed.items}." if listed.form == "enum" else "•"
            _say(page, words)
            return
    if any(word.text == "Xo" and not word.plain for word in words):
        page.head_open = True
        _say(page, words)
        return
    page.tag = spoken(page, words).text or "•"


def _cells(page: ManualPage, rest: str) -> list[str]:
    """The cells of a row: a tab or `Ta` parts them."""
    cells: list[list[MdocWord]] = [[]]
    for at, part in enumerate(rest.split("\t")):
        if at:
            cells.append([])
        for word in words_of(part, page.strings):
            if word.text == "Ta" and not word.plain:
                cells.append([])
            else:
                cells[-1].append(word)
    return [spoken(page, cell).text for cell in cells]


def _declares(page: ManualPage, name: str, rest: str) -> bool:
    """Functions over several lines, and all declarations of a synopsis. Returns False for other macros."""
    in_synopsis = page.section == "SYNOPSIS"
    words = [word.text for word in words_of(rest, page.strings)]
    if name == "Fo":
        page.function = words[:1]
    elif name == "Fa" and page.function is not None:
        page.function += [word for word in words if word != ","]
    elif name == "Fc" and page.function is not None:
        called, *given = page.function or [""]
        page.function = None
        _declare_function(page, called, given, words, as_code=in_synopsis)
    elif not in_synopsis or page.columns() is not None:
        return False
    elif name == "Ft":
        if page.lines or page.tag is not None or page.returns:
            page.flush()
        page.returns = " ".join(words)
    elif name == "Fn" and words:
        given = [word for word in words[1:] if word not in (",", ";")]
        _declare_function(page, words[0], given, [], as_code=True)
    elif name == "In" and words:
        page.declare(f"#include <{words[0]}>")
    elif name == "Fd":
        page.declare(" ".join(words))
    elif name == "Vt" and words[-1:] == [";"]:
        page.declare(" ".join(words[:-1]) + ";")
    else:
        return False
    return True


def _declare_function(
    page: ManualPage, name: str, given: list[str], behind: list[str], *, as_code: bool
) -> None:
    declared = f"{name}({', '.join(given)})"
    if as_code:
        returns, page.returns = page.returns, ""
        gap = "" if not returns or returns.endswith("*") else " "
        page.declare(f"{returns}{gap}{declared};")
    else:
        page.say(declared + "".join(behind))


def _says(page: ManualPage, name: str, rest: str) -> bool:
    """Put words into the running text. Returns False for a macro that says nothing."""
    if name == "Sm":
        page.spaced = rest.strip() == "on" if rest.strip() else not page.spaced
        page.joins_next = False
    elif name == "Xc" and page.head_open:
        page.close_head()
        _say(page, words_of(rest, page.strings))
    elif name == "Nd":
        page.say("- " + spoken(page, words_of(rest, page.strings)).text)
    elif name in INLINE:
        words = words_of(rest, page.strings)
        if name == "An" and words and words[0].text in ("-split", "-nosplit"):
            return True
        if name == "Nm":
            _name_page(page, words)
        _say(page, [MdocWord(name), *words])
    elif name == "Rs":
        page.reference = []
    elif name.startswith("%"):
        if page.reference is not None:
            page.reference.append((name, spoken(page, words_of(rest, page.strings)).text))
        else:
            _say(page, words_of(rest, page.strings))
    elif name == "Re" and page.reference is not None:
        page.say(_reference(page.reference))
        page.reference = None
    else:
        return False
    return True


def _reference(parts: list[tuple[str, str]]) -> str:
    """A reference with its parts in the order in which they are printed (mdoc(7), `Rs`)."""
    authors = [text for key, text in parts if key == "%A"]
    written = " and ".join((", ".join(authors[:-1]), authors[-1])) if len(authors) > 1 else "".join(authors)
    rest = sorted((part for part in parts if part[0] in _PARTS), key=lambda part: _PARTS.index(part[0]))
    return ", ".join(filter(None, (written, *(text for _, text in rest)))) + "."


def _name_page(page: ManualPage, words: list[MdocWord]) -> None:
    if not page.name and words:
        page.name = words[0].text
    if page.section == "SYNOPSIS" and not page.head_open:
        # Each way to call a program begins with its name, on a line of its own.
        page.flush()


def _say(page: ManualPage, words: list[MdocWord]) -> None:
    if words:
        said = spoken(page, words)
        page.say(said.text, joins=said.joins_before)
        page.joins_next = said.joins_behind
