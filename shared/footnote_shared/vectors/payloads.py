"""Payloads as the JSON values that are stored and filtered."""

from collections.abc import Mapping
from datetime import datetime
from typing import TypeAlias

from footnote_shared.kernel.clock import rfc3339
from footnote_shared.kernel.errors import OurFault
from footnote_shared.vectors.protocol import PayloadValue, PointPayload, PointRef

StoredValue: TypeAlias = str | int | bool | list[str] | None

REFERENCE = ["document_id", "chunk_id", "version", "folder_ids", "groups", "is_public"]


def stored(payload: PointPayload) -> dict[str, StoredValue]:
    """The payload as JSON values. Absent fields are left out, so that `IsEmpty` finds them."""
    found: dict[str, StoredValue] = {}
    for name in PointPayload.model_fields:
        value: PayloadValue = getattr(payload, name)
        if value is not None:
            found[name] = _plain(value)
    return found


def stored_changes(changes: Mapping[str, PayloadValue]) -> dict[str, StoredValue]:
    """Changes as JSON values. Raises ValueError for a field that payloads do not have."""
    unknown = changes.keys() - PointPayload.model_fields.keys()
    if unknown:
        raise ValueError(f"no such payload fields: {', '.join(sorted(unknown))}")
    return {name: _plain(value) for name, value in changes.items()}


def read_reference(point_id: str, payload: object) -> PointRef:
    """A point of which only the fields in `REFERENCE` were read. Raises OurFault if it names no chunk."""
    found = payload if isinstance(payload, dict) else {}
    document_id, chunk_id, version, folder_ids, groups, is_public = (found.get(name) for name in REFERENCE)
    if not (isinstance(document_id, str) and isinstance(chunk_id, str) and isinstance(version, int)):
        raise OurFault(f"The payload of point {point_id} in the vector index does not name its chunk.")
    return PointRef(
        point_id, document_id, chunk_id, version, _texts(folder_ids), _texts(groups), is_public is True
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def _plain(value: PayloadValue) -> StoredValue:
    if isinstance(value, datetime):
        return rfc3339(value)
    if value is None or isinstance(value, str | int):
        return value
    return list(value)
