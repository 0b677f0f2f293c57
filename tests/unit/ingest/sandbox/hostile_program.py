"""A document that is a program: what a parser does that was taken over."""

import contextlib
import errno
import io

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.parser_input import ParserInput

REFUSED = (errno.EPERM, errno.EACCES, errno.EXDEV)


def run(given: ParserInput) -> Extracted:
    """What the program prints is the text of the document."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            exec(given.data.decode(), {"ocr": given.ocr})
        except OSError as error:
            print("refused" if error.errno in REFUSED else error)
        except RuntimeError as error:
            print(error)
    to = given.assembler()
    to.add("paragraph", said.getvalue() or "nothing was said")
    return to.finish()
