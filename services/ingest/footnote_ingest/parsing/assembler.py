"""Building `Extracted` in such a way that its range invariant always holds."""

from collections.abc import Iterable, Mapping

from footnote_ingest.parsing.elements import (
    MAX_NAME_CHARS,
    MAX_TITLE_CHARS,
    Attachment,
    Element,
    Extracted,
    Kind,
    one_line,
    storable,
)
from footnote_ingest.parsing.errors import ParseFailed


class HeadingStack:
    """The titles above the current place. A title of level n closes every open title of level n or deeper."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []
        self.path: tuple[str, ...] = ()

    def enter(self, level: int, title: str) -> None:
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, title))
        self.path = tuple(title for _, title in self._open)


class Assembler:
    """Builds `Extracted` from pieces that come in reading order.

    `add` appends a piece to the text. `mark` makes an element of a range, if the text was given as a whole.
    """

    def __init__(self, *, text_limit: int, element_limit: int, whole: str | None = None) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._whole = whole
        self._elements: list[Element] = []
        self._headings = HeadingStack()
        self.text_limit = text_limit
        self.element_limit = element_limit
        self._last_kind: Kind | None = None
        self.warnings: list[str] = []
        if whole is not None:
            self.check_size(len(whole))

    def add(
        self,
        kind: Kind,
        text: str,
        *,
        page: int | None = None,
        level: int | None = None,
        language: str | None = None,
        goes_on: bool = False,
    ) -> None:
        """Append a piece. A blank one is ignored, and a title that is too long becomes a paragraph.

        `goes_on` says that the piece is the rest of a sentence that the piece before begins, or of the table
        before.
        """
        text = storable(text).strip("\n") if kind == "code" else storable(text).strip()
        if not text.strip():
            return
        if self._parts:
            # The items of a list follow each other line by line. Before anything else there is a blank line.
            gap = "\n" if (goes_on and kind != "table") or kind == self._last_kind == "list" else "\n\n"
            self._parts.append(gap)
            self._length += len(gap)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        self.check_size(self._length)
        self._put(kind, text, start, page, level, language, title=None, goes_on=goes_on)

    def mark(
        self,
        kind: Kind,
        start: int,
        end: int,
        *,
        page: int | None = None,
        level: int | None = None,
        language: str | None = None,
        title: str | None = None,
    ) -> None:
        """Make an element of this range of the whole text, without the white space around it.

        `title` is what a title is called in heading paths, if that is not its text.
        """
        if self._whole is None:
            raise ValueError("mark() needs a text that was given as a whole")
        text = self._whole[start:end]
        if not text.strip():
            return
        if kind == "code":
            # The indentation of its first line belongs to the code.
            lead = len(text) - len(text.lstrip())
            start += text.rfind("\n", 0, lead) + 1
            text = self._whole[start:end].rstrip()
        else:
            start += len(text) - len(text.lstrip())
            text = text.strip()
        self._put(kind, text, start, page, level, language, title)

    def _put(
        self,
        kind: Kind,
        text: str,
        start: int,
        page: int | None,
        level: int | None,
        language: str | None,
        title: str | None,
        *,
        goes_on: bool = False,
    ) -> None:
        if kind == "title":
            name = one_line(title or text)
            if not name or len(name) > MAX_TITLE_CHARS:
                kind, level = "paragraph", None
            else:
                level = max(1, level or 1)
                self._headings.enter(level, name)
        else:
            level = None
        self._last_kind = kind
        self._elements.append(
            Element(kind, text, page, self._headings.path, start, start + len(text), level, language, goes_on)
        )
        if len(self._elements) > self.element_limit:
            raise ParseFailed(
                f"The document has more than {self.element_limit:,} parts. Split it and upload the pieces.",
                "too_large",
            )

    def check_size(self, length: int) -> None:
        """Raise ParseFailed for a text of more characters than are allowed."""
        if length > self.text_limit:
            raise ParseFailed(
                f"The document holds more than {self.text_limit:,} characters of text. "
                "Split it and upload the pieces.",
                "too_large",
            )

    @property
    def empty(self) -> bool:
        return not self._elements

    @property
    def elements(self) -> tuple[Element, ...]:
        return tuple(self._elements)

    @property
    def last(self) -> Element | None:
        """The last of the elements. To ask for it costs nothing, and for all of them their number."""
        return self._elements[-1] if self._elements else None

    def enter(self, path: Iterable[str]) -> None:
        """Put what comes next below these headings, which are no elements.

        The structure of data and of code has such headings: its keys, and the names of its classes.
        """
        names = (one_line(storable(name))[:MAX_TITLE_CHARS] for name in path)
        self._headings.path = tuple(name for name in names if name)

    def leave_headings(self) -> None:
        """Close all titles. What comes next, such as a new slide, starts without headings."""
        self._headings = HeadingStack()

    def first_title(self) -> str | None:
        """The first title of the document, if no other title has the same or a higher rank;

        None otherwise.
        """
        titles = [e for e in self._elements if e.kind == "title"]
        if not titles or any((t.level or 1) <= (titles[0].level or 1) for t in titles[1:]):
            return None
        return titles[0].heading_path[-1]

    def highest_title(self) -> str | None:
        """The first title of the document, unless a later one has a higher rank; None otherwise."""
        titles = [e for e in self._elements if e.kind == "title"]
        if not titles or any((t.level or 1) < (titles[0].level or 1) for t in titles):
            return None
        return titles[0].heading_path[-1]

    def leading_title(self) -> str | None:
        """The title that the document begins with, unless a later one has a higher rank; None otherwise.

        It names the whole where the form of the document is such that it begins with its name.
        """
        begins = bool(self._elements) and self._elements[0].kind == "title"
        return self.highest_title() if begins else None

    def finish(
        self,
        *,
        title: str | None = None,
        language: str | None = None,
        pages: int = 0,
        metadata: Mapping[str, str] | None = None,
        attachments: Iterable[Attachment] = (),
        headed: bool = True,
    ) -> Extracted:
        """The result. `mime` and `family` are set later, by the caller of the parser.

        With `headed=False`, a first title that stands above all others is not taken for the document's.
        """
        name = one_line(storable(title or "")) or (self.first_title() if headed else None)
        return Extracted(
            text="".join(self._parts) if self._whole is None else self._whole,
            elements=tuple(self._elements),
            title=name[:MAX_NAME_CHARS] if name else None,
            language=language or None,
            pages=pages,
            warnings=tuple(storable(warning) for warning in self.warnings),
            metadata={
                key: one_line(storable(value))
                for key, value in (metadata or {}).items()
                if value and value.strip()
            },
            attachments=tuple(attachments),
        )
