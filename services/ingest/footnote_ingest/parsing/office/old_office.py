"""Files of Office before 2007 (doc, xls, ppt), which LibreOffice turns into newer ones."""

from dataclasses import replace

from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.formats import DOC, DOCX, PPT, PPTX, XLS, XLSX
from footnote_ingest.parsing.parse_limits import check_size
from footnote_ingest.parsing.parser_input import ParserInput

NEWER = {DOC: ("doc", DOCX), XLS: ("xls", XLSX), PPT: ("ppt", PPTX)}
"""The ending of each old format, and the format that it becomes."""

_NEEDED = (
    "Reading doc, xls and ppt needs the program LibreOffice on the server: install it (on Debian and Ubuntu "
    "the packages libreoffice-writer-nogui, libreoffice-calc-nogui and libreoffice-impress-nogui), restart "
    "the workers, and try again. Or save the file as {newer} and upload that."
)


def as_newer(given: ParserInput) -> ParserInput:
    """The document in its newer format.

    Raises ParseFailed if LibreOffice is missing or makes nothing of the file.
    """
    old, newer = NEWER[given.sniffed.mime]
    if given.convert is None:
        raise ParseFailed(_NEEDED.format(newer=f"{old}x"), "unsupported")
    try:
        data = given.convert(given.data, old)
    except OSError as error:
        raise ParseFailed(
            f"LibreOffice could not read this {old} file. It is damaged, or a password protects it.",
            "corrupt",
        ) from error
    check_size(len(data), given.limits)
    return replace(given, data=data, sniffed=replace(given.sniffed, mime=newer))
