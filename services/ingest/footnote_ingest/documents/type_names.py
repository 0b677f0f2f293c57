"""What a person may call the type of a document: where it came from, its media type, format or ending."""

from typing import get_args

from footnote_ingest.parsing.formats import (
    BZIP2,
    DOC,
    DOCX,
    FAMILY_OF,
    GZIP,
    MBOX,
    MSG,
    ODP,
    ODS,
    PPT,
    PPTX,
    TEXT_ENDINGS,
    XLS,
    XLSX,
    supported_mimes,
)
from footnote_shared.contracts.documents import SourceType

SOURCE_TYPES: tuple[SourceType, ...] = get_args(SourceType)

_MAIL = frozenset(("message/rfc822", MSG, MBOX))
_SPREADSHEETS = frozenset((XLSX, XLS, ODS, "text/csv", "text/tab-separated-values"))
_SLIDES = frozenset((PPTX, PPT, ODP))
_WORDS: dict[str, frozenset[str]] = {
    "html": frozenset(("text/html", "application/xhtml+xml")),
    "text": frozenset(("text/plain",)),
    "mail": _MAIL,
    "email": _MAIL,
    "e-mail": _MAIL,
    "word": frozenset((DOCX, DOC)),
    "doc": frozenset((DOC,)),
    "excel": frozenset((XLSX, XLS)),
    "xls": frozenset((XLS,)),
    "spreadsheet": _SPREADSHEETS,
    "powerpoint": frozenset((PPTX, PPT)),
    "ppt": frozenset((PPT,)),
    "slides": _SLIDES,
    "presentation": _SLIDES,
    "png": frozenset(("image/png",)),
    "jpg": frozenset(("image/jpeg",)),
    "jpeg": frozenset(("image/jpeg",)),
    "tif": frozenset(("image/tiff",)),
    "tiff": frozenset(("image/tiff",)),
    "mp3": frozenset(("audio/mpeg",)),
    "m4a": frozenset(("audio/mp4",)),
    "aac": frozenset(("audio/aac",)),
    "ogg": frozenset(("audio/ogg",)),
    "wav": frozenset(("audio/x-wav",)),
    "flac": frozenset(("audio/x-flac",)),
    "zip": frozenset(("application/zip",)),
    "tar": frozenset(("application/x-tar",)),
    "gz": frozenset((GZIP,)),
    "bz2": frozenset((BZIP2,)),
    "xz": frozenset(("application/x-xz",)),
}
"""Words for types that are neither a family nor the ending of a text. They come before these."""


def types_named(name: str) -> tuple[frozenset[SourceType], frozenset[str]]:
    """The source types and the media types of this name, in small letters; `.md` is `md`.

    Both are empty for a name that is none.
    """
    name = name.removeprefix(".")
    sources = frozenset(source for source in SOURCE_TYPES if source == name)
    mimes = _WORDS.get(name)
    if mimes is None:
        mimes = frozenset(mime for mime in supported_mimes() if name in (mime, FAMILY_OF[mime]))
        if not mimes and name in TEXT_ENDINGS:
            mimes = frozenset((TEXT_ENDINGS[name],))
    return sources, mimes
