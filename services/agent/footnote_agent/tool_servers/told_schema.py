"""The schema of a stranger's tool as a model is told it: no more than every provider documents. Pure.

A provider refuses a whole request, and the gateway library fails, for one schema that it does not know how
to read. So references are resolved, types are single, and what else bounds a value is told in words. The
server checks its arguments itself.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from footnote_shared.kernel.neutralise import neutralise

MOST_NODES = 400
"""Parts of one schema. References can make billions of a few lines."""

DEEPEST = 12
MOST_BRANCHES = 8
MOST_ENUM, LONGEST_ENUM = 200, 4000
"""Values of one enumeration that are told as such, and their characters."""

LONGEST_NOTE, LONGEST_NOTES = 120, 500
LONGEST_TOLD = 1024
"""Characters of a description: OpenAI takes no more of a function's."""

_SAID_BY_NAME = 20
_SAYABLE = re.compile(r"[A-Za-z0-9_.-]{1,64}", re.ASCII)
_TYPES = ("string", "number", "integer", "boolean", "array", "object")
_TOLD_IN_WORDS = (
    "format",
    "pattern",
    "default",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
)
_ANYTHING: Sequence[Mapping[str, Any]] = (
    {"type": "string"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "object", "additionalProperties": True},
)

Schema = Mapping[str, Any]


def told_schema(schema: Schema) -> dict[str, Any]:
    """The arguments of a tool as every provider takes them: an object of named values."""
    reduction = _Reduction(schema)
    return reduction.object_of(reduction.resolved(schema, ()), 0, ())


def told_description(text: str) -> str:
    """The words of a tool about itself, harmless and cut to what every provider takes."""
    told = neutralise(text)
    return told if len(told) <= LONGEST_TOLD else f"{told[: LONGEST_TOLD - 1]}…"


def unsayable(schema: Schema) -> list[str]:
    """The arguments that have to be given and that no model can name."""
    required = schema.get("required")
    names = required if isinstance(required, list) else []
    return [name for name in names if isinstance(name, str) and not _SAYABLE.fullmatch(name)]


@dataclass(slots=True)
class _Reduction:
    """`trail`, of each step: the references that led to it. One that leads back to itself says nothing."""

    root: Schema
    left: int = MOST_NODES

    def node(self, value: Any, depth: int, trail: tuple[str, ...]) -> dict[str, Any]:
        self.left -= 1
        if self.left < 0 or depth > DEEPEST or not isinstance(value, Mapping):
            return _anything()
        followed = (*trail, *_references(value))
        schema = self.resolved(value, trail)
        branches = _branches(schema)
        if len(branches) == 1:
            return self.node({**_without_branches(schema), **branches[0]}, depth + 1, followed)
        told: dict[str, Any]
        if branches and len(branches) <= MOST_BRANCHES:
            told = {"anyOf": [self.node(branch, depth + 1, followed) for branch in branches]}
        else:
            match _type_of(schema):
                case "object":
                    told = self.object_of(schema, depth, followed)
                case "array":
                    told = {"type": "array", "items": self.node(schema.get("items"), depth + 1, followed)}
                case "":
                    told = _anything()
                case "string" if values := _told_enum(schema):
                    told = {"type": "string", "enum": values}
                case kind:
                    told = {"type": kind}
        words = _words(schema, enum_told="enum" in told)
        return {"description": words, **told} if words else told

    def object_of(self, schema: Schema, depth: int, trail: tuple[str, ...]) -> dict[str, Any]:
        """An object with those of its values that a model can name."""
        inner = schema.get("properties")
        named = inner if isinstance(inner, Mapping) else {}
        told = {
            name: self.node(value, depth + 1, trail)
            for name, value in named.items()
            if _SAYABLE.fullmatch(name) and self.left > 0
        }
        required = schema.get("required")
        names = required if isinstance(required, list) else []
        wanted = [name for name in names if isinstance(name, str) and name in told]
        found: dict[str, Any] = {"type": "object", "properties": told}
        if wanted:
            found["required"] = list(dict.fromkeys(wanted))
        others = schema.get("additionalProperties")
        if others is False:
            found["additionalProperties"] = False
        elif others is not None or not told:
            found["additionalProperties"] = True
        return found

    def resolved(self, value: Schema, trail: tuple[str, ...]) -> Schema:
        """The schema with what it refers to, and with all that has to hold of it at once, in one."""
        schema: dict[str, Any] = dict(value)
        for _ in range(DEEPEST):
            reference, parts = schema.pop("$ref", None), schema.pop("allOf", None)
            if reference is None and parts is None:
                break
            if isinstance(reference, str) and reference not in trail:
                trail = (*trail, reference)
                schema = _both(schema, self._pointed_at(reference))
            for part in parts[:MOST_BRANCHES] if isinstance(parts, list) else ():
                self.left -= 1
                schema = _both(schema, part) if isinstance(part, Mapping) and self.left > 0 else schema
        return schema

    def _pointed_at(self, reference: str) -> Schema:
        """What a pointer within the schema leads to (RFC 6901); nothing where it leads nowhere."""
        found: Any = self.root
        if not reference.startswith("#/"):
            return {}
        for step in reference[2:].split("/")[:DEEPEST]:
            name = step.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else {}


def _anything() -> dict[str, Any]:
    return {"anyOf": [dict(one) for one in _ANYTHING]}


def _references(schema: Schema) -> tuple[str, ...]:
    reference = schema.get("$ref")
    return (reference,) if isinstance(reference, str) else ()


def _both(one: Schema, other: Schema) -> dict[str, Any]:
    """What holds where both do, as far as models are told: the values of both, else the first one's word."""
    both = {**other, **one}
    mine, theirs = one.get("properties"), other.get("properties")
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        both["properties"] = {**theirs, **mine}
    needed, others = one.get("required"), other.get("required")
    if isinstance(needed, list) and isinstance(others, list):
        both["required"] = [*others, *needed]
    return both


def _branches(schema: Schema) -> list[Schema]:
    """What the value may be, where it may be several things; null is none of them."""
    for name in ("anyOf", "oneOf"):
        given = schema.get(name)
        if isinstance(given, list):
            return [one for one in given if isinstance(one, Mapping) and one.get("type") != "null"]
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return [{**_bare(schema), "type": kind} for kind in _TYPES if kind in kinds]
    return []


def _bare(schema: Schema) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != "description"}


def _without_branches(schema: Schema) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name not in ("anyOf", "oneOf")}


def _type_of(schema: Schema) -> str:
    """One of the types of JSON, also where it is only implied; nothing where none is."""
    kind = schema.get("type")
    if kind in _TYPES:
        return str(kind)
    if isinstance(schema.get("properties"), Mapping):
        return "object"
    if isinstance(schema.get("items"), Mapping):
        return "array"
    return "string" if _told_enum(schema) else ""


def _enum(schema: Schema) -> list[Any]:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else []


def _told_enum(schema: Schema) -> list[str]:
    """The values, if they are texts, and few enough."""
    values = [one for one in _enum(schema) if one is not None]
    texts = [one for one in values if isinstance(one, str) and one and one.isprintable()]
    fits = len(texts) == len(values) <= MOST_ENUM and sum(map(len, texts)) <= LONGEST_ENUM
    return list(dict.fromkeys(texts)) if fits else []


def _words(schema: Schema, *, enum_told: bool) -> str:
    """The description, and what is told of the value in no other way."""
    description = schema.get("description")
    said = neutralise(description) if isinstance(description, str) else ""
    notes = [f"{name}: {written}" for name in _TOLD_IN_WORDS if (written := _written(schema.get(name)))]
    values = [] if enum_told else _enum(schema)
    named = [written for one in values[:_SAID_BY_NAME] if (written := _written(one))]
    if named:
        more = f" and {len(values) - len(named)} more" if len(values) > len(named) else ""
        notes.insert(0, f"one of: {', '.join(named)}{more}")
    told = neutralise("; ".join(notes))[:LONGEST_NOTES]
    return f"{said} ({told})".strip() if told else said


def _written(value: Any) -> str:
    """A plain value as JSON. Nothing for what is long, or is no plain value."""
    if not isinstance(value, str | int | float):
        return ""
    written = json.dumps(value, ensure_ascii=False)
    return written if len(written) <= LONGEST_NOTE and written.isprintable() else ""
