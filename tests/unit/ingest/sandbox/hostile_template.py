"""The sandbox's template, whose parser of plain text was taken over: it runs the document as a program.

What a document's program prints is the text of the document.
"""

import contextlib
import errno
import io

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.parsers import PARSERS
from footnote_ingest.sandbox import child

REFUSED = (errno.EPERM, errno.EACCES, errno.EXDEV)


def run(given: ParserInput) -> Extracted:
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


def main() -> None:
    PARSERS["plain"] = run
    child.main()
