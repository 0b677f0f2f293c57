"""What a call that was written as text says: the tool's name and its arguments. Pure, one pass over the text.

The forms are those of the models' own templates: JSON objects (Hermes, Qwen, Granite), a list of them or a
name before its arguments (Mistral), and tags (Llama, Qwen Coder).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

_CALLS = 64
"""Calls of one text that are read."""

_NAMES = ("name", "tool", "tool_name")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_KEYS = frozenset({*_NAMES, *_ARGUMENTS, "type", "function", "id"})
_FUNCTION, _PARAMETER = "<function=", "<parameter="


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as a model wrote it. `arguments` is JSON, or what stood in its place. The name may be empty."""

    name: str
    arguments: str


def calls_in(text: str) -> list[WrittenCall]:
    """The calls in a text that was marked as such. What cannot be read is one call with the text in it."""
    text = text.strip()
    if text.startswith(_FUNCTION):
        return list(_tagged(text))[:_CALLS]
    named = _named(text)
    if named is not None:
        return [named]
    found = [_call_of(value) for value in _objects(text)]
    return [call for call in found if call is not None][:_CALLS] or [WrittenCall("", text)]


def calls_by_looks(text: str) -> list[WrittenCall]:
    """The calls of a text that is nothing but calls in JSON; none where it is anything else."""
    values = list(_objects(text, whole=True))
    found = [_call_of(value) for value in values if value.keys() <= _KEYS]
    return [call for call in found if call is not None] if len(found) == len(values) else []


def _call_of(value: Mapping[str, Any]) -> WrittenCall | None:
    inner = value.get("function")
    if isinstance(inner, dict):
        value = inner
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), inner)
    if not isinstance(name, str) or not name.strip():
        return None
    given: Any = next((value[key] for key in _ARGUMENTS if key in value), {})
    return WrittenCall(name.strip(), given if isinstance(given, str) else json.dumps(given or {}))


def _objects(text: str, *, whole: bool = False) -> Iterator[dict[str, Any]]:
    """The JSON objects of a text, also those in a list. With `whole`: none if there is anything else."""
    found: list[dict[str, Any]] = []
    at = 0
    while (at := _next_value(text, at, strict=whole)) < len(text):
        end = _end_of_value(text, at)
        try:
            value = from_json(text[at:end])
        except ValueError:
            value = None
        parts = value if isinstance(value, list) else [value]
        objects = [part for part in parts if isinstance(part, dict)]
        if whole and (not objects or len(objects) < len(parts)):
            return
        found += objects
        at = end
    if not whole or at == len(text):
        yield from found


def _next_value(text: str, at: int, *, strict: bool) -> int:
    """Where the next object or list begins. If `strict`, beyond the text where anything else comes first."""
    while at < len(text) and text[at] not in "{[":
        if strict and not (text[at].isspace() or text[at] in ",;"):
            return len(text) + 1
        at += 1
    return at


def _end_of_value(text: str, at: int) -> int:
    """Behind the bracket that closes the one at this place, or the end of the text."""
    depth, quoted, escaped = 0, False, False
    for place in range(at, len(text)):
        char = text[place]
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if not depth:
                return place + 1
    return len(text)


def _named(text: str) -> WrittenCall | None:
    """`name[ARGS]{...}`, `name{...}`: a name before its arguments."""
    end = next((at for at, char in enumerate(text[:80]) if char in "{["), -1)
    name = text[: max(0, end)].strip()
    if not name or not all(char.isalnum() or char in "_.-" for char in name):
        return None
    begin = text.find("{", end)
    return WrittenCall(name, text[begin : _end_of_value(text, begin)] if begin >= 0 else text[end:])


def _tagged(text: str) -> Iterator[WrittenCall]:
    """`<function=name>`, then JSON or `<parameter=key>value</parameter>`, then `</function>`."""
    for piece in text.split(_FUNCTION)[1:]:
        name, _, body = piece.partition(">")
        body = body.partition("</function>")[0].strip()
        if body and not body.startswith(_PARAMETER):
            yield WrittenCall(name.strip(), body)
            continue
        given: dict[str, Any] = {}
        for parameter in body.split(_PARAMETER)[1:]:
            key, _, value = parameter.partition(">")
            given[key.strip()] = _plain(value.rpartition("</parameter>")[0] or value)
        yield WrittenCall(name.strip(), json.dumps(given))


def _plain(written: str) -> Any:
    """A value between tags: a list or an object where it is one, else text."""
    text = written.strip("\n").strip()
    if text[:1] in ("{", "["):
        try:
            return from_json(text)
        except ValueError:
            return text
    return text
