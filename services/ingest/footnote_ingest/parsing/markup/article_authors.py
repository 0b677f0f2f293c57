"""Who wrote an article or a book in JATS or DocBook."""

from collections.abc import Iterator

from lxml import etree

from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.markup.articles import name_of, said

_PEOPLE = frozenset({"contrib", "author"})
_WITH_PEOPLE = _PEOPLE | {"contrib-group"}
_NAMES = frozenset({"given-names", "firstname", "surname", "personname", "collab"})
"""People, what holds them within a group that is an author, and what tells their names."""


def authors(root: etree._Element) -> str:
    """The authors, with commas between them."""
    # A dictionary keeps the order, and finds a name among many at once.
    people: dict[str, None] = {}
    for node in root.iter():
        if name_of(node) in _PEOPLE:
            parts = {name_of(part): part for part in _parts_of_person(node)}
            words = {name: one_line(said(part, _WITH_PEOPLE)) for name, part in parts.items()}
            first = words.get("given-names") or words.get("firstname", "")
            name = (
                f"{first} {words.get('surname', '')}".strip()
                or words.get("personname")
                or words.get("collab")
            )
            if name:
                people[name] = None
    return ", ".join(people)


def _parts_of_person(node: etree._Element) -> Iterator[etree._Element]:
    """The names of a person or group, without those of the people in a group."""
    walk = etree.iterwalk(node, events=("start",))
    for _, part in walk:
        if name_of(part) in _PEOPLE and part is not node:
            walk.skip_subtree()
        elif name_of(part) in _NAMES:
            yield part
