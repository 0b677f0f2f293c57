"""Optical character recognition of images by the program `tesseract`, if it is installed."""

import io

from PIL import Image, UnidentifiedImageError

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parser_input import Ocr, ParserInput

_MAX_PIXELS = 60_000_000
NEEDED = (
    "Reading pictures (OCR) needs the program tesseract on the server: install it (on Debian and Ubuntu "
    "the package tesseract-ocr), restart the workers, and try again."
)
"""What to do where no OCR is. Trying the same bytes again by itself would not help."""


def parse(given: ParserInput) -> Extracted:
    """The text of an image. Each frame of a TIFF is a page."""
    if given.ocr is None:
        raise ParseFailed(f"The file is an image. {NEEDED}", "unsupported")
    to = given.assembler()
    try:
        with Image.open(io.BytesIO(given.data)) as image:
            frames = int(getattr(image, "n_frames", 1))
            for number in range(min(frames, given.limits.ocr_pages)):
                image.seek(number)
                if image.width * image.height > _MAX_PIXELS:
                    raise ParseFailed(
                        f"The image has more than {_MAX_PIXELS // 1_000_000} million pixels.", "too_large"
                    )
                for block in recognise(image.convert("RGB"), given.ocr):
                    to.add("ocr_text", block, page=number + 1)
    except Image.DecompressionBombError as error:
        raise ParseFailed("The image is too large to be read.", "too_large") from error
    except (UnidentifiedImageError, OSError, SyntaxError, EOFError) as error:
        raise ParseFailed("The image is damaged: it cannot be read.", "corrupt") from error
    if to.empty:
        raise ParseFailed("No text was found in the image.", "no_text")
    return to.finish(pages=frames)


def recognise(image: Image.Image, ocr: Ocr) -> list[str]:
    """The paragraphs that tesseract finds in an image. Raises ParseFailed if the program fails."""
    data = io.BytesIO()
    image.save(data, "PNG")
    try:
        said = ocr(data.getvalue())
    except OSError as error:
        raise ParseFailed("OCR failed on this file.", "crashed", retryable=True) from error
    text = said.decode("utf-8", "replace").replace("\f", "\n\n")
    return [block for block in (piece.strip() for piece in text.split("\n\n")) if block]
