"""What a parser is given of a document."""

from dataclasses import dataclass

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.formats import Sniffed
from footnote_ingest.parsing.parse_limits import ParseLimits


@dataclass(frozen=True, slots=True)
class ParserInput:
    """The bytes of one document and what is known about them.

    `tesseract` is the path of the OCR program, if it is installed.
    """

    data: bytes
    filename: str
    sniffed: Sniffed
    limits: ParseLimits
    tesseract: str | None = None

    def assembler(self, text: str | None = None) -> Assembler:
        """An assembler within the limits; `text` is the whole text, if the parser marks ranges of it."""
        return Assembler(text_limit=self.limits.text, element_limit=self.limits.elements, whole=text)
