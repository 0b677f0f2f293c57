"""Reading an office file as it is, or without what is damaged in it beside its text."""

from collections.abc import Callable, Collection
from dataclasses import replace

from footnote_ingest.parsing.archive import check_container
from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.office.office_files import BROKEN
from footnote_ingest.parsing.office.repaired_package import repaired
from footnote_ingest.parsing.parser_input import ParserInput

Reader = Callable[[ParserInput, Assembler], Extracted]


def sound_or_repaired(given: ParserInput, read: Reader, needed: Collection[str], damaged: str) -> Extracted:
    """What `read` makes of the file, or else of the repaired one, with a warning that names what it lacks.

    `needed` are beginnings of the names of parts with text. Raises ParseFailed with `damaged`, a sentence for
    people, where the repaired file cannot be read either.
    """
    check_container(given.data, given.limits)
    try:
        return read(given, given.assembler())
    except BROKEN:
        pass
    try:
        sound = repaired(given.data, needed)
        to = given.assembler()
        if sound.warning is not None:
            to.warnings.append(sound.warning)
        return read(replace(given, data=sound.data), to)
    except BROKEN as error:
        raise ParseFailed(damaged, "corrupt") from error
