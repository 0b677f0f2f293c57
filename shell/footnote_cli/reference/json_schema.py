"""JSON schemas in words, with links to the messages that they name."""

import json
import re
from collections.abc import Mapping
from typing import Any

from footnote_cli.reference.markdown import anchor, code, table

Schema = Mapping[str, Any]

_FORMATS = {"binary": "a file", "date-time": "moment"}


def fields_table(schema: Schema) -> str:
    """The fields of an object; a sentence where it has none."""
    required = schema.get("required", ())
    rows = [
        (code(name), _with_default(field, required=name in required), field.get("description", ""))
        for name, field in schema.get("properties", {}).items()
    ]
    return table(("field", "type", "meaning"), rows) if rows else "It has no fields."


def in_words(schema: Schema) -> str:
    """What values the schema allows."""
    if "$ref" in schema:
        name = message_name(str(schema["$ref"]).rpartition("/")[2])
        return f"[{name}](messages.md#{anchor(name)})"
    if "anyOf" in schema:
        parts = [in_words(part) for part in schema["anyOf"] if part.get("type") != "null"]
        return " or ".join(dict.fromkeys(parts))
    if "enum" in schema:
        return "one of " + ", ".join(map(code, schema["enum"]))
    if "const" in schema:
        return code(json.dumps(schema["const"]))
    return _typed(schema)


def message_name(name: str) -> str:
    """The name for people: `Page_Document_` is a page; `-Input` and `-Output` of a name are one message."""
    page = re.fullmatch(r"Page_(\w+)_", name)
    return f"Page of {page[1]}" if page else re.sub(r"-(Input|Output)$", "", name)


def _typed(schema: Schema) -> str:
    kind = str(schema.get("type", "anything"))
    if kind == "array":
        if "prefixItems" in schema:
            return "[" + ", ".join(map(in_words, schema["prefixItems"])) + "]"
        return f"list of {in_words(schema.get('items', {}))}" + _bounds(
            schema, "minItems", "maxItems", "items"
        )
    if kind == "string":
        named = _FORMATS.get(str(schema.get("format")), "text")
        return named + _bounds(schema, "minLength", "maxLength", "characters")
    return kind + _bounds(schema, "minimum", "maximum")


def _bounds(schema: Schema, low: str, high: str, unit: str = "") -> str:
    bounds = [f"at least {schema[low]}"] if low in schema else []
    bounds += [f"at most {schema[high]}"] if high in schema else []
    return f" ({' '.join([' and '.join(bounds), unit]).strip()})" if bounds else ""


def _with_default(field: Schema, *, required: bool) -> str:
    words = in_words(field)
    if required:
        return f"{words}, required"
    default = field.get("default")
    return words if default in (None, "", [], {}) else f"{words}, default {code(json.dumps(default))}"
