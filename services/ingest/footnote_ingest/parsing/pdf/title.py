"""The title of a PDF: that of its properties, unless a program put a file name or a placeholder there.

Without one, the largest words of the first page are the title. A printed manual page is called as its first
line says.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from footnote_ingest.parsing.court_captions import is_caption
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.mastheads import is_masthead
from footnote_ingest.parsing.pdf.never_names import names_nothing

_LARGE = 1.12
"""A title is larger than the text by this factor."""

_TITLE_CHARS = range(3, 201)

_LINE_GAP = 3.0
"""Lines of a title are no further apart than this, in heights of its font."""

_SECOND_HALF = 0.6
"""The second half of a title, behind a colon, has this size at least, in sizes of the first."""

_SHORT_WORD = 6
"""A line of this many letters may stand between two lines of a title in a smaller font: "or", "for the"."""

_FILE_NAME = re.compile(
    r"\S+\.[a-z][a-z0-9]{1,7}|.*\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|pdf|html?|qxd|fm|pages|key|od[tsp]|e?ps|txt|rtf)",
    re.I,
)
_MADE_UP = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel)|powerpoint presentation|untitled|arxiv:).*"
    r"|\(?(?:anonymous|unspecified|none|null|title|no title)\)?"
    r"|(?:table of )?contents|cover(?: page)?|index|(?:new )?document ?\d*|presentation ?\d*|slide ?\d*"
    r"|layout ?\d*|doc ?\d+|dokument ?\d*|scan(?:ned)?(?: document| image)?[ \d]*|full page photo|blank page"
    # A name of a typesetting system, such as "sag-39-3-4:sag-0".
    r"|\w{1,20}(?:[-:]\w{1,20}){3,12}"
    r"|[\d\W_]*|[a-z]:\\.*|/\S*/.*|[0-9a-f]{16,}",
    re.I,
)
_EDITION = re.compile(
    r"[(\[]?(?:for )?(?:version|release|edition|revision|draft|rev\.?|ver\.?|v\.?)\s{0,3}\d.{0,40}"
    r"|draft|(?:first|second|third) edition"
    r"|(?:\d{1,2}(?:st|nd|rd|th)?[.\s]{1,2})?(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december)\s[\d,\s]{1,12}|\d{1,4}[-./]\d{1,4}(?:[-./]\d{1,4})?(?:\s\([^()]{1,20}\))?"
    r"|\d{1,2}[-\s](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[-.\s]{1,2}\d{2,4}",
    re.I,
)
"""The edition or the date of a document, which may be printed as large as its title."""

_SECTION = re.compile(r"1\.?\s[A-Z]")
_PART_OF_FORM = re.compile(r"(?:SECTION|PART)\s(?:[IVX]{1,5}|[A-Z]|\d{1,2})\s?[:.\u2013\u2014-]\s?[A-Z].*")
"""A part of a form, such as "SECTION I: APPLICANT", may be larger than the name of the form."""

_PAGE_NUMBER = re.compile(r"page:?\s\d{1,4}(?:\sof\s\d{1,4})?", re.I)
_LEAST_READ = 0.6
"""This share of a title is letters, digits and spaces at least."""

_NOTE_MARK = re.compile(r"(?<=\w)(?:\s?[*∗†‡]{1,2}|\s[¹²³⁴-⁹]{1,2})$")
_NOTE_NUMBER = re.compile(r"(?<=\w) \d{1,2}$")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_LETTER, _LATIN = re.compile(r"[^\W\d_]"), re.compile(r"[A-Za-z]")
_RAISED = 0.2
"""The number of a note stands higher than the title by more than this, in heights of the title's font."""

_MOST_ABOVE, _SHARE_ABOVE = 400, 0.5
"""What has so many characters of smaller text above it, and this share of the page's, is no title."""

_LEAST_SECTIONS = 3
"""Words in one size at so many places of a page are names of sections."""

_NAMES_LOOKED_AT = 8
"""So many names of a page are asked whether they are those of courts and journals: each costs a page."""

_MORE_WORDS = 8
"""A printed title has at most so many words more than that of the properties which it contains."""

_MANUAL_PAGE = re.compile(r"[A-Za-z][\w.:+-]{0,60}\(\d\w{0,4}\)")


def own_title(title: str | None) -> str | None:
    """The title from the properties; None if it is a file name, a number, a date or a placeholder."""
    name = " ".join((title or "").split())
    # A font without an encoding turns letters into other signs.
    if sum(char.isalnum() or char.isspace() for char in name) < _LEAST_READ * len(name):
        return None
    if name[:1].isdigit() and _EDITION.fullmatch(name):
        return None
    return name if name and not _FILE_NAME.fullmatch(name) and not _MADE_UP.fullmatch(name) else None


def is_doubtful(title: str, filename: str) -> bool:
    """Whether a title may be the name of a file or a font: one word in small letters, or of this file's name.

    The name of a font is in capitals and ends with its size, such as "CMBX12".
    """
    stem = filename.replace("\\", "/").rpartition("/")[2].rpartition(".")[0]
    font = title.isupper() and title[-1].isdigit()
    of_file = title.lower() in re.split(r"[-_. ]", stem.lower()) or title.lower() == stem.lower()
    return " " not in title and (title.islower() or font or of_file)


def manual_page(first_page: Sequence[PdfLine]) -> str | None:
    """What the first line calls a printed manual page, such as "BASH(1)"; None for another document."""
    top = max(first_page, key=lambda line: line.top, default=None)
    names = top.text.split() if top is not None and not top.is_table else []
    is_one = len(names) > 1 and names[0] == names[-1] and _MANUAL_PAGE.fullmatch(names[0]) is not None
    return names[0] if is_one else None


def newer(own: str, first_page: Sequence[PdfLine], body: float) -> str:
    """A title from the properties, with the number that the title of the page has in the same place.

    Who prints a new edition often keeps the properties of the one before. There is one number in each.
    """
    printed = largest_words(first_page, body) or ""
    ours, theirs = list(_NUMBER.finditer(own)), list(_NUMBER.finditer(printed))
    if len(ours) != 1 or len(theirs) != 1 or theirs[0].start() == 0:
        return own
    begin, end = ours[0].span()
    same = own[:begin].lower().split() == printed[: theirs[0].start()].lower().split()
    return f"{own[:begin]}{theirs[0].group()}{own[end:]}" if same else own


def fuller(own: str, first_page: Sequence[PdfLine], body: float) -> str:
    """The printed title, if it holds all of that of the properties and some words more, but no number."""
    printed = largest_words(first_page, body) or ""
    ours, theirs = (text.casefold().replace("’", "'").split() for text in (own, printed))
    more = len(theirs) - len(ours)
    if not 0 < more <= _MORE_WORDS:
        return own
    for begin in range(more + 1):
        rest = theirs[:begin] + theirs[begin + len(ours) :]
        if theirs[begin : begin + len(ours)] == ours and all(word.strip(":-–—").isalpha() for word in rest):
            return printed
    return own


def largest_words(first_page: Sequence[PdfLine], body: float) -> str | None:
    """The largest words of a page whose text has the size `body`; None if there are none for a title.

    The lines below each other in one size and weight are one title, up to an edition or a date. What is in no
    letters of Latin, on a page that is otherwise, shows a script or is a mark. The name of a court or of a
    journal is that of a paper only if nothing else is.
    """
    upright = [line for line in first_page if not (line.turned or line.is_table)]
    others = [line for line in upright if _LETTER.search(line.text) and not _LATIN.search(line.text)]
    if 2 * len(others) < len(upright):
        upright = [line for line in upright if line not in others]
    names = list(_large_names(upright, body))
    fit = (
        name for name in names[:_NAMES_LOOKED_AT] if not (is_caption(name) or is_masthead(name, first_page))
    )
    return next(fit, names[0] if names else None)


def _large_names(upright: Sequence[PdfLine], body: float) -> Iterator[str]:
    """What may be the title of a page, from the largest; what stands above all sections is first."""
    large = [line for line in upright if line.size > _LARGE * body]
    groups = {
        size: [
            at
            for at, line in enumerate(upright)
            if line.size == size and (at == 0 or not _goes_on(upright[at - 1], line))
        ]
        for size in sorted({line.size for line in large}, reverse=True)
    }
    sizes = list(groups)
    if sizes and len(groups[sizes[0]]) >= _LEAST_SECTIONS:
        # Sections may be larger than the title above all of them.
        top = max(large, key=lambda line: line.highest)
        sizes.sort(key=lambda size: size != top.size)
    for size in sizes:
        for at in groups[size]:
            name = _NOTE_MARK.sub("", " ".join(map(_without_note, _lines_of_title(upright, at))))
            below = any(above.size > _LARGE * body and not above.turned for above in upright[:at])
            # The first section may be larger than the title above it.
            if (
                len(name) in _TITLE_CHARS
                and not (_tells_no_title(name) or (below and _SECTION.match(name)))
                and not names_nothing(name)
                and not _is_deep(upright[at], upright)
            ):
                yield name


def _is_deep(line: PdfLine, lines: Sequence[PdfLine]) -> bool:
    """Whether half the text of a page stands above a line, and in smaller letters."""
    above = sum(len(one.text) for one in lines if one.lowest > line.highest and one.size < line.size)
    return above >= _MOST_ABOVE and above >= _SHARE_ABOVE * sum(len(one.text) for one in lines)


def _without_note(line: PdfLine) -> str:
    """The text of a line, without the number of a note that stands apart behind it and higher.

    The number of the page may stand in a cell behind it.
    """
    if len(line.cells) > 1 and _PAGE_NUMBER.fullmatch(line.cells[-1].text):
        return " ".join(cell.text for cell in line.cells[:-1])
    is_raised = line.bottom - line.top > _RAISED * line.size
    return _NOTE_NUMBER.sub("", line.text) if is_raised else line.text


def _tells_no_title(name: str) -> bool:
    # A program writes "Title" where a person wrote none; who prints it in large letters means it.
    made_up = name != "Title" and _MADE_UP.fullmatch(name) is not None and any(map(str.isalpha, name))
    return made_up or any(one.fullmatch(name) is not None for one in (_EDITION, _PART_OF_FORM))


def _lines_of_title(lines: Sequence[PdfLine], at: int) -> list[PdfLine]:
    """The lines of a title that begins at a place."""
    found = [lines[at]]
    for number, line in enumerate(lines[at + 1 :], at + 1):
        if _EDITION.fullmatch(line.text):
            break
        if _goes_on(found[-1], line) or _announces(found[-1], line):
            found.append(line)
        elif (
            number + 1 == len(lines)
            or len(line.text) > _SHORT_WORD
            or not _goes_on(found[-1], lines[number + 1])
        ):
            break
        else:
            found.append(replace(line, size=found[-1].size, bold=found[-1].bold))
    return found


def _announces(above: PdfLine, line: PdfLine) -> bool:
    """Whether a line with a colon at its end is the first half of a title, whose other half is smaller."""
    near = -_LINE_GAP * above.size < line.top - above.bottom <= 0
    return above.text.endswith(":") and near and line.size >= _SECOND_HALF * above.size


def _goes_on(above: PdfLine, line: PdfLine) -> bool:
    """Whether a line is in the font of one above it, and near."""
    return (
        line.size == above.size
        and line.bold == above.bold
        and -_LINE_GAP * line.size < line.top - above.bottom <= 0
    )
