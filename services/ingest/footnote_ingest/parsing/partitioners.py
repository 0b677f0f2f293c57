"""`unstructured`, prepared for a process without network, and so that no text gets lost.

On import, this module replaces `unstructured.nlp.tokenize`, which would download and install a language model
when it sees its first text (version 0.27.32), and tables that no parser of ours looks into. This has to
happen before any partitioner is imported, so no other module imports `unstructured` directly. Its guesses
about what reads like a title or like prose are switched off: headings come from the structure of a document,
and a paragraph of one character is a paragraph.
"""

import re
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Final

_WORD: Final = re.compile(r"\w+|[^\w\s]")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _sentences(text: str) -> list[str]:
    return _SENTENCE.split(text)


def _tags(text: str) -> list[tuple[str, str]]:
    return [(word, "VB") for word in _words(text)]


def _without_bullet(text: str) -> str:
    """As the library does it, whose module reckons a table of all characters when it is imported."""
    return UNICODE_BULLETS_RE.sub("", text, count=1).strip() if UNICODE_BULLETS_RE.match(text) else text


def _replace(module: str, **members: object) -> None:
    replaced = ModuleType(module)
    vars(replaced).update(members)
    sys.modules[module] = replaced


if "unstructured.partition.text_type" in sys.modules:
    raise ImportError(
        "footnote_ingest.parsing.partitioners must be imported before unstructured's partitioners"
    )
_replace("unstructured.nlp.tokenize", sent_tokenize=_sentences, word_tokenize=_words, pos_tag=_tags)
_replace("unstructured.cleaners.core", clean_bullets=_without_bullet, remove_punctuation=None)
# These are never used, as languages are not asked for and guesses are off. A quarter of the time in which the
# parsers are imported went into them. Whoever used them would raise TypeError or AttributeError.
_replace("unstructured.nlp.english_words", ENGLISH_WORDS=None)
_replace("iso639", Language=None)
_replace(
    "unstructured.partition.html.transformations",
    ontology_to_unstructured_elements=None,
    parse_html_to_ontology=None,
)

from unstructured.documents.elements import Element, ListItem, NarrativeText, Text  # noqa: E402
from unstructured.nlp.patterns import UNICODE_BULLETS_RE  # noqa: E402
from unstructured.partition import docx as _docx  # noqa: E402
from unstructured.partition import pptx as _pptx  # noqa: E402
from unstructured.partition.docx import partition_docx  # noqa: E402
from unstructured.partition.html import parser as _html  # noqa: E402
from unstructured.partition.html.partition import partition_html  # noqa: E402
from unstructured.partition.pptx import partition_pptx  # noqa: E402
from unstructured.partition.text_type import is_bulleted_text  # noqa: E402

from footnote_ingest.parsing.assembler import Assembler  # noqa: E402
from footnote_ingest.parsing.table_text import html_table_rows, rows_to_text  # noqa: E402

__all__ = ["Element", "add_element", "add_elements", "partition_docx", "partition_html", "partition_pptx"]


def _by_bullet(text: str) -> type[Text]:
    return ListItem if is_bulleted_text(text) else NarrativeText


def _never(text: str, **options: object) -> bool:
    return False


def _always(text: str, **options: object) -> bool:
    return True


vars(_html)["derive_element_type_from_text"] = _by_bullet
for _module in (_docx, _pptx):
    vars(_module).update(is_possible_title=_never, is_possible_narrative_text=_always)


def add_element(to: Assembler, element: Element, *, page: int | None = None) -> None:
    """Append one element of `unstructured` as an element of ours."""
    text = element.text or ""
    depth = element.metadata.category_depth
    where = page if page is not None else element.metadata.page_number
    match element.category:
        case "PageBreak":
            return
        case "Title":
            to.add("title", text, page=where, level=(depth or 0) + 1)
        case "Table":
            html = element.metadata.text_as_html
            rows = rows_to_text(html_table_rows(html)) if html else ""
            to.add("table", rows or text, page=where)
        case "ListItem":
            to.add("list", text if _numbered(text) else f"- {text}", page=where)
        case "CodeSnippet":
            to.add("code", text, page=where)
        case "Image":
            to.add("image_caption", text, page=where)
        case _:
            to.add("paragraph", text, page=where)


def add_elements(to: Assembler, elements: Iterable[Element], *, page: int | None = None) -> None:
    for element in elements:
        add_element(to, element, page=page)


def _numbered(text: str) -> bool:
    return re.match(r"\s*(?:[-•*▪◦‣·–]|\(?\w{1,3}[.)])\s", text) is not None
