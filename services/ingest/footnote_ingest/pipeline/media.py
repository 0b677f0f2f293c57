"""Reading what only a model hears or sees: recordings by the role `transcribe`, pictures by `vision`.

The worker asks the model, because no parser reaches the network. What a recording says goes through the
sandbox like the subtitles of a film, so each passage has its time as its heading.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import filetype

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.formats import FAMILY_OF, SRT, Sniffed
from footnote_ingest.parsing.sniff import HEAD_BYTES, sniff
from footnote_ingest.pipeline.media_call import FileRefused
from footnote_ingest.pipeline.picture_words import PictureReader
from footnote_ingest.pipeline.transcription import Transcriber, as_subtitles

Parse = Callable[[bytes, str, str], Extracted]

_SEEN = frozenset(("image/png", "image/jpeg"))
"""Pictures that models take."""

_TEXT_LIMIT, _ELEMENT_LIMIT = 1_000_000, 10_000
_NOTHING_READ = frozenset(("no_text", "empty", "unsupported"))
"""How reading a picture ends where it holds no text, or where nothing reads text in pictures."""


@dataclass(frozen=True, slots=True)
class MediaReader:
    """Reads a file as `parse` does, recordings and pictures with the help of a model where there is one."""

    parse: Parse
    transcriber: Transcriber | None = None
    picture_reader: PictureReader | None = None

    def asks_model(self, mime: str) -> bool:
        """Whether a model reads files of this type."""
        if FAMILY_OF.get(mime) == "audio":
            return self.transcriber is not None
        return mime in _SEEN and self.picture_reader is not None

    def __call__(self, content: bytes, filename: str, declared_mime: str) -> Extracted:
        """What the file says. Raises ParseFailed, Unavailable and Misconfigured."""
        kind = _media_of(content, filename, declared_mime)
        try:
            if kind is not None and kind.family == "audio" and self.transcriber is not None:
                return self._heard(self.transcriber, content, filename, kind)
            if kind is not None and kind.mime in _SEEN and self.picture_reader is not None:
                return self._seen(self.picture_reader, content, filename, kind)
        except FileRefused as refused:
            raise ParseFailed(refused.detail, "unsupported") from refused
        return self.parse(content, filename, declared_mime)

    def _heard(self, transcriber: Transcriber, content: bytes, filename: str, kind: Sniffed) -> Extracted:
        said = transcriber.transcribe(content, filename, kind.mime)
        if not said.segments and not said.text.strip():
            raise ParseFailed("Nothing is said in the recording.", "no_text")
        if said.segments:
            read = self.parse(as_subtitles(said.segments).encode("utf-8", "replace"), "said.srt", SRT)
        else:
            read = self.parse(said.text.encode("utf-8", "replace"), "said.txt", "text/plain")
        known = () if said.segments else ("The model that heard the recording tells no times.",)
        return replace(read, mime=kind.mime, title=None, warnings=known, metadata={})

    def _seen(self, reader: PictureReader, content: bytes, filename: str, kind: Sniffed) -> Extracted:
        """The description, and behind it what is written in the picture.

        Where the model does not take the picture, what is written in it is still read, with a warning.
        """
        to = Assembler(text_limit=_TEXT_LIMIT, element_limit=_ELEMENT_LIMIT)
        try:
            written: Extracted | None = self.parse(content, filename, kind.mime)
        except ParseFailed as failed:
            if failed.code not in _NOTHING_READ:
                raise
            written = None
        try:
            description = reader.describe(content, kind.mime)
        except FileRefused as refused:
            if written is None:
                raise
            description = ""
            to.warnings.append(f"The picture is not described. {refused.detail}")
        for block in description.split("\n\n"):
            to.add("image_caption", block, page=1)
        for element in written.elements if written is not None else ():
            to.add(element.kind, element.text, page=element.page)
        if to.empty:
            raise ParseFailed("No text was found in the image, and the model saw nothing in it.", "no_text")
        return replace(to.finish(pages=1), mime=kind.mime, family=kind.family)


def _media_of(content: bytes, filename: str, declared_mime: str) -> Sniffed | None:
    """What a recording or a picture is by its first bytes, as when it was handed in; None for other files."""
    guessed = filetype.guess(content[:HEAD_BYTES])
    if guessed is None or FAMILY_OF.get(guessed.mime) not in ("audio", "image"):
        return None
    try:
        found = sniff(content[:HEAD_BYTES], filename, declared_mime, complete=False)
    except ParseFailed:
        return None
    return found if found.family in ("audio", "image") else None
