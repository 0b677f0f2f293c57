"""Folder paths and file names in the form in which they are stored."""

import unicodedata

from footnote_ingest.store.tables import ROOT
from footnote_shared.kernel.errors import FieldError, InvalidRequest

_LONGEST_SEGMENT = 255
_LONGEST_ENDING = 16
_LONGEST_PATH = 1000
_DEEPEST = 32


def normalise(path: str | None, field: str = "folder") -> str:
    """The absolute path without empty and `.` segments.

    `a//b/` becomes `/a/b`, and an empty path becomes the root. Raises InvalidRequest for `..`, for control
    characters, and for a path that is too long or too deep.
    """
    text = unicodedata.normalize("NFC", path or "")
    parts = [part.strip() for part in text.split(ROOT)]
    parts = [part for part in parts if part not in ("", ".")]
    if ".." in parts:
        raise _refused(field, "may not contain `..`")
    if has_controls(text):
        raise _refused(field, "may not contain control characters")
    if len(parts) > _DEEPEST or any(len(part) > _LONGEST_SEGMENT for part in parts):
        raise _refused(field, f"may have at most {_DEEPEST} parts of at most {_LONGEST_SEGMENT} characters")
    whole = ROOT + ROOT.join(parts)
    if len(whole) > _LONGEST_PATH:
        raise _refused(field, f"may have at most {_LONGEST_PATH} characters")
    return whole


def plain_name(filename: str | None) -> str:
    """The last part of a file's name, without control characters.

    A long name is shortened before its ending.
    """
    text = unicodedata.normalize("NFC", filename or "").replace("\\", ROOT).rstrip(ROOT).rpartition(ROOT)[2]
    text = "".join(char for char in text if not unicodedata.category(char).startswith("C")).strip()
    if len(text) > _LONGEST_SEGMENT:
        stem, dot, ending = text.rpartition(".")
        keep = dot + ending if dot and len(ending) <= _LONGEST_ENDING else ""
        text = (stem or text)[: _LONGEST_SEGMENT - len(keep)] + keep
    return text


def has_controls(text: str) -> bool:
    """Whether a text holds control characters or lone surrogates.

    No name or title needs them, and not every store can keep them.
    """
    return any(unicodedata.category(char) in ("Cc", "Cs") for char in text)


def _refused(field: str, message: str) -> InvalidRequest:
    return InvalidRequest(f"The {field} {message}.", errors=[FieldError(field, message)])
