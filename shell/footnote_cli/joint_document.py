"""The OpenAPI documents of all services as one, for readers and for generators of clients."""

from collections.abc import Mapping
from typing import Any

from footnote_shared.web.openapi import operations

_ABOUT = """Answers over a team's own documents; each claim carries a number that the server resolves.

Every route needs `Authorization: Bearer <key>`. Errors are problem documents (RFC 9457): programs read
`code`, people read `detail`. A listing takes `limit` and `cursor` and gives `next_cursor`. What makes
something takes an `Idempotency-Key`, and is made once under it. What answers may be four services behind one
address: the first segment of a path decides, and the tag of an operation says which service it is of."""


def joint_document(documents: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """One document of the routes below /v1 of several services, from the document of each by its name.

    Each keeps its health and its own document under its own address, so those stand in none. Names of
    operations and of shapes mean the same in all services, which a test holds, so nothing is renamed.
    """
    paths: dict[str, Any] = {}
    parts: dict[str, dict[str, Any]] = {"schemas": {}, "securitySchemes": {}}
    tags: dict[str, str] = {}
    versions: set[str] = set()
    for service, document in documents.items():
        public = {path: item for path, item in document["paths"].items() if path.startswith("/v1/")}
        paths |= public
        for kind, part in parts.items():
            part |= document.get("components", {}).get(kind, {})
        for _, _, operation in operations({"paths": public}):
            for tag in operation.get("tags", ()):
                tags.setdefault(tag, service)
        versions.add(document["info"]["version"])
    return {
        "openapi": "3.1.0",
        "info": {"title": "Footnote", "version": max(versions, default="1"), "description": _ABOUT},
        "tags": [{"name": tag, "description": f"Of the service {service}."} for tag, service in tags.items()],
        "paths": paths,
        "components": parts,
    }
