"""OpenDocument text: XML in a zip, read directly. `unstructured` would need the program pandoc."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.office.bold_headings import OdtStyles, reads_as_heading
from footnote_ingest.parsing.office.formulas import write_formulas
from footnote_ingest.parsing.office.odt_numbers import item_numbers
from footnote_ingest.parsing.office.open_document import (
    ANNOTATION,
    OFFICE,
    TABLE,
    TEXT,
    paragraph_text,
    read_package,
)
from footnote_ingest.parsing.office.open_tables import row_texts
from footnote_ingest.parsing.office.raised_runs import write_odt_raised
from footnote_ingest.parsing.office.review import comment_line, review_warning
from footnote_ingest.parsing.office.symbol_font import write_symbols
from footnote_ingest.parsing.packaged_xml import DUBLIN_CORE
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.part_names import names_part
from footnote_ingest.parsing.table_text import rows_to_text

_FONT = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}font-face"
_FAMILY = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}font-family"
_TITLE_AMONG = 20
"""Paragraphs among which the title of a text stands, empty ones counted."""

_MOST_CODE = 0.7
"""If more of the paragraphs are set in a font of one width than this, that is the writer's taste."""

_CONTENTS = frozenset(
    f"{TEXT}{name}"
    for name in ("table-of-content", "illustration-index", "table-index", "alphabetical-index")
)
_SKIPPED = _CONTENTS | {f"{TEXT}tracked-changes", f"{TEXT}sequence-decls", ANNOTATION, f"{OFFICE}forms"}


def parse(given: ParserInput) -> Extracted:
    to = given.assembler()
    package = read_package(given, to, "The document is damaged: its content cannot be read.")
    body = next(package.content.iter(f"{OFFICE}text"), None)
    titled = ""
    if body is not None:
        write_formulas(given, body, to)
        write_symbols(body, _fonts(package.style_parts))
        write_odt_raised(body, package.style_parts)
        review = _Review.of(body, shown=given.choices.review == "shown")
        styles = OdtStyles.of(package.style_parts)
        _add_odt(to, body, review, styles, item_numbers(body, package.style_parts))
        titled = _styled_title(body, styles)
        if review.warning is not None:
            to.warnings.append(review.warning)

    listed = body is not None and next(body.iter(*_CONTENTS), None) is not None
    return to.finish(
        title=package.about("title") or titled,
        language=package.about("language"),
        metadata={
            "author": package.about("creator"),
            "left_out": "table of contents" if listed else "",
        },
    )


def _fonts(style_parts: Iterable[etree._Element]) -> set[str]:
    """The families of the fonts that the parts declare (ODF 1.3 part 3, 16.23)."""
    return {face.get(_FAMILY, "") for part in style_parts for face in part.iter(_FONT)}


def _styled_title(body: etree._Element, styles: OdtStyles) -> str:
    """The paragraph that the writer has given the style of titles; empty if none of the first ones has it.

    The very first one may have the style of headings without being one, or stand in bold in the middle. A
    text that begins with a heading of the highest rank has its title in that, unless it names a part.
    """
    begins = True
    for paragraph in islice(body.iter(f"{TEXT}p", f"{TEXT}h"), _TITLE_AMONG):
        text = one_line(paragraph_text(paragraph))
        if not text:
            continue
        if styles.is_based_on(paragraph, "Title"):
            return text
        if begins and paragraph.tag == f"{TEXT}h" and _rank(paragraph) <= 1:
            return "" if names_part(text) else text
        if (
            begins
            and paragraph.tag == f"{TEXT}p"
            and (
                styles.is_based_on(paragraph, "Heading")
                or (reads_as_heading(text) and styles.is_centred(paragraph) and styles.is_bold(paragraph))
            )
        ):
            return text
        begins = False
    return ""


@dataclass(frozen=True, slots=True)
class _Review:
    """What reviewers left (ODF 1.3 part 3, clauses 5.5 and 14.1).

    `deleted` holds the text of a deletion by the place that it was taken from, `inserted` the ids of
    insertions. Both are empty unless changes are to be shown. A damaged file can name one deletion at many
    places: it is written at the first.
    """

    shown: bool
    warning: str | None
    deleted: Mapping[etree._Element, str]
    inserted: Set[str | None]

    @classmethod
    def of(cls, body: etree._Element, *, shown: bool) -> "_Review":
        changes = list(body.iter(f"{TEXT}changed-region"))
        comments = sum(1 for _ in body.iter(ANNOTATION))
        places: dict[str | None, etree._Element] = {}
        for place in body.iter(f"{TEXT}change") if shown else ():
            places.setdefault(place.get(f"{TEXT}change-id"), place)
        deleted: dict[etree._Element, str] = {}
        inserted: set[str | None] = set()
        for change in changes if shown else ():
            name = change.get(f"{TEXT}id")
            for removal in change.iterchildren(f"{TEXT}deletion"):
                if name in places:
                    text = " ".join(paragraph_text(p) for p in removal.iter(f"{TEXT}p", f"{TEXT}h"))
                    deleted[places[name]] = f"[deleted: {text}]"
            if change.find(f"{TEXT}insertion") is not None:
                inserted.add(name)
        return cls(shown, None if shown else review_warning(len(changes), comments), deleted, inserted)

    def mark(self, node: etree._Element) -> str:
        """What is written where a change is, begins or ends."""
        if node in self.deleted:
            return self.deleted[node]
        if node.get(f"{TEXT}change-id") in self.inserted:
            return {f"{TEXT}change-start": "[inserted: ", f"{TEXT}change-end": "]"}.get(str(node.tag), "")
        return ""

    def add_comments(self, to: Assembler, node: etree._Element) -> None:
        """Add the comments within a paragraph or a table behind it, if they are to be shown."""
        for comment in node.iter(ANNOTATION) if self.shown else ():
            author = next((person.text for person in comment.iterchildren(f"{DUBLIN_CORE}creator")), None)
            said = " ".join(paragraph_text(p) for p in comment.iter(f"{TEXT}p"))
            to.add("paragraph", comment_line(author, said))


def _add_odt(
    to: Assembler,
    block: etree._Element,
    review: _Review,
    bold: OdtStyles,
    numbers: Mapping[etree._Element, str],
) -> None:
    """Add the blocks in reading order. `numbers` are those of list items, by their first paragraphs.

    This uses a stack and not recursion, because the file decides how deep its blocks are nested.
    """
    rank = 0
    from_zero = any(_rank(heading) == 0 for heading in block.iter(f"{TEXT}h"))
    has_code = _has_code(block, bold)
    code: list[str] = []
    waiting: list[tuple[etree._Element, int]] = [(child, 0) for child in reversed(block)]
    while waiting:
        node, depth = waiting.pop()
        if node.tag in _SKIPPED or not isinstance(node.tag, str):
            continue
        if has_code and _is_code(node, depth, bold):
            code.append(paragraph_text(node, review.mark))
            continue
        if code:
            to.add("code", "\n".join(code).strip("\n"))
            code = []
        if node.tag == f"{TEXT}h":
            rank = _rank(node) + from_zero
            to.add("title", paragraph_text(node, review.mark), level=rank)
            review.add_comments(to, node)
        elif node.tag == f"{TEXT}p":
            text = paragraph_text(node, review.mark)
            if not depth and _is_bold_heading(node, text, bold):
                to.add("title", text, level=rank + 1)
            else:
                to.add(
                    "list" if depth else "paragraph",
                    _listed(node, text, depth, numbers) if depth and text else text,
                )
            for note in node.iter(f"{TEXT}note-body"):
                to.add("paragraph", paragraph_text(note))
            review.add_comments(to, node)
        elif node.tag == f"{TABLE}table" and (box := _only_cell(node)) is not None:
            waiting.extend((child, depth) for child in reversed(box))
        elif node.tag == f"{TABLE}table":
            to.add("table", rows_to_text(row_texts(node)))
            review.add_comments(to, node)
        else:
            deeper = depth + (node.tag == f"{TEXT}list")
            waiting.extend((child, deeper) for child in reversed(node))
    if code:
        to.add("code", "\n".join(code).strip("\n"))


def _rank(heading: etree._Element) -> int:
    """The rank that a heading has in its file: 1 for the highest, unless a program counts from 0."""
    level = heading.get(f"{TEXT}outline-level", "1")
    return int(level[:9]) if level.isdecimal() else 1


def _listed(node: etree._Element, text: str, depth: int, numbers: Mapping[etree._Element, str]) -> str:
    """A paragraph of a list: the first one of an item has its mark, and others go on below it."""
    of_item = node.getparent()
    goes_on = of_item is not None and of_item.tag == f"{TEXT}list-item" and node.getprevious() is not None
    return f"{'  ' * (depth - 1)}{'  ' if goes_on else numbers.get(node, '-') + ' '}{text}"


def _only_cell(table: etree._Element) -> etree._Element | None:
    """The cell of a table of a single one, which is a box around text."""
    cells = islice(table.iter(f"{TABLE}table-cell", f"{TABLE}covered-table-cell"), 2)
    first, second = next(cells, None), next(cells, None)
    return first if second is None else None


def _has_code(block: etree._Element, styles: OdtStyles) -> bool:
    """Whether fonts of one width tell code: a text that is mostly set in one does not."""
    said = (paragraph for paragraph in block.iter(f"{TEXT}p") if paragraph_text(paragraph))
    fixed = [styles.is_fixed(paragraph) for paragraph in said]
    return any(fixed) and sum(fixed) <= _MOST_CODE * len(fixed)


def _is_code(node: etree._Element, depth: int, styles: OdtStyles) -> bool:
    """Whether a paragraph outside of lists is set in a font of one width, and nothing hangs on it."""
    return (
        node.tag == f"{TEXT}p"
        and not depth
        and styles.is_fixed(node)
        and next(node.iter(ANNOTATION, f"{TEXT}note-body"), None) is None
    )


def _is_bold_heading(node: etree._Element, text: str, bold: OdtStyles) -> bool:
    """Whether a paragraph is wholly bold and short, and text that is not follows it."""
    if not reads_as_heading(text) or not bold.is_bold(node):
        return False
    follower = node.getnext()
    while follower is not None and not paragraph_text(follower).strip():
        follower = follower.getnext()
    if follower is None or follower.tag not in (f"{TEXT}p", f"{TEXT}list"):
        return False
    return follower.tag == f"{TEXT}list" or not bold.is_bold(follower)
