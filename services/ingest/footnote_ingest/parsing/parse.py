"""From bytes to elements: sniff, choose the family's parser, check the result. Runs inside the sandbox's child."""

from collections.abc import Callable
from dataclasses import replace

from footnote_ingest.parsing import (
    mail,
    markdown,
    markup,
    ocr,
    office,
    packaged,
    pdf,
    plain,
    rtf,
    spreadsheets,
    web,
)
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.failures import ParseFailed
from footnote_ingest.parsing.formats import Family
from footnote_ingest.parsing.limits import MIB, ParseLimits
from footnote_ingest.parsing.sniff import sniff
from footnote_ingest.parsing.source import Source

PARSERS: dict[Family, Callable[[Source], Extracted]] = {
    "plain": plain.parse,
    "markdown": markdown.parse,
    "code": plain.parse_code,
    "web": web.parse,
    "xml": markup.parse,
    "csv": spreadsheets.parse_csv,
    "docx": office.parse_docx,
    "pptx": office.parse_pptx,
    "xlsx": spreadsheets.parse_xlsx,
    "odt": packaged.parse_odt,
    "epub": packaged.parse_epub,
    "rtf": rtf.parse,
    "eml": mail.parse_eml,
    "msg": mail.parse_msg,
    "pdf": pdf.parse,
    "image": ocr.parse,
}


def check_size(size: int, limits: ParseLimits) -> None:
    if size > limits.size:
        raise ParseFailed(
            f"The file has {size / MIB:,.1f} MiB, more than the {limits.size / MIB:,.0f} MiB that are allowed.",
            "too_large",
        )


def extract(
    data: bytes, filename: str, declared_mime: str, limits: ParseLimits, *, tesseract: str | None = None
) -> Extracted:
    """Parse in this very process, without its protections. Everything but the sandbox and tests calls `Sandbox.parse`."""
    check_size(len(data), limits)
    sniffed = sniff(data, filename, declared_mime)
    extracted = PARSERS[sniffed.family](Source(data, filename, sniffed, limits, tesseract))
    if not extracted.elements and not extracted.attachments:
        raise ParseFailed("No text was found in the file.", "empty")
    return replace(extracted, mime=sniffed.mime, family=sniffed.family)
