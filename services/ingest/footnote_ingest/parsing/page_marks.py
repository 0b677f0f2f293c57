"""What the attributes of a web page say and its text does not: the language of code, where a link leads."""

import re
from collections.abc import Sequence

from lxml import etree

from footnote_ingest.parsing.code_endings import LANGUAGE_OF
from footnote_ingest.parsing.page_elements import HEADINGS
from footnote_ingest.parsing.page_furniture import remove_node, squeezed

_LANGUAGE_CLASS = re.compile(r"(?:language|lang|highlight|highlight-source|brush)[-: ]+([\w+#.]{1,30})", re.I)
_LANGUAGE_ATTRIBUTES = ("data-lang", "data-language", "lang")
_NO_LANGUAGE = frozenset(
    {"default", "none", "text", "plain", "plaintext", "txt", "notranslate", "nohighlight"}
)
_LONGEST_NAME = 30
_ALIASES = {
    "c++": "cpp",
    "c#": "csharp",
    "console": "shell",
    "golang": "go",
    "javascript": "js",
    "ipython3": "python",
    "pycon": "python",
    "python3": "python",
    "shell-session": "shell",
    "typescript": "ts",
}
_SAYS_NOTHING = frozenset(
    {
        "here",
        "click here",
        "this",
        "this link",
        "this page",
        "link",
        "download",
        "download here",
        "hier",
        "hier klicken",
        "ici",
        "aquí",
        "qui",
    }
)
_LOGO = re.compile(r"\[?(?:\w[\w.-]{0,30} ){0,2}logo\]?", re.I)
_SITE = re.compile(r"\s{1,3}(?:[—–|»·:-]|::)\s|:\s|\s\([^()]{1,200}\)$")
_SITE_BEFORE = re.compile(r"(?:\s(?:[—–|«»·:-]|::)|:)\s{1,3}$")
"""What parts the name of a page from that of its site, behind it and before it."""

_COUNTED = re.compile(
    r"^(?:(?:chapter|appendix|section)\s)?(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){0,4}[.:]?\s{1,3}", re.I
)
"""The number of a heading is not in the title of its page."""

_SHORTEST_NAME = 3
_OF_ANY_SITE = frozenset({"index", "search", "overview", "introduction", "contents", "home", "welcome"})
"""Headings that any site has are no names of a page."""

_TAG_SHOWN = re.compile(r"</?[a-z][a-z0-9]{0,10}(?:\s[^<>]{0,200})?/?>")
_NAMELESS, _UNTITLED, _SPHINX_DASH = "<no title>", "— ", " — "
_OF_SPHINX = re.compile(r"\w (?:documentation|docs)$|\d (?:manual|API)$", re.I)
"""Sphinx writes the name of the manual behind that of the page, and a page without headings has no name."""

_OF_MANUAL = re.compile(r": [^:]{1,80} Reference Manual$| \([^()]{1,100} API\)$")
"""So do GTK-Doc and Javadoc."""

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp")
_MOST_WORDS = 4
"""The description of a way to another page has this many words at most."""

_TEXT_BOXES = ("div", "p", *HEADINGS)
_LONGEST_TARGET = 300
_ABSOLUTE = re.compile(r"(?:https?|mailto|ftp):\S+", re.I)
_WAY_BACK = re.compile(
    r"(?:(?:back|return|go|go back|jump) )?to (?:the )?"
    r"(?:top|(?:\w[\w.+-]{0,30} ){0,3}index(?: page)?|contents|table of contents|start|main page|home page"
    r"|top of (?:the )?page)[.!]?",
    re.I,
)
_WAY_ON = re.compile(r"(?:please )?(?:go|return|proceed|continue|back)\b", re.I)
_PLACES = frozenset(
    {"next", "previous", "index", "contents", "table of contents", "top", "main page", "home"}
)
_INDEX = re.compile(r"(?:\w[\w.+-]{0,30} ){0,3}index(?: page)?")
_LONGEST_WAY = 100
_AROUND_LINKS = " \t\r\n\xa0[]()|<>^↑"
_LINE_ENDS = frozenset({"br", "hr", "p", "div", "table", "ul", "ol", "dl", "pre", *HEADINGS})


def code_languages(root: etree._Element) -> dict[str, str]:
    """The language of each piece of code that a page marks, by the squeezed text of the piece.

    It stands in an attribute of the `pre`, of the `code` in it, or of one of the two boxes around it.
    """
    found: dict[str, str] = {}
    for pre in root.iter("pre"):
        inner = next(pre.iter("code"), None)
        around = pre.getparent()
        outer = around.getparent() if around is not None else None
        for node in (inner, pre, around, outer):
            language = _language_of(node) if node is not None else None
            if language:
                found[squeezed("".join(pre.itertext()))] = language
                break
    return found


def language_name(said: str) -> str | None:
    """Our name of a programming language that a document names; None where it names none."""
    name = said.strip().lower()
    if not name or len(name) > _LONGEST_NAME or name in _NO_LANGUAGE:
        return None
    return _ALIASES.get(name) or LANGUAGE_OF.get(name, name)


def name_link_targets(root: etree._Element) -> None:
    """Write the address behind the text of a link that says nothing by itself, such as "here"."""
    for link in root.iter("a"):
        target = link.get("href", "").strip()
        text = " ".join("".join(link.itertext()).split()).strip(".:!").lower()
        if text in _SAYS_NOTHING and len(target) <= _LONGEST_TARGET and _ABSOLUTE.fullmatch(target):
            link.tail = f" ({target.removeprefix('mailto:')}){link.tail or ''}"


def remove_linked_pictures(root: etree._Element) -> None:
    """Take the description from a picture that is a way to another page: a logo, or an arrow.

    A link that leads to a picture shows that picture, so its description stays.
    """
    for picture in list(root.iter("img")):
        link = picture.getparent()
        if link is None or link.tag != "a" or "".join(link.itertext()).strip():
            continue
        target = link.get("href", "").partition("?")[0].lower()
        words = picture.get("alt", "").split()
        if target and len(words) <= _MOST_WORDS and not target.endswith(_PICTURES):
            link.remove(picture)


def remove_signs(root: etree._Element) -> None:
    """Take away pictures that stand for a sign, such as a bullet, or for the house: a reader reads none.

    So does Doxygen's link to what the arrows of its diagrams mean.
    """
    for picture in list(root.iter("img")):
        said = picture.get("alt", "").strip()
        if said and (not any(map(str.isalnum, said)) or _LOGO.fullmatch(said)):
            remove_node(picture)
    for span in list(root.iter("span")):
        if span.get("class") == "legend" and "".join(span.itertext()).strip() == "[legend]":
            remove_node(span)


def remove_ways_back(root: etree._Element) -> None:
    """Take away links such as "return to the index" that stand alone in their line."""
    for paragraph in list(root.iter("p")):
        parent = paragraph.getparent()
        if parent is not None and not (paragraph.tail or "").strip() and _is_way_on(paragraph):
            parent.remove(paragraph)
    for link in list(root.iter("a")):
        box = link.getparent()
        if (
            box is None
            or not link.get("href")
            or not _WAY_BACK.fullmatch(" ".join("".join(link.itertext()).split()))
        ):
            continue
        before = link.getprevious()
        ahead = (box.text if before is None else before.tail) or ""
        begins = not ahead.strip(_AROUND_LINKS) and (before is None or before.tag in _LINE_ENDS)
        after = link.getnext()
        ends = not (link.tail or "").strip(_AROUND_LINKS) and (after is None or after.tag in _LINE_ENDS)
        if begins and ends:
            if before is None:
                box.text = None
            else:
                before.tail = None
            link.tail = None
            box.remove(link)


def _is_way_on(box: etree._Element) -> bool:
    """Whether a paragraph only says where other pages are, as in "Return to the index"."""
    said = " ".join("".join(box.itertext()).split())
    links = [" ".join("".join(link.itertext()).split()).lower() for link in box.iter("a")]
    return (
        bool(links)
        and len(said) <= _LONGEST_WAY
        and _WAY_ON.match(said) is not None
        and all(text in _PLACES or _INDEX.fullmatch(text) for text in links)
    )


def name_page(root: etree._Element, title: str | None) -> None:
    """Make a heading of the box before all headings in which a page shows its title, as Doxygen draws it."""
    name = squeezed(title or "")
    for node in root.iter(*_TEXT_BOXES) if name else ():
        if node.tag in HEADINGS:
            return
        marked = "title" in node.get("class", "").lower()
        inner = next(node.iterdescendants(*_TEXT_BOXES), None)
        if inner is not None and marked and inner.getparent() is node and len((node.text or "").split()):
            # Doxygen puts the names of the groups above into the box of the title.
            node.addnext(inner)
        elif inner is not None:
            continue
        said = squeezed("".join(node.itertext()))
        told = name.endswith(said) or (name.startswith(said) and len(said) >= _SHORTEST_NAME)
        if said and (said == name or (marked and told)):
            node.tag = "h1"
            return


def own_name(title: str | None, headings: Sequence[str]) -> str | None:
    """The title of a page without the name of the site or the manual, if its one first heading tells that.

    `headings` are those of the first rank.
    """
    title = _without_marks(title)
    name = headings[0] if len(headings) == 1 else ""
    if title is None or len(name) < _SHORTEST_NAME or name == title or name.lower() in _OF_ANY_SITE:
        return title
    name = _COUNTED.sub("", name) if not title.endswith(name) and not title.startswith(name) else name
    before, behind = title.removesuffix(name), title.removeprefix(name)
    apart = (before != title and _SITE_BEFORE.search(before)) or (behind != title and _SITE.match(behind))
    return name if apart else title


def _without_marks(title: str | None) -> str | None:
    """A title without tags that a page shows as they are, and without the manual that a tool names behind it.

    None for one without a word, such as "-".
    """
    if title is None:
        return None
    title = _TAG_SHOWN.sub("", title).strip().removeprefix(_NAMELESS).strip().removeprefix(_UNTITLED)
    page, dash, manual = title.rpartition(_SPHINX_DASH)
    if dash and page.strip().lower() not in _OF_ANY_SITE and _OF_SPHINX.search(manual):
        title = page
    elif (of_manual := _OF_MANUAL.search(title)) is not None and of_manual.start():
        title = title[: of_manual.start()]
    return title.strip() if any(map(str.isalnum, title)) else None


def _language_of(node: etree._Element) -> str | None:
    for name in _LANGUAGE_ATTRIBUTES:
        # `lang` is a programming language on code only, and a human one anywhere.
        said = node.get(name, "")
        if said and (name != "lang" or said.lower() in LANGUAGE_OF.values()):
            return language_name(said)
    classes = node.get("class", "")
    marked = _LANGUAGE_CLASS.search(classes)
    if marked:
        return language_name(marked.group(1))
    if node.tag in ("pre", "code") or "sourceCode" in classes.split():
        known = [name for name in classes.split() if name.lower() in LANGUAGE_OF.values()]
        return language_name(known[0]) if known else None
    return None
