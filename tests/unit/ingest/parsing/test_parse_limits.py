"""What one document may consist of, and what a program that reads it may do."""

import io
import stat
from email.message import EmailMessage
from pathlib import Path

import pytest
from PIL import Image

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parse_limits import MIB, ParseLimits
from footnote_ingest.sandbox.sandbox import Sandbox
from footnote_shared.settings.base import Settings
from tests.unit.ingest.defaults import parse_limits
from tests.unit.ingest.parsing import sample_files
from tests.unit.ingest.parsing.here import parsed_here

LIMITS = parse_limits()


def assembler(whole: str | None = None) -> Assembler:
    return Assembler(text_limit=LIMITS.text, element_limit=LIMITS.elements, whole=whole)


def program(folder: Path, script: str) -> str:
    """An OCR program that does what the test says."""
    path = folder / "tesseract"
    path.write_text(f"#!/bin/sh\ncat > /dev/null\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_the_operator_sets_size_pages_time_and_memory() -> None:
    limits = ParseLimits.from_settings(
        Settings(max_upload_bytes=5, parse_max_pages=6, parse_timeout_s=0.5, parse_memory_mb=256)
    )
    assert (limits.size, limits.pages, limits.wall, limits.cpu) == (5, 6, 5, 1)
    assert limits.memory == 256 * MIB


def test_a_text_has_20_million_characters_at_most() -> None:
    assembler("x" * 20_000_000)
    with pytest.raises(ParseFailed, match="20,000,000 characters"):
        assembler("x" * 20_000_001)


def test_a_document_has_500000_elements_at_most() -> None:
    to = assembler("x" * 10)
    for _ in range(500_000):
        to.mark("paragraph", 0, 1)
    with pytest.raises(ParseFailed, match="500,000 parts"):
        to.mark("paragraph", 0, 1)


def test_a_message_has_200_attachments_at_most() -> None:
    message = EmailMessage()
    message.set_content("See the files.")
    for number in range(201):
        message.add_attachment(b"x", maintype="text", subtype="csv", filename=f"{number}.csv")
    extracted = parsed_here(message.as_bytes(), "a.eml")
    assert len(extracted.attachments) == 200
    assert extracted.warnings == ("Only the first 200 attachments were taken.",)


def test_100_pages_are_read_by_ocr(tmp_path: Path) -> None:
    frames = [Image.new("L", (1, 1))] * 101
    out = io.BytesIO()
    frames[0].save(out, "TIFF", save_all=True, append_images=frames[1:])
    tesseract = program(tmp_path, "echo word")
    scanned = parsed_here(out.getvalue(), "a.tiff", tesseract=tesseract)
    assert (len(scanned.elements), scanned.pages) == (100, 101)


def test_a_program_for_a_document_may_open_256_files_and_write_256_mib(tmp_path: Path) -> None:
    script = (
        "echo files $(ulimit -n)\ntruncate -s 256M big && echo large\ntruncate -s 257M big || echo refused"
    )
    box = Sandbox(LIMITS, confinement="off", tesseract=program(tmp_path, f"cd {tmp_path}\n{script}"))
    try:
        text = box.parse(sample_files.blank_pdf(1), "scan.pdf").text
    finally:
        box.close()
    assert text.split("\n") == ["files 256", "large", "refused"]


@pytest.mark.parametrize(("length", "kind"), [(250, "title"), (251, "paragraph")])
def test_a_heading_has_250_characters_at_most(length: int, kind: str) -> None:
    to = assembler()
    to.add("title", "x" * length)
    assert [element.kind for element in to.elements] == [kind]


def test_the_title_of_a_document_is_cut_after_500_characters() -> None:
    to = assembler()
    to.add("paragraph", "Words.")
    assert to.finish(title="x" * 600).title == "x" * 500


@pytest.mark.parametrize(("size", "seconds"), [(0, 30), (MIB, 60), (3 * MIB, 120), (100 * MIB, 120)])
def test_a_small_file_has_less_time_than_a_large_one(size: int, seconds: int) -> None:
    limits = parse_limits().for_size(size)
    assert (limits.wall, limits.cpu) == (10 * seconds, seconds)


def test_the_operators_time_is_never_exceeded() -> None:
    assert parse_limits(wall=7.5, cpu=7).for_size(MIB).wall == 7.5
