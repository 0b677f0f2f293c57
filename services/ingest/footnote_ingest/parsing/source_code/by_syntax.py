"""Source code by its syntax: the names of classes and functions are headings, and the code stays as it is."""

import re
from collections.abc import Iterable

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.source_code.definitions import Begin, TakesTooLong, definitions
from footnote_ingest.parsing.source_code.grammars import GRAMMARS
from footnote_ingest.parsing.source_code.named_lines import NAMED_LINES, named_lines

MOST_BYTES = 2_000_000
"""Code of more bytes is not taken apart: a tree takes some 150 times the memory of its text."""

_HEAD_BYTES = 120
"""A longer head of a class, with what is said above it, is an element of its own."""

_WORD = re.compile(rb"[\w\x80-\xff]")
_WITHOUT_UNITS = frozenset(
    {
        "assembly",
        "awk",
        "cmake",
        "css",
        "diff",
        "dockerfile",
        "graphql",
        "ini",
        "json",
        "makefile",
        "proto",
        "sql",
        "terraform",
        "toml",
        "vim",
        "yaml",
    }
)
"""Languages in which nobody expects classes and functions, or which have a reader of their own."""


def parse(given: ParserInput) -> Extracted:
    """A language without a grammar is read by its lines or as one piece, as a very large or odd file is."""
    decoded = decode(given.data, given.sniffed.encoding)
    language = given.sniffed.language
    to = given.assembler(decoded.text)
    if decoded.warning:
        to.warnings.append(decoded.warning)
    known = "tsx" if given.filename.lower().endswith((".tsx", ".jsx")) and language == "ts" else language
    code = decoded.text.encode("utf-8")
    if known in NAMED_LINES and len(code) <= MOST_BYTES:
        _mark(to, code, named_lines(decoded.text, known), language)
    elif known not in GRAMMARS or len(code) > MOST_BYTES:
        to.mark("code", 0, len(decoded.text), language=language)
        if known in GRAMMARS or known in NAMED_LINES:
            to.warnings.append("The code is too long to be read by its syntax, so it has no headings.")
        elif language is not None and language not in _WITHOUT_UNITS:
            to.warnings.append(f"There is no grammar for {language}, so the code has no headings.")
    else:
        try:
            _mark(to, code, definitions(code, known), language)
        except TakesTooLong:
            to.mark("code", 0, len(decoded.text), language=language)
            to.warnings.append("The code takes too long to be read by its syntax, so it has no headings.")
    return to.finish(metadata={"encoding": decoded.encoding, "code_language": language or ""})


def _mark(to: Assembler, code: bytes, begins: Iterable[Begin], language: str | None) -> None:
    """An element for each stretch under the same names. What closes a definition belongs to it.

    A short head, such as `class Tide {`, stays with the first thing in it.
    """
    start = at = chars = 0
    path: tuple[str, ...] = ()
    bare = False
    for begin in begins:
        if begin.path == path or begin.at < at:
            bare = begin.opens and bare
            continue
        line = code.rfind(b"\n", at, begin.at) + 1
        cut = line if line > at and not code[line : begin.at].strip() else begin.at
        head = code[at:cut] if cut - at <= _HEAD_BYTES else None
        inside = bare and begin.path[: len(path)] == path
        if head is None or not (inside or _WORD.search(head) is None):
            chars += len(code[at:cut].decode("utf-8"))
            to.enter(path)
            to.mark("code", start, chars, language=language)
            start, at = chars, cut
        path, bare = begin.path, begin.opens
    to.enter(path)
    to.mark("code", start, chars + len(code[at:].decode("utf-8")), language=language)
