"""Reading what other systems write as JSON: values of the wrong type count as none, and nothing raises."""

import json
from typing import Any

from footnote_ingest.connectors.errors import SourceDown
from footnote_shared.web.json_shape import json_shape

Json = dict[str, Any]

_MOST_VALUES, _DEEPEST = 500_000, 64
"""What one answer may hold."""


def read_object(body: bytes, system: str) -> Json:
    """The object of an answer. Raises SourceDown for one that breaks off or is none."""
    shape = json_shape(body)
    if shape.depth > _DEEPEST or shape.values > _MOST_VALUES:
        raise SourceDown(f"{system}'s answer is not what it should be.")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        # An answer that breaks off is one that did not come.
        raise SourceDown(f"{system}'s answer cannot be read.") from error
    if not isinstance(found, dict):
        raise SourceDown(f"{system}'s answer is not what it should be.")
    return found


def objects_at(answer: Json, name: str, system: str) -> list[Json]:
    """The objects of a listing. Raises SourceDown for a listing that is none: what it lacks would count as
    deleted."""
    found = answer.get(name)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise SourceDown(f"{system}'s answer is not what it should be.")
    return found


def object_of(value: Any) -> Json:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[Json]:
    """The objects of a list; null is written for an empty one here and there."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """The text, or an empty one."""
    return value if isinstance(value, str) else ""


def line_of(value: Any) -> str:
    """The text in one line, or an empty one."""
    return " ".join(text_of(value).split())


def whole_of(value: Any) -> int:
    """The whole number, or 0."""
    return value if isinstance(value, int) else 0


def fit(text: str) -> str:
    """The text with a question mark for halves of characters, which JSON can write and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()
