"""OpenAPI and Swagger: an operation is a section such as `GET /pets`, with what it takes and gives.

OpenAPI 3 (https://spec.openapis.org/oas/latest.html) and Swagger 2 are read alike. What has no place in the
tables is kept as code.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.markup.markdown import mark_markdown
from footnote_ingest.parsing.records.data_events import DataBroken, DataEvent
from footnote_ingest.parsing.records.data_values import (
    first_value,
    in_lines,
    in_one_line,
    mapping,
    scalar,
    sequence,
)
from footnote_ingest.parsing.table_text import rows_to_text

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PARAMETER = ("parameter", "in", "type", "required", "description")
_PROPERTY = ("property", "type", "required", "description")
_TYPE_KEYS = frozenset({"type", "format", "$ref", "items", "properties", "required", "description"})
_OF_SWAGGER = ("definitions", "parameters", "responses", "securityDefinitions")
"""Where Swagger 2 has what are components later."""

_SHOWN = ("info", "servers", "paths", "webhooks", "components", "tags", *_OF_SWAGGER)
_NESTED_ROWS = 6
_MARK = re.compile(
    r"""^[ ]{0,8}["']?(?:openapi|swagger)["']?[ ]{0,8}:|[{,][ ]?"(?:openapi|swagger)":""", re.MULTILINE
)
"""The key that marks the description of an interface. Where keys are sorted, it stands far within it."""


def described(text: str, events: Callable[[], Iterable[DataEvent]]) -> Mapping[str, object] | None:
    """The description of an interface; None if the data is not one, or cannot be read."""
    if _MARK.search(text) is None:
        return None
    try:
        root = mapping(first_value(events()))
    except DataBroken:
        return None
    is_one = ("openapi" in root or "swagger" in root) and any(
        isinstance(root.get(key), dict) for key in ("paths", "webhooks", "components")
    )
    return root if is_one else None


def add_interface(to: Assembler, root: Mapping[str, object]) -> str:
    """Add all of a description; returns its title."""
    info = mapping(root.get("info"))
    title = scalar(info.get("title"))
    to.add("title", title, level=1)
    _add_prose(to, info.get("summary"))
    _add_prose(to, info.get("description"))
    facts = {key: value for key, value in root.items() if key not in _SHOWN and isinstance(value, str)}
    _add_rest(to, {**facts, **info}, ("title", "summary", "description"))
    for server in sequence(root.get("servers")):
        place = mapping(server)
        to.add("list", f"- {scalar(place.get('url'))} {scalar(place.get('description'))}".rstrip())
    components = {**mapping(root.get("components"))}
    for key in _OF_SWAGGER:
        if key in root:
            components["schemas" if key == "definitions" else key] = root[key]
    named = mapping(components.get("parameters"))
    for group in ("paths", "webhooks"):
        for path, item in mapping(root.get(group)).items():
            _add_path(to, path, item, named)
    for kind, members in components.items():
        to.add("title", kind[:1].upper() + kind[1:], level=2)
        if not isinstance(members, dict):
            to.add("code", in_lines(members), language="yaml")
        for name, member in mapping(members).items():
            to.add("title", name, level=3)
            if not isinstance(member, dict):
                to.add("code", in_lines(member), language="yaml")
            elif kind == "schemas":
                _add_schema(to, member)
            else:
                _add_component(to, member)
    _add_tags(to, sequence(root.get("tags")))
    for key, value in root.items():
        if key not in _SHOWN and not isinstance(value, str):
            to.add("title", key, level=2)
            to.add("code", in_lines(value), language="yaml")
    return title


def _add_component(to: Assembler, member: Mapping[str, object]) -> None:
    """A parameter, an answer or a scheme of security: what is said of it, and the rest as it stands."""
    _add_prose(to, member.get("summary"))
    _add_prose(to, member.get("description"))
    _add_rest(to, member, ("summary", "description"))


def _add_tags(to: Assembler, tags: Iterable[object]) -> None:
    """The groups of operations: what is told of one is text for people."""
    bare: list[object] = []
    for tag in tags:
        group = mapping(tag)
        if "description" not in group:
            bare.append(tag)
            continue
        to.add("title", scalar(group.get("name")), level=2)
        _add_prose(to, group.get("description"))
        _add_rest(to, group, ("name", "description"))
    if bare:
        to.add("title", "tags", level=2)
        to.add("code", in_lines(bare), language="yaml")


def _add_path(to: Assembler, path: str, item: object, named: Mapping[str, object]) -> None:
    """Add the operations of a path. `named` are the parameters that several of them refer to."""
    shared = mapping(item)
    for method in _METHODS:
        operation = shared.get(method)
        if isinstance(operation, dict):
            to.add("title", f"{method.upper()} {path}", level=2)
            _add_operation(to, operation, shared, named)
    _add_rest(to, shared, (*_METHODS, "parameters", "summary", "description"), heading=path)


def _add_operation(
    to: Assembler,
    operation: Mapping[str, object],
    shared: Mapping[str, object],
    named: Mapping[str, object],
) -> None:
    _add_prose(to, operation.get("summary") or shared.get("summary"))
    _add_prose(to, operation.get("description") or shared.get("description"))
    parameters = [*sequence(shared.get("parameters")), *sequence(operation.get("parameters"))]
    parameters = [named.get(_called(mapping(parameter)), parameter) for parameter in parameters]
    if parameters:
        to.add("table", rows_to_text([_PARAMETER, *map(_parameter_row, parameters)]))
    body = mapping(operation.get("requestBody"))
    if body:
        to.add("paragraph", f"Request body: {_contents(body)}")
        _add_prose(to, body.get("description"))
        _add_inline_schemas(to, body)
        _add_rest(to, body, ("description", "content", "required"))
    responses = mapping(operation.get("responses"))
    if responses:
        rows = [
            (status, scalar(mapping(answer).get("description")), _contents(mapping(answer)))
            for status, answer in responses.items()
        ]
        to.add("table", rows_to_text([("status", "description", "content"), *rows]))
        for answer in responses.values():
            _add_inline_schemas(to, mapping(answer))
            _add_rest(to, mapping(answer), ("description", "content", "schema", "$ref"))
    _add_rest(to, operation, ("summary", "description", "parameters", "requestBody", "responses"))


def _parameter_row(value: object) -> tuple[str, ...]:
    parameter = mapping(value)
    if "$ref" in parameter:
        return (_called(parameter), "", "", "", "")
    schema = mapping(parameter.get("schema")) or parameter
    told = {
        key: inner
        for key, inner in {**parameter, **schema}.items()
        if key not in ("name", "in", "required", "schema", "description")
    }
    return (
        scalar(parameter.get("name")),
        scalar(parameter.get("in")),
        _type(schema),
        _yes(parameter.get("required")),
        _details({**told, "description": parameter.get("description", schema.get("description", ""))}),
    )


def _yes(value: object) -> str:
    return "yes" if scalar(value).lower() == "true" else ""


def _contents(holder: Mapping[str, object]) -> str:
    """The media types of a body with the types of their schemas."""
    if "$ref" in holder:
        return _called(holder)
    said = [
        f"{mime} {_type(mapping(mapping(content).get('schema')))}".rstrip()
        for mime, content in mapping(holder.get("content")).items()
    ]
    if "schema" in holder:
        said.append(_type(mapping(holder["schema"])))
    return ", ".join(said) + (" (required)" if _yes(holder.get("required")) else "")


def _add_inline_schemas(to: Assembler, holder: Mapping[str, object]) -> None:
    """The schemas and examples that a body spells out itself."""
    contents = [mapping(content) for content in mapping(holder.get("content")).values()]
    for content in [*contents, *([holder] if "schema" in holder else [])]:
        schema = mapping(content.get("schema"))
        if schema and "$ref" not in schema and "properties" in schema:
            _add_schema(to, schema)
        if content is not holder:
            _add_rest(to, content, ("schema",))


def _add_schema(to: Assembler, schema: Mapping[str, object]) -> None:
    _add_prose(to, schema.get("description"))
    rows = list(_property_rows(schema))
    if rows:
        to.add("table", rows_to_text([_PROPERTY, *rows]))
        _add_rest(to, schema, (*_TYPE_KEYS, "title"))
    else:
        _add_rest(to, schema, ("description",))


def _property_rows(
    schema: Mapping[str, object], prefix: str = "", depth: int = 0
) -> Iterator[tuple[str, ...]]:
    needed = {name for name in sequence(schema.get("required")) if isinstance(name, str)}
    for name, value in mapping(schema.get("properties")).items():
        inner = mapping(value)
        place = f"{prefix}{name}"
        yield (place, _type(inner), "yes" if name in needed else "", _details(inner))
        if depth < _NESTED_ROWS:
            yield from _property_rows(inner, f"{place}.", depth + 1)
            yield from _property_rows(mapping(inner.get("items")), f"{place}[].", depth + 1)


def _type(schema: Mapping[str, object]) -> str:
    """The type in words: `array of Pet`, `integer (int64)`."""
    if "$ref" in schema:
        return _called(schema)
    kind = in_one_line(schema.get("type", ""))
    if kind == "array" or "items" in schema:
        return f"array of {_type(mapping(schema.get('items')))}".rstrip()
    form = scalar(schema.get("format"))
    return f"{kind} ({form})" if form else kind


def _called(reference: Mapping[str, object]) -> str:
    return scalar(reference.get("$ref")).rpartition("/")[2]


def _details(schema: Mapping[str, object]) -> str:
    each = {key: value for key, value in mapping(schema.get("items")).items() if key not in _TYPE_KEYS}
    told = {**schema, "each": each} if each else schema
    rest = [f"{key}: {in_one_line(value)}" for key, value in told.items() if key not in _TYPE_KEYS]
    return "; ".join(filter(None, [scalar(schema.get("description")).strip(), *rest]))


def _add_prose(to: Assembler, value: object) -> None:
    """A description, which may be Markdown. Its headings are paragraphs here."""
    text = scalar(value)
    if not text.strip():
        return
    inner = Assembler(text_limit=to.text_limit, element_limit=to.element_limit, whole=text)
    mark_markdown(inner, text)
    for element in inner.elements:
        kind = "paragraph" if element.kind == "title" else element.kind
        to.add(kind, element.text, language=element.language)


def _add_rest(
    to: Assembler, value: Mapping[str, object], shown: Iterable[str], *, heading: str | None = None
) -> None:
    rest = {key: inner for key, inner in value.items() if key not in shown}
    if rest:
        if heading:
            to.add("title", heading, level=2)
        to.add("code", in_lines(rest), language="yaml")
