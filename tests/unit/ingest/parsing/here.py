"""Parsing in the test's own process: fast, and without the sandbox, which has tests of its own."""

from typing import Any

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.parsers import parse_bytes
from tests.unit.ingest.defaults import parse_limits
from tests.unit.ingest.parsing.sample_files import check_ranges


def parsed_here(data: bytes | str, name: str, *, tesseract: str | None = None, **limits: Any) -> Extracted:
    content = data.encode() if isinstance(data, str) else data
    extracted = parse_bytes(content, name, "", parse_limits(**limits), tesseract=tesseract)
    check_ranges(extracted)
    return extracted


def titles(extracted: Extracted) -> list[str]:
    return [element.text for element in extracted.elements if element.kind == "title"]
