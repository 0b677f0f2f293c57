"""The references of an article in XML, each on one line as journals print it."""

from lxml import etree

from footnote_ingest.parsing.elements import one_line

SOURCES = frozenset({"citation", "nlm-citation", "element-citation", "mixed-citation", "bibliomixed"})
_NAMES = ("name", "string-name")
_PLACES = frozenset({"volume", "issue", "fpage", "lpage", "elocation-id"})


def source_line(node: etree._Element) -> str | None:
    """The reference with its number; None for one whose words stand between its elements, as it is printed.

    A reference that only names its parts gets the punctuation: authors, year, titles, and where it stands.
    """
    children = [child for child in node if isinstance(child.tag, str)]
    if (node.text or "").strip() or not children or any((child.tail or "").strip() for child in children):
        return None
    parts: list[str] = []
    places: dict[str, str] = {}
    for child in children:
        name = etree.QName(child).localname
        words = _people(child) or one_line(" ".join(child.itertext()))
        if name in _PLACES:
            places[name] = words
        elif words:
            parts.append(words)
    return ". ".join(part.rstrip(".") for part in [*parts, _place(places)] if part)


def source_number(node: etree._Element) -> str:
    """The number or mark by which the text refers to this source, in brackets; empty for none."""
    before = node.getprevious()
    if before is None or not isinstance(before.tag, str) or etree.QName(before).localname != "label":
        return ""
    label = one_line("".join(before.itertext())).strip("[]. ")
    return f"[{label}] " if label else ""


def _people(node: etree._Element) -> str:
    """The names of authors, with commas between them; empty where there are none."""
    return ", ".join(
        one_line(" ".join(person.itertext()))
        for person in node.iter()
        if isinstance(person.tag, str) and etree.QName(person).localname in _NAMES
    )


def _place(places: dict[str, str]) -> str:
    """Volume, issue and pages, as in `50(2):477–492`."""
    volume = places.get("volume", "")
    if "issue" in places:
        volume += f"({places['issue']})"
    pages = places.get("fpage") or places.get("elocation-id", "")
    if "lpage" in places:
        pages += f"–{places['lpage']}"
    return ":".join(filter(None, (volume, pages)))
