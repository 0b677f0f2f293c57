"""Sections: what stands under one heading.

The overlap of chunks never crosses from one section into the next.
"""

from collections.abc import Iterator, Sequence

from footnote_ingest.parsing.elements import Element

_BY_PAGE = frozenset({"pptx"})


def sections(elements: Sequence[Element], text: str, family: str) -> Iterator[list[Element]]:
    """Split at each heading.

    A heading that has only deeper headings under it leads the section of the first of them.

    A section also ends where a slide ends. And it ends where something was left out of `text` (the extracted
    text), such as a quoted message, because a chunk is one range of the text.
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
        # A heading right under another one joins it only if it is deeper. Siblings are sections of their own.
        return not bare or len(element.heading_path) <= len(before.heading_path)
    return element.heading_path != before.heading_path
