"""Sections: what stands under one heading. Overlap never crosses from one into the next."""

from collections.abc import Iterator, Sequence

from footnote_ingest.parsing.elements import Element

_BY_PAGE = frozenset({"pptx"})


def sections(elements: Sequence[Element], text: str, family: str) -> Iterator[list[Element]]:
    """Split at each heading. A heading with nothing of its own under it leads the section of the next one.

    Slides end where the slide ends, with or without a heading. So does a stretch of `text` (the extracted text) that is
    interrupted by something left out, such as a quoted message: a chunk is one range of the text.
    """
    current: list[Element] = []
    bare = True
    for element in elements:
        if current and _begins(current[-1], element, bare, text, family):
            yield current
            current, bare = [], True
        current.append(element)
        bare = bare and element.kind == "title"
    if current:
        yield current


def _begins(before: Element, element: Element, bare: bool, text: str, family: str) -> bool:
    if family in _BY_PAGE and before.page != element.page:
        return True
    if text[before.char_end : element.char_start].strip():
        return True
    if element.kind == "title":
        # A heading right under a heading goes with it only if it is deeper: siblings are sections of their own.
        return not bare or len(element.heading_path) <= len(before.heading_path)
    return element.heading_path != before.heading_path
