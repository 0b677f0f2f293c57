"""Checking zip containers before anything unpacks them."""

import io
import zipfile
import zlib

from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parse_limits import MIB, ParseLimits

FREE = 10 * MIB
"""A container that declares no more than this may have any ratio."""

_MARKUP = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx")


def check_container(data: bytes, limits: ParseLimits) -> None:
    """Raise ParseFailed for a container that unpacks to too much, is encrypted, or has damaged parts.

    Both the sizes in its directory and the bytes that come out are counted, so a container that lies about
    its sizes is stopped too. Python's reader never yields more than what is declared.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            if any(part.flag_bits & 1 for part in parts):
                raise ParseFailed(
                    "The file is encrypted. Remove the password and upload it again.", "encrypted"
                )
            if len(parts) > limits.entries:
                raise bomb(f"it has {len(parts):,} parts, more than {limits.entries:,}")
            declared = sum(part.file_size for part in parts)
            if declared > limits.unpacked:
                raise bomb(f"it would unpack to {declared // MIB:,} MiB")
            if declared > FREE and declared > limits.ratio * len(data):
                raise bomb(f"it would unpack to {declared // max(1, len(data)):,} times its size")
            unpacked = 0
            for part in parts:
                if part.compress_type == zipfile.ZIP_STORED and not part.filename.endswith(_MARKUP):
                    unpacked += part.file_size
                    continue
                with archive.open(part) as stream:
                    while piece := stream.read(MIB):
                        unpacked += len(piece)
                        if unpacked > limits.unpacked:
                            raise bomb(f"it unpacks to more than {limits.unpacked // MIB:,} MiB")
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        OSError,
        RuntimeError,
        ValueError,
    ) as error:
        raise ParseFailed(
            "The file is damaged: a part of its container cannot be unpacked.", "corrupt"
        ) from error


def bomb(why: str) -> ParseFailed:
    """The refusal of a file that would unpack to too much."""
    return ParseFailed(f"The file was refused as a possible decompression bomb: {why}.", "bomb")
