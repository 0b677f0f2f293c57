"""The page that documents the routes of a service: plain HTML without scripts or foreign addresses."""

import base64
import hashlib
import json
from collections.abc import Iterator
from html import escape
from typing import Any

from starlette.responses import HTMLResponse

from footnote_shared.web.openapi import operations

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 3rem auto; padding: 0 1rem }
code, pre { font: 14px/1.4 ui-monospace, monospace }
pre { background: #8881; padding: .7rem; overflow-x: auto }
details { border-top: 1px solid #8884; padding: .4rem 0 }
summary { cursor: pointer }
table { border-collapse: collapse }
td, th { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0 }
.method { display: inline-block; width: 4.5rem; font-weight: bold }
"""
_POLICY = "; ".join(
    [
        "default-src 'none'",
        f"style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
_DEEPEST = 6


def page(title: str, body: str) -> HTMLResponse:
    """A page in our style. Its content security policy allows that style and nothing else.

    `title` is text; `body` is HTML.
    """
    text = (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n<h1>{escape(title)}</h1>\n{body}\n</html>\n"
    )
    headers = {
        "Content-Security-Policy": _POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }
    return HTMLResponse(text, headers=headers)


def docs_page(document: dict[str, Any], more: str = "") -> HTMLResponse:
    """The page for an OpenAPI document: each route with its parameters, its body and its answers.

    `more` is HTML that stands before the routes.
    """
    routes = "\n".join(
        _route(method, path, operation, document) for method, path, operation in operations(document)
    )
    intro = (
        f"<p>{escape(document['info'].get('description', ''))}</p>\n<p>Routes below <code>/v1</code> need "
        "<code>Authorization: Bearer &lt;key&gt;</code>. The same for programs: "
        '<a href="openapi.json">openapi.json</a>.</p>\n'
    )
    return page(document["info"]["title"], intro + more + routes)


def _route(method: str, path: str, operation: dict[str, Any], document: dict[str, Any]) -> str:
    parts = [
        f'<details>\n<summary><code><span class="method">{method.upper()}</span>{escape(path)}</code> '
        f"{escape(operation.get('summary', ''))}</summary>"
    ]
    if "description" in operation:
        parts.append(f"<p>{escape(operation['description'])}</p>")
    if operation.get("parameters"):
        rows = "\n".join(_parameter(parameter) for parameter in operation["parameters"])
        parts.append(f"<table>\n<tr><th>parameter<th>in<th>type<th>meaning\n{rows}\n</table>")
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        parts.append(f"<p>Body, <code>{escape(kind)}</code>:</p>\n{_outline(content, document)}")
    parts += [
        f"<p>Example:</p>\n<pre>{escape(sample['source'])}</pre>"
        for sample in operation.get("x-codeSamples", ())
    ]
    parts += _answers(operation, document)
    return "\n".join([*parts, "</details>"])


def _parameter(parameter: dict[str, Any]) -> str:
    schema = parameter.get("schema", {})
    needed = "" if parameter.get("required") else ", optional"
    text = parameter.get("description") or schema.get("description", "")
    kind = f"{_type_of(schema)}{needed}"
    cells = [f"<code>{escape(parameter['name'])}</code>", parameter["in"], escape(kind), escape(text)]
    return f"<tr><td>{'<td>'.join(cells)}"


def _answers(operation: dict[str, Any], document: dict[str, Any]) -> Iterator[str]:
    for status, answer in operation.get("responses", {}).items():
        yield f"<p><b>{escape(status)}</b> {escape(answer.get('description', ''))}</p>"
        if status.startswith("2"):
            for content in answer.get("content", {}).values():
                if content.get("schema"):
                    yield _outline(content, document)


def _outline(content: dict[str, Any], document: dict[str, Any]) -> str:
    outline = _example(content.get("schema", {}), document, 0)
    return f"<pre>{escape(json.dumps(outline, indent=2, ensure_ascii=False))}</pre>"


def _example(schema: dict[str, Any], document: dict[str, Any], depth: int) -> Any:
    """A value in which each member is described by its type."""
    if depth > _DEEPEST:
        return "..."
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _example(document["components"]["schemas"].get(name, {}), document, depth + 1)
    choices = [one for one in schema.get("anyOf", schema.get("oneOf", [])) if one.get("type") != "null"]
    if choices:
        return _example(choices[0], document, depth)
    if schema.get("properties"):
        return {name: _example(inner, document, depth + 1) for name, inner in schema["properties"].items()}
    if schema.get("type") == "array":
        return [_example(schema.get("items", {}), document, depth + 1)]
    return _type_of(schema)


def _type_of(schema: dict[str, Any]) -> str:
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    choices = schema.get("anyOf", schema.get("oneOf", []))
    kinds = [_type_of(choice) for choice in choices if choice.get("type") != "null"]
    if kinds:
        return " | ".join(dict.fromkeys(kinds))
    return str(schema.get("format") or schema.get("type") or "any")
