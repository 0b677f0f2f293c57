"""The models of the Python client, written from the OpenAPI documents so that they cannot drift from them.

Each answer that a key can get, and what it is made of, is one class. Values that a newer server adds are let
through: an unknown field is kept, and where there is a set of words its type is `str`.
"""

import keyword
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from footnote_cli.reference.json_schema import Schema

FOLDER = Path("shell/footnote_client/models")
_SHARED = "shared"
_OF_OTHER_CLIENTS = ("health", "chat completions")
"""What orchestrators and OpenAI's own clients ask for."""
_OF_NEIGHBOURS = (
    "/v1/documents:cited",
    "/v1/documents:named",
    "/v1/documents:withheld",
    "/v1/lanes:asked",
    "/v1/webhooks/{connector_id}",
)
"""What answers no key."""
_FIELDS_OF_A_BASE = 10
"""A class with fewer fields is seldom what another one was made from."""

_WIDTH = 110
_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_HEAD = '''"""{doc} Written by `make reference` from the OpenAPI documents."""

{imports}
'''


def client_models(apps: Mapping[str, FastAPI]) -> dict[Path, str]:
    """The files of the models by their path below the root of the repository."""
    schemas: dict[str, Schema] = {}
    subjects: dict[str, set[str]] = {}
    for app in apps.values():
        document = app.openapi()
        schemas |= document["components"]["schemas"]
        for subject, answer in _answers(document):
            for name in _reachable(answer, document["components"]["schemas"]):
                subjects.setdefault(name, set()).add(subject)
    rooms = {name: min(found) if len(found) == 1 else _SHARED for name, found in subjects.items()}
    files = {FOLDER / "__init__.py": _names_of_all(rooms)}
    for room in sorted(set(rooms.values())):
        inside = [name for name, where in rooms.items() if where == room]
        files[FOLDER / f"{room}.py"] = _module(room, inside, schemas, rooms)
    return files


def class_name(schema_name: str) -> str:
    """`Page_Document_` is the class DocumentList; the marks for in and out fall away."""
    if schema_name.startswith("Page_"):
        return schema_name.removeprefix("Page_").strip("_") + "List"
    return schema_name.removesuffix("-Output").removesuffix("-Input")


def _answers(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What the routes for a key answer when all is well, by subject."""
    for path, item in document["paths"].items():
        for operation in item.values():
            subject = operation["tags"][0]
            if subject in _OF_OTHER_CLIENTS or path in _OF_NEIGHBOURS:
                continue
            for status, answer in operation.get("responses", {}).items():
                if status.startswith("2"):
                    yield subject, answer


def _reachable(answer: Any, schemas: Mapping[str, Schema]) -> set[str]:
    """The schemas that an answer names, with those that these name."""
    waiting = list(_named(answer))
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _named(schemas[name])
    return found


def _named(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(reference := schema.get("$ref"), str):
            yield reference.rpartition("/")[2]
        for value in schema.values():
            yield from _named(value)
    elif isinstance(schema, Iterable) and not isinstance(schema, str):
        for value in schema:
            yield from _named(value)


def _module(room: str, names: list[str], schemas: Mapping[str, Schema], rooms: Mapping[str, str]) -> str:
    named = {name: sorted({other for other in _named(schemas[name]) if other in names}) for name in names}
    bases = {name: _base(name, names, schemas) for name in names}
    needed = {name: [*named[name], *filter(None, [bases[name]])] for name in sorted(names)}
    order = TopologicalSorter(needed).static_order()
    classes = [_class(name, schemas[name], schemas.get(bases[name] or "", {})) for name in order]
    foreign = sorted(
        {class_name(other) for name in names for other in _named(schemas[name]) if rooms[other] != room},
        key=str.lower,
    )
    text = "\n\n\n".join(classes)
    imports = ["from datetime import datetime"] if "datetime" in text else []
    imports += ["from typing import Any"] if "Any" in text else []
    imports += ["", "from pydantic import Field"] if "Field(" in text else []
    imports += ["", "from footnote_client.answer_model import AnswerModel"]
    if foreign:
        imports += _from(f"footnote_client.models.{_SHARED}", foreign)
    doc = "Answers that have several subjects." if room == _SHARED else f"Answers about {room}."
    return _HEAD.format(doc=doc, imports="\n".join(imports).strip()) + "\n\n" + text + "\n"


def _names_of_all(rooms: Mapping[str, str]) -> str:
    by_room: dict[str, list[str]] = {}
    for name, room in rooms.items():
        by_room.setdefault(room, []).append(class_name(name))
    lines = [
        line
        for room in sorted(by_room)
        for line in _from(f"footnote_client.models.{room}", sorted(by_room[room], key=str.lower))
    ]
    names = sorted(name for inside in by_room.values() for name in inside)
    listed = "\n".join(f'    "{name}",' for name in names)
    doc = '"""What the server answers. Written by `make reference` from the OpenAPI documents."""'
    return "\n".join([doc, "", *lines, "", f"__all__ = [\n{listed}\n]", ""])


def _from(module: str, names: list[str]) -> list[str]:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _WIDTH:
        return [line]
    return [f"from {module} import (", *(f"    {name}," for name in names), ")"]


def _base(name: str, names: Iterable[str], schemas: Mapping[str, Schema]) -> str | None:
    """The class all of whose many fields this one has too: what it adds is then written once."""
    own = schemas[name].get("properties", {})
    within = [
        other
        for other in names
        if len(of_other := schemas[other].get("properties", {})) >= _FIELDS_OF_A_BASE
        and len(of_other) < len(own)
        and all(own.get(field) == inside for field, inside in of_other.items())
    ]
    return max(within, key=lambda other: len(schemas[other]["properties"]), default=None)


def _class(name: str, schema: Schema, base: Schema) -> str:
    said = str(schema.get("description") or f"One page of {class_name(name)}.")
    above = class_name(str(base["title"])) if base else "AnswerModel"
    lines = [f"class {class_name(name)}({above}):", *_docstring(said), ""]
    required = schema.get("required", ())
    for field, inside in schema.get("properties", {}).items():
        if field not in base.get("properties", {}):
            lines += _field(field, inside, required=field in required)
    return "\n".join(lines)


def _field(name: str, schema: Schema, *, required: bool) -> list[str]:
    assert not keyword.iskeyword(name), f"{name} cannot be a field"
    wanted = _type(schema)
    said = " ".join(filter(None, [str(schema.get("description", "")), _words(schema)]))
    line = f"    {name}: {wanted}" + ("" if required else f" = {_default(wanted, schema)}")
    return [line, *(_docstring(said) if said else ())]


def _default(wanted: str, schema: Schema) -> str:
    given = schema.get("default")
    if "$ref" in schema:
        return f"{wanted}()"
    if given or isinstance(given, bool | int | float | str):
        return f'"{given}"' if isinstance(given, str) else repr(given)
    kind = wanted.partition("[")[0]
    return f"Field(default_factory={kind})" if kind in ("list", "dict") else "None"


def _words(schema: Schema) -> str:
    """The words of a fixed set, in its description: a newer server may know more of them."""
    inside = schema["anyOf"][0] if "anyOf" in schema else schema
    words = inside.get("items", inside).get("enum")
    return f"One of {', '.join(f'`{word}`' for word in words)}." if words else ""


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return class_name(str(schema["$ref"]).rpartition("/")[2])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(part) for part in schema["anyOf"]))
    if isinstance(const := schema.get("const"), int) and not isinstance(const, bool):
        return "int"
    if "const" in schema or "enum" in schema:
        return "str"
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return f"tuple[{', '.join(map(_type, schema['prefixItems']))}]"
        return f"list[{_type(schema.get('items', {}))}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {_type(values) if isinstance(values, Mapping) and values else 'Any'}]"
    if schema.get("format") == "date-time":
        return "datetime"
    return _SIMPLE.get(str(kind), "Any")


def _docstring(text: str) -> list[str]:
    short = " ".join(text.split())
    if len(short) + 10 <= _WIDTH:
        return [f'    """{short}"""']
    first, *others = text.strip().split("\n\n")
    lines = textwrap.wrap(" ".join(first.split()), _WIDTH - 7)
    written = [f'    """{lines[0]}', *(f"    {line}" for line in lines[1:])]
    for paragraph in others:
        wrapped = textwrap.wrap(" ".join(paragraph.split()), _WIDTH - 4)
        written += ["", *(f"    {line}" for line in wrapped)]
    return [*written, '    """']
