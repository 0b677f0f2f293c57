"""The words that a plain tool finds in a file, and the share of them that a reader kept.

The tools are pdftotext for PDF, trafilatura for HTML and pandoc for what it reads. Where one is missing, or
cannot read the file, there is no share.
"""

import re
import shutil
import subprocess
import unicodedata
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_WORD: Final = re.compile(r"\w+")
_HYPHENATED: Final = re.compile(r"(?<=[a-zäöüß])-\n\s*(?=[a-zäöüß])")
_SET_LOWER: Final = re.compile(r"[_^]\(([^()\n]{1,60})\)")
"""How pandoc writes what stands below or above the line, as in `n_(e)`. It counts as `ne`."""

_COMMANDS: Final = re.compile(r"\\(?:(?:begin|end|csname)[ {]?([A-Za-z*]{1,60})|([A-Za-z@]{1,60}))|\[image\]")
"""Commands of LaTeX that pandoc leaves as they are, and what it says of a picture, are no words of a file."""

_NAME_PART: Final = re.compile(r"(?:csname |\{)([A-Za-z]{4,60})#\d(?:\}|\\endcsname)")
"""The beginning of names that a macro of LaTeX puts together, as in `\\csname DUrole#1\\endcsname`."""

_NOTE_NUMBER: Final = re.compile(r"\[\d{1,4}\]")
"""How pandoc numbers the notes of a Word document, at their place and before their text."""

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


def words_kept(kind: str, path: Path, texts: Sequence[str]) -> tuple[int, int] | None:
    """How many words of the reference are in the texts, and how many it has; None without a reference.

    A word that the reference has twice must be there twice.
    """
    reference = _SET_LOWER.sub(r"\1", _reference(kind, path) or "")
    wanted = Counter(_words(_HYPHENATED.sub("", reference))) if reference else None
    if not wanted:
        return None
    if kind == "latex":
        texts = [_COMMANDS.sub(" ", text) for text in texts]
        wanted = printed_words(reference, path.read_text(encoding="utf-8", errors="replace"))
    if kind == "docx":
        wanted = Counter(_words(_written_equations(_NOTE_NUMBER.sub(" ", reference))))
        texts = [_written_equations(text) for text in texts]
    have = Counter(word for text in texts for word in _words(text))
    return sum(min(count, have[word]) for word, count in wanted.items()), wanted.total()


def printed_words(reference: str, source: str) -> Counter[str]:
    """The words of a LaTeX file without the names of commands and environments that are no other word of it.

    Pandoc says some of them as words, as in `\\csname name\\endcsname`, also where a macro puts them
    together. On the page they are not seen.
    """
    parts = "|".join(sorted(set(_NAME_PART.findall(source))))
    if parts:
        reference = re.sub(rf"\b(?:end)?(?:{parts})[\w-]*", " ", reference)
    names = {(found[1] or found[2] or "").lower() for found in _COMMANDS.finditer(source)}
    written = set(_words(_COMMANDS.sub(" ", source)))
    wanted = Counter(_words(_HYPHENATED.sub("", _COMMANDS.sub(" ", reference))))
    return Counter({word: count for word, count in wanted.items() if word in written or word not in names})


def _written_equations(text: str) -> str:
    """Equations without the commands of LaTeX, which pandoc writes them in, and with each index by itself."""
    return re.sub(r"[_^{}]", " ", _COMMANDS.sub(" ", text))


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


def run_pandoc(program: str, source: str, target: str, path: Path) -> str | None:
    """What pandoc makes of a file, or None where it cannot read it."""
    return _run(program, "-f", source, "-t", target, "--wrap=none", str(path))


def _reference(kind: str, path: Path) -> str | None:
    if kind == "pdf":
        program = shutil.which("pdftotext")
        return _run(program, "-nopgbrk", str(path), "-") if program else None
    if kind == "html":
        if find_spec("trafilatura") is None:
            return None
        found = import_module("trafilatura").extract(path.read_text(encoding="utf-8", errors="replace"))
        return None if found is None else str(found)
    if kind in _COMPARED and (program := pandoc()) is not None:
        told = run_pandoc(program, PANDOC_FORMATS[kind], "plain", path)
        return in_its_code_page(told, path.read_bytes()) if kind == "rtf" and told else told
    return None


def _run(*command: str) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", errors="replace")


def _words(text: str) -> list[str]:
    """The words in small letters. A number is the same number as an index, as an exponent and on the line."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).lower())
