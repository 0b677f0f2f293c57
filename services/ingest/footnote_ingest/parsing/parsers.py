"""The parser of each family of formats, and the way from bytes to elements.

Runs inside the sandbox's child.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

from footnote_ingest.parsing import (
    archived_files,
    epub,
    mail,
    mailbox,
    ocr,
    plain,
    recordings,
    web,
    xml,
)
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed, ReadByItself
from footnote_ingest.parsing.formats import Family
from footnote_ingest.parsing.markup import asciidoc, latex, markdown, org, pod, roff, rst, texinfo
from footnote_ingest.parsing.office import odp, ods, odt, old_office, powerpoint, rtf, spreadsheets, word
from footnote_ingest.parsing.parse_limits import ParseLimits, check_size
from footnote_ingest.parsing.parser_input import Convert, Ocr, ParseChoices, ParserInput
from footnote_ingest.parsing.pdf import pdf
from footnote_ingest.parsing.records import content_lines, keyed_data, notebooks, subtitles
from footnote_ingest.parsing.sniff import sniff
from footnote_ingest.parsing.source_code import by_syntax

_DEFAULTS = ParseChoices()

PARSERS: dict[Family, Callable[[ParserInput], Extracted]] = {
    "plain": plain.parse,
    "markdown": markdown.parse,
    "rst": rst.parse,
    "org": org.parse,
    "asciidoc": asciidoc.parse,
    "latex": latex.parse,
    "texinfo": texinfo.parse,
    "pod": pod.parse,
    "code": by_syntax.parse,
    "data": keyed_data.parse,
    "man": roff.parse,
    "notebook": notebooks.parse,
    "subtitles": subtitles.parse,
    "content_lines": content_lines.parse,
    "web": web.parse,
    "xml": xml.parse,
    "csv": spreadsheets.parse_csv,
    "docx": word.parse,
    "pptx": powerpoint.parse,
    "xlsx": spreadsheets.parse_xlsx,
    "odt": odt.parse,
    "ods": ods.parse,
    "odp": odp.parse,
    "epub": epub.parse,
    "rtf": rtf.parse,
    "eml": mail.parse_eml,
    "msg": mail.parse_msg,
    "mbox": mailbox.parse,
    "pdf": pdf.parse,
    "image": ocr.parse,
    "audio": recordings.parse,
    "archive": archived_files.parse,
}


def parse_bytes(
    data: bytes,
    filename: str,
    declared_mime: str,
    limits: ParseLimits,
    *,
    among: Collection[Family] | None = None,
    ocr: Ocr | None = None,
    convert: Convert | None = None,
    choices: ParseChoices = _DEFAULTS,
) -> Extracted:
    """Sniff, parse and check the result, in this very process and without its protections.

    Only the sandbox and tests call this; everything else calls `Sandbox.parse`. Raises ParseFailed, and
    ReadByItself for a file whose family is not `among` those that are given.
    """
    check_size(len(data), limits)
    sniffed = sniff(data, filename, declared_mime)
    if among is not None and sniffed.family not in among:
        raise ReadByItself
    given = ParserInput(data, filename, sniffed, limits, ocr, choices, convert)
    if sniffed.mime in old_office.NEWER:
        given = old_office.as_newer(given)
    extracted = PARSERS[sniffed.family](given)
    if not extracted.elements and not extracted.attachments:
        raise ParseFailed("No text was found in the file.", "empty")
    return replace(extracted, mime=sniffed.mime, family=sniffed.family)
