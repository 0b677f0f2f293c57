"""What a parser is given of a document."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.formats import Sniffed
from footnote_ingest.parsing.parse_limits import ParseLimits
from footnote_shared.settings.services import ParseReview


@dataclass(frozen=True, slots=True)
class ParseChoices:
    """What an operator chooses about reading files.

    `review` says what becomes of comments and tracked changes: they are accepted and left out, or shown.
    """

    review: ParseReview = "accepted"


Ocr = Callable[[bytes], bytes]
"""Takes a PNG and returns its text in UTF-8, pages parted by form feeds. Raises OSError if that fails."""


Convert = Callable[[bytes, str], bytes]
"""Takes a file of Office before 2007 and its ending, `doc`, `xls` or `ppt`.

Returns it as `docx`, `xlsx` or `pptx`. Raises OSError if that fails.
"""


_READ_ME = re.compile(r"^readme|[-_. ]readme(?:\.[a-z]{2,8})?$", re.I)
"""The name of a read-me: `README.md`, or behind what it is of, `ships-README.md`."""


class GivenFile(NamedTuple):
    """A file as it was handed in. The name and the media type are what its sender says of it."""

    content: bytes
    filename: str
    declared_mime: str


@dataclass(frozen=True, slots=True)
class ParserInput:
    """The bytes of one document and what is known about them.

    `ocr` and `convert` are None where no program for them is.
    """

    data: bytes
    filename: str
    sniffed: Sniffed
    limits: ParseLimits
    ocr: Ocr | None = None
    choices: ParseChoices = ParseChoices()
    convert: Convert | None = None

    @property
    def is_read_me(self) -> bool:
        """Whether the file tells what the folder around it is: then its first heading names the whole."""
        return _READ_ME.search(self.filename.rpartition("/")[2]) is not None

    def assembler(self, text: str | None = None) -> Assembler:
        """An assembler within the limits; `text` is the whole text, if the parser marks ranges of it."""
        return Assembler(text_limit=self.limits.text, element_limit=self.limits.elements, whole=text)
