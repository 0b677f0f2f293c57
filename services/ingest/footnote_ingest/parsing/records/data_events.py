"""JSON and YAML as a flat sequence of events with their places in the text.

Nothing here works by recursion and nothing is expanded, so neither depth nor aliases can hurt. JSON is read
leniently: comments, single quotes and names without quotes (JSON5) pass, and so do several values in a row
(JSON Lines).
"""

import json
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

import yaml

DEEPEST = 1_000
"""Data that is nested deeper is not read."""

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*+"?'
    r"|'(?:[^'\\\n]|\\.)*+'?"
    r"|[\[\]{}]"
    r"|//[^\n]*+"
    r"|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    r"""|(?:[^\s"'\[\]{},:/]|/(?![/*]))++""",
    re.S,
)

_BRACKETS = {"{": "}", "[": "]"}


class DataBroken(Exception):
    """The text is not what its name says, or is nested too deeply. The message is a clause for a person."""


class DataEvent(NamedTuple):
    """A piece of data: the beginning of a mapping or a list, its end, or a scalar. Keys are scalars, too.

    `value` is the text of a scalar, and the name of what an alias stands for. `anchor` is the name that
    aliases call it by.
    """

    kind: Literal["mapping", "list", "end", "scalar", "alias"]
    start: int
    end: int
    value: str = ""
    anchor: str | None = None


def json_events(text: str) -> Iterator[DataEvent]:
    """Raises DataBroken where brackets do not match."""
    opened: list[str] = []
    for found in _TOKEN.finditer(text):
        piece, start, end = found[0], found.start(), found.end()
        if piece in _BRACKETS:
            opened.append(_BRACKETS[piece])
            if len(opened) > DEEPEST:
                raise DataBroken("it is nested too deeply")
            yield DataEvent("mapping" if piece == "{" else "list", start, end)
        elif piece in ("}", "]"):
            if not opened or opened.pop() != piece:
                raise DataBroken("its brackets do not match")
            yield DataEvent("end", start, end)
        elif not piece.startswith(("//", "/*")):
            yield DataEvent("scalar", start, end, _unquoted(piece))
    if opened:
        raise DataBroken("it ends too early")


def _unquoted(written: str) -> str:
    if written[0] not in "\"'":
        return written
    if "\\" not in written:
        return written[1:-1]
    try:
        said = json.loads(written)
    except ValueError:
        return written[1:-1]
    return said if isinstance(said, str) else written


def yaml_events(text: str) -> Iterator[DataEvent]:
    """All documents of a stream, one after another. Tags are ignored. Raises DataBroken."""
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            start, end = event.start_mark.index, event.end_mark.index
            match event:
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    depth += 1
                    if depth > DEEPEST:
                        raise DataBroken("it is nested too deeply")
                    kind: Literal["mapping", "list"] = (
                        "mapping" if isinstance(event, yaml.MappingStartEvent) else "list"
                    )
                    yield DataEvent(kind, start, end, anchor=event.anchor)
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    depth -= 1
                    yield DataEvent("end", start, end)
                case yaml.ScalarEvent():
                    yield DataEvent("scalar", start, end, event.value, event.anchor)
                case yaml.AliasEvent():
                    yield DataEvent("alias", start, end, event.anchor)
    except yaml.YAMLError as error:
        raise DataBroken("it is not valid YAML") from error
