"""Parsing in the test's own process: fast, and without the sandbox, which has tests of its own."""

import subprocess
from typing import Any

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.parser_input import Ocr
from footnote_ingest.parsing.parsers import parse_bytes
from tests.unit.ingest.defaults import parse_limits
from tests.unit.ingest.parsing.sample_files import check_ranges


def parsed_here(data: bytes | str, name: str, *, tesseract: str | None = None, **limits: Any) -> Extracted:
    content = data.encode() if isinstance(data, str) else data
    ocr = program_ocr(tesseract) if tesseract is not None else None
    extracted = parse_bytes(content, name, "", parse_limits(**limits), ocr=ocr)
    check_ranges(extracted)
    return extracted


def program_ocr(path: str) -> Ocr:
    """OCR by a program that takes the picture and prints the text."""

    def recognise(png: bytes) -> bytes:
        return subprocess.run([path, "stdin", "stdout"], input=png, capture_output=True, check=True).stdout

    return recognise


def titles(extracted: Extracted) -> list[str]:
    return [element.text for element in extracted.elements if element.kind == "title"]
