"""What a person may call the type of a document: where it came from, its media type, or its format."""

from typing import get_args

from footnote_ingest.parsing.formats import FAMILY_OF, supported_mimes
from footnote_shared.contracts.documents import SourceType

SOURCE_TYPES: tuple[SourceType, ...] = get_args(SourceType)


def types_named(name: str) -> tuple[frozenset[SourceType], frozenset[str]]:
    """The source types and the media types of this name. Both are empty for a name that is none."""
    sources = frozenset(source for source in SOURCE_TYPES if source == name)
    return sources, frozenset(mime for mime in supported_mimes() if name in (mime, FAMILY_OF[mime]))
