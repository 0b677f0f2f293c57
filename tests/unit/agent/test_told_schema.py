"""The schema of a stranger's tool before a model: what every provider takes, whatever the stranger says."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.profiles.google import GoogleJsonSchemaTransformer
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

from footnote_agent.tool_servers.listing import ListedTool, listing_of
from footnote_agent.tool_servers.told_schema import (
    LONGEST_ENUM,
    MOST_ENUM,
    MOST_NODES,
    told_description,
    told_schema,
)
from footnote_agent.tools.all_tools import TOOLS
from footnote_agent.tools.tool import Tool
from footnote_testing.picky_schemas import fault_of_schema, fault_of_tools

NAMES = (
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "const",
)
MORE = (
    "pattern",
    "format",
    "description",
    "additionalProperties",
    "prefixItems",
    "not",
    "default",
    "minimum",
)
KINDS = ("string", "number", "integer", "boolean", "array", "object", "null", "file")
plain = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from([*KINDS, "#/$defs/a", "#/properties/a", "#", "https://x", "(?=x)", "[1]"])
)
anything = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*NAMES, *MORE, "a", "b c"]), inner, max_size=5)
    ),
    max_leaves=12,
)


def _eight(number: int) -> dict[str, Any]:
    return {name: {"$ref": f"#/$defs/{number}"} for name in "abcdefgh"}


def of(**properties: Any) -> dict[str, Any]:
    told: dict[str, Any] = told_schema({"type": "object", "properties": properties})["properties"]
    return told


@given(st.dictionaries(st.sampled_from([*NAMES, *MORE]), anything, max_size=8))
def test_whatever_a_server_says_every_provider_takes_it(schema: dict[str, Any]) -> None:
    told = told_schema({**schema, "type": "object"})
    assert fault_of_schema(told) is None
    assert told["type"] == "object"
    for transformer in (OpenAIJsonSchemaTransformer, GoogleJsonSchemaTransformer):
        transformer(json.loads(json.dumps(told))).walk()


def test_references_that_make_much_of_little_come_to_an_end() -> None:
    doubling = {str(at): {"type": "object", "properties": _eight(at + 1)} for at in range(20)}
    told = told_schema({"type": "object", "properties": {"a": {"$ref": "#/$defs/0"}}, "$defs": doubling})
    assert len(json.dumps(told)) < MOST_NODES * 200
    every = {str(at): {"allOf": [{"$ref": f"#/$defs/{at + 1}"}] * 8} for at in range(20)}
    assert (
        fault_of_schema(told_schema({"type": "object", "properties": {"a": every["0"]}, "$defs": every}))
        is None
    )


def test_a_schema_that_refers_to_itself_is_told_as_far_as_it_says_something() -> None:
    node = {"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/node"}}}
    told = told_schema(
        {"type": "object", "properties": {"first": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    )
    first = told["properties"]["first"]
    assert first["properties"]["name"] == {"type": "string"}
    assert "anyOf" in first["properties"]["next"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"type": ["string", "null"]}, {"type": "string"}),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "n"},
            {"type": "integer", "description": "n"},
        ),
        (
            {"oneOf": [{"type": "integer"}, {"type": "string"}]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        ),
        ({"const": "on"}, {"type": "string", "enum": ["on"]}),
        ({"type": "array"}, {"type": "array", "items": {"anyOf": of(x={})["x"]["anyOf"]}}),
        (
            {"properties": {"a": {"type": "string"}}},
            {"type": "object", "properties": {"a": {"type": "string"}}},
        ),
        (
            {"type": "string", "pattern": "^(?=a)[b]$", "format": "uri"},
            {"type": "string", "description": '(format: "uri"; pattern: "^(?=a)[b]$")'},
        ),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "description": "(one of: 1, 2)"}),
        ({"type": "string", "description": "See [3]\u200b."}, {"type": "string", "description": "See ⟦3⟧."}),
    ],
)
def test_a_value_is_told_by_one_type_and_the_rest_in_words(
    given: dict[str, Any], told: dict[str, Any]
) -> None:
    assert of(a=given)["a"] == told


def test_what_holds_at_once_is_told_as_one() -> None:
    parts = [{"$ref": "#/$defs/x"}, {"properties": {"b": {"type": "string"}}, "required": ["b"]}]
    schema = {
        "type": "object",
        "properties": {"v": {"allOf": parts}},
        "$defs": {"x": {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]}},
    }
    value = told_schema(schema)["properties"]["v"]
    assert (set(value["properties"]), set(value["required"])) == ({"a", "b"}, {"a", "b"})


def test_a_map_of_any_names_stays_one_and_a_closed_object_stays_closed() -> None:
    told = of(
        map={"type": "object", "additionalProperties": {"type": "string"}},
        closed={
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "additionalProperties": False,
        },
    )
    assert told["map"]["additionalProperties"] is True
    assert told["closed"]["additionalProperties"] is False


def test_a_large_enumeration_is_told_by_its_first_values() -> None:
    at_most = [f"v{at}" for at in range(MOST_ENUM)]
    assert of(a={"enum": at_most})["a"]["enum"] == at_most
    told = of(a={"type": "string", "enum": [*at_most, "more"]})["a"]
    assert ("enum" in told, '"v0"' in told["description"], "more" in told["description"]) == (
        False,
        True,
        True,
    )
    assert "enum" not in of(a={"type": "string", "enum": ["x" * (LONGEST_ENUM + 1)]})["a"]


def test_an_argument_that_no_model_can_name_is_left_out_or_costs_the_tool_its_place() -> None:
    schema = {"type": "object", "properties": {"größe": {"type": "string"}, "size": {"type": "string"}}}
    assert list(told_schema(schema)["properties"]) == ["size"]
    assert listing_of([ListedTool("n", "d", schema)], more=False).tools[0].problem is None
    needed = ListedTool("n", "d", {**schema, "required": ["größe"]})
    assert "no model can say" in str(listing_of([needed], more=False).tools[0].problem)


def test_a_description_is_as_long_as_every_provider_takes_it() -> None:
    assert len(told_description("x" * 4000)) == 1024
    assert told_description("x" * 1024) == "x" * 1024


def test_of_many_branches_none_is_told() -> None:
    branches = [{"type": "string"}, {"type": "integer"}] * 4
    assert of(a={"anyOf": branches})["a"] == {"anyOf": branches}
    assert of(a={"anyOf": [*branches, {"type": "number"}]})["a"] == of(a={})["a"]


def test_values_are_told_as_far_as_twelve_levels() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(13):
        schema = {"type": "object", "properties": {"in": schema}}
    told = told_schema(schema)
    for _ in range(12):
        told = told["properties"]["in"]
    assert told["type"] == "object"
    assert told["properties"]["in"] == of(a={})["a"]


def test_four_hundred_parts_of_a_schema_are_told() -> None:
    many: dict[str, Any] = {f"v{at}": {"type": "string"} for at in range(500)}
    assert len(of(**many)) == 400


def test_of_numbers_to_choose_from_twenty_are_named() -> None:
    described = of(a={"type": "integer", "enum": list(range(100, 125))})["a"]["description"]
    assert "119 and 5 more" in described


@pytest.mark.parametrize("tool", TOOLS.values(), ids=list(TOOLS))
def test_every_provider_takes_the_tools_of_ours(tool: Tool) -> None:
    function = {"name": tool.name, "description": tool.spec.description, "parameters": tool.spec.parameters}
    assert fault_of_tools([{"function": function}]) is None
