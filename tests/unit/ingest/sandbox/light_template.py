"""The sandbox's template without the parsers, whose import is most of what a start costs.

It runs a document as `hostile_template.py` does if its name says that it is a program; any other is plain
text. For tests of how templates and children live, that start many.
"""

import sys
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Any

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.formats import Sniffed
from footnote_ingest.parsing.parse_limits import ParseLimits
from footnote_ingest.parsing.parser_input import Ocr, ParserInput
from tests.unit.ingest.sandbox.hostile_program import run

PROGRAM = "program.txt"


def parse_bytes(
    data: bytes, filename: str, declared_mime: str, limits: ParseLimits, *, ocr: Ocr | None = None, **_: Any
) -> Extracted:
    given = ParserInput(data, filename, Sniffed("text/plain", "plain"), limits, ocr)
    if filename == PROGRAM:
        extracted = run(given)
    else:
        to = given.assembler()
        to.add("paragraph", data.decode())
        extracted = to.finish()
    return replace(extracted, mime="text/plain", family="plain")


def main() -> None:
    parsers = ModuleType("footnote_ingest.parsing.parsers")
    vars(parsers)["parse_bytes"] = parse_bytes
    sys.modules[parsers.__name__] = parsers
    import_module("footnote_ingest.sandbox.child").main()
