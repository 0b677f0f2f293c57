"""The words that a plain tool finds in a file, and the share of them that a reader kept.

The tools are pdftotext for PDF, trafilatura for HTML and pandoc for what it reads. Where one is missing, or
cannot read the file, there is no share.
"""

import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from footnote_cli.evaluation.pdf_reference import contents_words, wanted_words, without_underscores
from footnote_cli.evaluation.words_kept import (
    WordsKept,
    compared,
    with_letters_shown,
    without_left_out,
    words_of,
)

_HYPHENATED: Final = re.compile(r"(?<=[a-zäöüß])-\n\s*(?=[a-zäöüß])")
_SET_LOWER: Final = re.compile(r"(?<!_)[_^]\(([^()\n]{1,60})\)")
"""How pandoc writes what stands below or above the line, as in `n_(e)`. It counts as `ne`.

In code, two underscores before a parenthesis are the end of a name, as in `__init__(self)`.
"""

_COMMANDS: Final = re.compile(r"\\(?:(?:begin|end|csname)[ {]?([A-Za-z*]{1,60})|([A-Za-z@]{1,60}))|\[image\]")
"""Commands of LaTeX that pandoc leaves as they are, and what it says of a picture, are no words of a file."""

_NAME_PART: Final = re.compile(r"(?:csname |\{)([A-Za-z]{4,60})#\d(?:\}|\\endcsname)")
"""The beginning of names that a macro of LaTeX puts together, as in `\\csname DUrole#1\\endcsname`."""

_DRAWING_BEGINS, _DRAWING_ENDS = r"\begin{picture}", r"\end{picture}"
_COORDINATES: Final = re.compile(
    r"\([-+\d., \t]{1,60}\)(?:\{[-+\d.]{1,20}\})?|\\(?:circle|oval)\*?\{[\d.]{1,20}\}"
)
_LABEL: Final = re.compile(r"\\(?:label|ref|eqref|tag)\{[^{}]{0,200}\}")
"""Where a drawing draws, and by what name a text refers to an equation, are no words of a page."""

_NOTE_NUMBER: Final = re.compile(r"\[\d{1,4}\]")
"""How pandoc numbers the notes of Word and OpenDocument texts, at their place and before their text."""

_APART: Final = re.compile("[_^]")
"""Signs of equations, which part words: on both sides, since a name such as `trial_court` has one, too."""

_CHUNK: Final = re.compile(r"<<([^<>\n]{0,200})>>=")
"""The options of a piece of code in Sweave, which tell a program what to do with it."""

_WIDGET: Final = re.compile(r"^[ ]*\{\"model_id\":[^\n]*$", re.M)
"""By what a notebook finds a control that it draws. Pandoc says it, and nobody sees it."""

_LIST_MARK: Final = re.compile(r"^[ ]*(?:(?:\d{1,4}|[a-z]|[ivxl]{2,5})[.)]|-)[ ]+", re.M)
_MOST_MARKS: Final = 8
"""What pandoc puts before the items of a list, and before headings that are one, as in `1)  1)  Fruit`."""

_OWN_SIGNS: Final = {
    "docx": (_NOTE_NUMBER, _APART),
    "latex": (_CHUNK,),
    "notebook": (_WIDGET,),
    "odt": (_NOTE_NUMBER, *(_LIST_MARK,) * _MOST_MARKS),
}
"""What is no word of a file of a kind, though pandoc says it."""

_EQUATION: Final = re.compile("\ue000([^\ue000\ue001]*)\ue001")
_MARKED: Final = 'function Math(m) return pandoc.Str("\ue000" .. m.text .. "\ue001") end\n'
"""A filter of pandoc that puts equations between two marks, as they are in TeX."""

_SHOWN: Final = (
    'function OrderedList(l) if l.style == "DefaultStyle" then return pandoc.BulletList(l.content) end end\n'
)
"""One that leaves out the numbers of lists whose format shows none: pandoc counts them all the same."""

LUA_FILTERS: Final = {"docx": _MARKED + _SHOWN, "odt": _MARKED + _SHOWN, "latex": _MARKED}
"""What is asked of pandoc by kind. A list of LaTeX has no format that would say whether it shows numbers."""

_LIST_TEXT: Final = re.compile(r"\\listtext[^{}]{0,300}?[ ]([^\\{} ]{1,12})\\tab")
"""The number of a list item as an RTF file has it, for programs that do not count by themselves."""

_COUNTED: Final = re.compile(r"^[ ]*(?:\d{1,4}|[a-z]|[ivxl]{2,5})[.)][ ]+", re.M)

_CODE_PAGE: Final = re.compile(r"\\ansicpg(\d{3,5})")
_HEAD_OF_RTF: Final = 4_096

_SECONDS: Final = 600.0

PANDOC_FORMATS: Final = {
    "asciidoc": "asciidoc",
    "csv": "csv",
    "docbook": "docbook",
    "docx": "docx",
    "epub": "epub",
    "html": "html",
    "jats": "jats",
    "latex": "latex",
    "man": "man",
    "markdown": "markdown",
    "notebook": "ipynb",
    "odt": "odt",
    "org": "org",
    "pptx": "pptx",
    "rst": "rst",
    "rtf": "rtf",
    "tsv": "tsv",
    "xlsx": "xlsx",
}
"""By what name pandoc knows a kind of the corpus."""

_COMPARED: Final = frozenset(
    {"docbook", "docx", "epub", "jats", "latex", "man", "markdown", "notebook", "odt", "org", "rst", "rtf"}
)


def words_kept(kind: str, path: Path, texts: Sequence[str], left_out: Sequence[str] = ()) -> WordsKept | None:
    """Which words of the reference are in the texts; None without a reference.

    `left_out` is what the reader says that it has left out on purpose.
    """
    told = (_reference(kind, path) or "").replace("[TABLE]", " ")
    if kind == "pdf":
        return _words_of_pdf(told, texts, left_out)
    reference = _SET_LOWER.sub(r"\1", _EQUATION.sub(" ", told))
    wanted = Counter(words_of(_HYPHENATED.sub("", reference)))
    equations = _EQUATION.findall(told)
    if not wanted and not equations:
        return None
    reference = without_own_signs(kind, reference)
    if kind == "docx":
        texts = [_APART.sub(" ", text) for text in texts]
    if kind in _OWN_SIGNS:
        wanted = Counter(words_of(reference))
    if kind == "latex":
        texts = [_COMMANDS.sub(" ", with_letters_shown(text)) for text in texts]
        equations = [_LABEL.sub(" ", equation) for equation in equations]
        wanted = printed_words(reference, path.read_text(encoding="utf-8", errors="replace"))
    if kind == "rtf":
        wanted = Counter(words_of(with_written_numbers(reference, path.read_bytes())))
    return compared(wanted, texts, equations)


def _words_of_pdf(told: str, texts: Sequence[str], left_out: Sequence[str]) -> WordsKept | None:
    told = without_underscores(told)
    texts = [without_underscores(text) for text in texts]
    wanted = wanted_words(told, Counter(word for text in texts for word in words_of(text)))
    if not wanted:
        return None
    left_out = [without_underscores(line) for line in left_out]
    return without_left_out(compared(wanted, texts), contents_words(told), left_out, told.count("\f") + 1)


def without_own_signs(kind: str, told: str) -> str:
    """What pandoc tells of a file without the numbers, marks and options that no reader of the file sees."""
    for sign in _OWN_SIGNS.get(kind, ()):
        told = sign.sub(" ", told)
    return told


def with_written_numbers(told: str, source: bytes) -> str:
    """What pandoc tells of an RTF file, with the numbers of list items as the file has them.

    Pandoc counts the items anew, and takes an item below another one for the next of the same list.
    """
    written = _LIST_TEXT.findall(source.decode("latin-1"))
    return "\n".join([_COUNTED.sub("", told), *written]) if written else told


def printed_words(reference: str, source: str) -> Counter[str]:
    """The words of a LaTeX file without the names of commands and environments that are no other word of it.

    Pandoc says some of them as words, as in `\\csname name\\endcsname`, also where a macro puts them
    together. On the page they are not seen.
    """
    parts = "|".join(sorted(set(_NAME_PART.findall(source))))
    if parts:
        reference = re.sub(rf"\b(?:end)?(?:{parts})[\w-]*", " ", reference)
    names = {(found[1] or found[2] or "").lower() for found in _COMMANDS.finditer(source)}
    written = set(words_of(_COMMANDS.sub(" ", source)))
    wanted = Counter(words_of(_HYPHENATED.sub("", _COMMANDS.sub(" ", reference))))
    seen = Counter({word: count for word, count in wanted.items() if word in written or word not in names})
    return seen - Counter(words_of(" ".join(_coordinates(source))))


def _coordinates(source: str) -> Iterator[str]:
    """Where and how far a drawing of LaTeX draws. Pandoc says these numbers as words of the text."""
    at = 0
    while (begin := source.find(_DRAWING_BEGINS, at)) >= 0:
        at = source.find(_DRAWING_ENDS, begin)
        if at < 0:
            return
        yield from _COORDINATES.findall(source[begin:at])


def in_its_code_page(told: str, source: bytes) -> str:
    """What pandoc tells of an RTF file, read in the code page that the file names.

    Pandoc takes each byte above 127 for one of code page 1252. A text that cannot have come about in this way
    stays as it is.
    """
    named = _CODE_PAGE.search(source[:_HEAD_OF_RTF].decode("latin-1"))
    try:
        return told.encode("cp1252").decode(f"cp{named[1]}") if named is not None else told
    except (LookupError, UnicodeError):
        return told


def pandoc() -> str | None:
    """The program: the one that the package pypandoc_binary brings, or else the one on PATH."""
    if find_spec("pypandoc") is not None:
        bundled = Path(str(import_module("pypandoc").__file__)).parent / "files" / "pandoc"
        if bundled.is_file():
            return str(bundled)
    return shutil.which("pandoc")


def run_pandoc(program: str, source: str, target: str, path: Path, *, lua_filter: str = "") -> str | None:
    """What pandoc makes of a file, or None where it cannot read it."""
    command = (program, "-f", source, "-t", target, "--wrap=none", str(path))
    if not lua_filter:
        return _run(*command)
    with tempfile.TemporaryDirectory() as folder:
        (script := Path(folder) / "as_seen.lua").write_text(lua_filter, encoding="utf-8")
        return _run(*command, "--lua-filter", str(script))


def _reference(kind: str, path: Path) -> str | None:
    if kind == "pdf":
        program = shutil.which("pdftotext")
        return _run(program, str(path), "-") if program else None
    if kind == "html":
        if find_spec("trafilatura") is None:
            return None
        found = import_module("trafilatura").extract(path.read_text(encoding="utf-8", errors="replace"))
        return None if found is None else str(found)
    if kind in _COMPARED and (program := pandoc()) is not None:
        told = run_pandoc(program, PANDOC_FORMATS[kind], "plain", path, lua_filter=LUA_FILTERS.get(kind, ""))
        return in_its_code_page(told, path.read_bytes()) if kind == "rtf" and told else told
    return None


def _run(*command: str) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", errors="replace")
