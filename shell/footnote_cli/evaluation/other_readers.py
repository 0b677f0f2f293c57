"""Pandoc and `unstructured` as readers of the same files, to stand beside Footnote.

Both are given what they can say of themselves. Pandoc tells titles, headings and kinds, and no pages.
`unstructured` tells pages and kinds; an element's headings are those that it names as its parents.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from footnote_cli.evaluation.read_document import ReadDocument, ReadPassage
from footnote_cli.evaluation.reference_text import PANDOC_FORMATS, pandoc, run_pandoc
from footnote_shared.kernel.errors import InvalidRequest

_TAG = re.compile("<[^<>]{0,200}>")
_NESTED: Mapping[str, Callable[[Any], Sequence[Any]]] = {
    "Div": lambda content: [content[1]],
    "BlockQuote": lambda content: [content],
    "BulletList": lambda content: content,
    "OrderedList": lambda content: content[1],
    "DefinitionList": lambda content: [
        part for term, parts in content for part in ([{"t": "Plain", "c": term}], *parts)
    ],
}
"""Where the blocks inside a block are, as lists of blocks."""

_CHILD = (sys.executable, "-m", "footnote_cli.evaluation.unstructured_child")


class OtherReader(StrEnum):
    """A reader to compare Footnote with."""

    PANDOC = "pandoc"
    UNSTRUCTURED = "unstructured"


def other_reader(name: OtherReader) -> Callable[[str, Path], ReadDocument]:
    """The reader; InvalidRequest where it is not installed."""
    if name is OtherReader.PANDOC:
        program = pandoc()
        if program is None:
            raise InvalidRequest("There is no pandoc: install it, or the package pypandoc_binary.")
        return lambda kind, path: _by_pandoc(program, kind, path)
    if find_spec("unstructured") is None:
        raise InvalidRequest("There is no unstructured: pip install unstructured[all-docs].")
    return _Unstructured()


def _by_pandoc(program: str, kind: str, path: Path) -> ReadDocument:
    source = PANDOC_FORMATS.get(kind)
    told = None if source is None else run_pandoc(program, source, "json", path)
    if told is None:
        return ReadDocument(None, (), "pandoc does not read it")
    document = json.loads(told)
    title = _plain(document["meta"]["title"]).strip() if "title" in document["meta"] else None
    return ReadDocument(title, list(_pandoc_passages(document["blocks"], [])))


def _pandoc_passages(
    blocks: Sequence[Mapping[str, Any]], path: list[tuple[int, str]]
) -> Iterator[ReadPassage]:
    """Each block with the headings above it; `path` holds their levels and is changed on the way."""
    for block in blocks:
        kind, content = block["t"], _content(block)
        if kind == "Header":
            level, heading = content[0], _plain(content[2]).strip()
            path[:] = [*(entry for entry in path if entry[0] < level), (level, heading)]
            yield ReadPassage(heading, "prose", _names(path))
        elif kind in _NESTED:
            for inner in _NESTED[kind](content):
                yield from _pandoc_passages(inner, path)
        elif kind == "CodeBlock":
            yield ReadPassage(content[1], "code", _names(path))
        elif kind == "Table":
            rows = [*content[3][1], *(row for body in content[4] for part in body[2:] for row in part)]
            lines = [" | ".join(" ".join(_plain(cell).split()) for cell in row[1]) for row in rows]
            yield ReadPassage("\n".join([_plain(content[1]), *lines]), "table", _names(path))
        else:
            yield ReadPassage(_plain(block), "prose", _names(path))


def _content(block: Mapping[str, Any]) -> Any:
    return block.get("c")


def _names(path: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(heading for _, heading in path)


def _plain(node: Any) -> str:
    """The text of a part of pandoc's document."""
    if isinstance(node, list):
        return "".join(map(_plain, node))
    if not isinstance(node, dict):
        return ""
    kind, content = node.get("t"), _content(node)
    if kind in ("Str", "MetaString"):
        return str(content)
    if kind in ("Space", "SoftBreak", "LineBreak"):
        return " "
    if kind in ("Code", "Math", "CodeBlock"):
        return str(content[1])
    if kind in ("RawInline", "RawBlock"):
        return ""
    inner = _plain(content)
    return f"{inner}\n" if kind in ("Para", "Plain") else inner


class _Unstructured:
    """A process that reads one file after another. It is started anew after a file that ended it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __call__(self, kind: str, path: Path) -> ReadDocument:
        """Read the file; its kind is left to `unstructured` to find out."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                _CHILD, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        told = self._process.stdout.readline()
        if not told:
            self._process.wait()
            return ReadDocument(None, (), "unstructured does not read it")
        return ReadDocument(None, [_of_element(element) for element in json.loads(told)])


def _of_element(element: Mapping[str, Any]) -> ReadPassage:
    form = {"Table": "table", "CodeSnippet": "code"}.get(element["category"], "prose")
    page, text, html = element["page"], element["text"], element["html"]
    if form == "table" and html:
        text = _TAG.sub(" ", html.replace("</tr>", "\n"))
    return ReadPassage(text, form, tuple(element["headings"]), None if page is None else (page, page))
