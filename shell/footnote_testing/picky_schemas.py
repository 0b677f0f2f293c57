"""What a picky endpoint holds against the schema of a tool: together the rules that providers document."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_TYPES = {"string", "number", "integer", "boolean", "array", "object"}
_KNOWN = {
    "type",
    "description",
    "title",
    "default",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "anyOf",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "format",
    "$defs",
}
_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_MOST_ENUM, _LONGEST_ENUM, _DEEPEST = 500, 15_000, 20


def fault_of_tools(tools: Sequence[Mapping[str, Any]]) -> str | None:
    """What is wrong with the tools of a request in OpenAI's shape."""
    if len(tools) > 128:
        return "too many tools"
    for tool in tools:
        function = tool["function"]
        if len(function.get("description", "")) > 1024:
            return f"{function['name']}: the description is too long"
        if function["parameters"].get("type") != "object":
            return f"{function['name']}: the parameters are no object"
        if fault := fault_of_schema(function["parameters"]):
            return f"Invalid schema for function {function['name']}: {fault}"
    return None


def fault_of_schema(schema: Any, depth: int = 0) -> str | None:
    """What is wrong with a schema."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return "no schema, or too deep"
    if str(schema.get("$ref", "")).startswith("#/$defs/"):
        return None
    if schema.get("format", "date") not in _FORMATS:
        return f"unknown format: {schema['format']}"
    if unknown := set(schema) - _KNOWN:
        return f"unknown: {sorted(unknown)}"
    if "anyOf" in schema:
        inner = list(schema["anyOf"])
        faults = [fault_of_schema(one, depth + 1) for one in inner if one != {"type": "null"}]
        return next(filter(None, faults), None) if inner else "an empty anyOf"
    if not isinstance(schema.get("type"), str) or schema["type"] not in _TYPES:
        return "a value without a type"
    if "enum" in schema:
        values = schema["enum"]
        if not values or not all(isinstance(one, str) for one in values):
            return "an enum of what is no string"
        if len(values) > _MOST_ENUM or sum(map(len, values)) > _LONGEST_ENUM:
            return "an enum that is too large"
    if schema["type"] == "array":
        return fault_of_schema(schema.get("items"), depth + 1)
    properties = schema.get("properties", {})
    if not all(_NAME.fullmatch(name) for name in properties):
        return "the name of a property"
    if not set(schema.get("required", ())) <= set(properties):
        return "what is required is no property"
    return next(filter(None, (fault_of_schema(one, depth + 1) for one in properties.values())), None)
