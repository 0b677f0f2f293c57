"""Recordings where no model hears them. What a model has heard is read as subtitles (`pipeline/media.py`)."""

from typing import NoReturn

from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parser_input import ParserInput

NEEDED = (
    "The file is a recording. To read it, a model has to transcribe it: set FOOTNOTE_TRANSCRIBE_BASE_URL "
    "and FOOTNOTE_TRANSCRIBE_MODEL, restart the workers, and try again."
)
"""What to do where no model hears. Trying the same bytes again by itself would not help."""


def parse(given: ParserInput) -> NoReturn:
    """Raises ParseFailed, which says what is needed."""
    raise ParseFailed(NEEDED, "unsupported")
