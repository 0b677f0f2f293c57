"""The sandbox's template, whose parser of plain text was taken over: it runs the document as a program."""

from footnote_ingest.parsing.parsers import PARSERS
from footnote_ingest.sandbox import child
from tests.unit.ingest.sandbox.hostile_program import run


def main() -> None:
    PARSERS["plain"] = run
    child.main()
