"""Builds mappings, lists and scalars from the events of JSON and YAML.

A scalar stays text, so no figure loses its last digits. An alias is the same value again. The size with all
aliases written out is counted, so that a few lines cannot become millions (a "billion laughs").
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from footnote_ingest.parsing.records.data_events import DataBroken, DataEvent

MOST_EXPANDED = 5_000_000
"""A document may have this many characters and values once all aliases are written out."""

MOST_DEPTH = 200


@dataclass(slots=True)
class _Open:
    """A mapping or a list that is being filled. `size` counts it with its aliases written out."""

    value: "list[object] | dict[str, object]"
    anchor: str | None
    size: int = 1
    key: str | None = None
    deepest: int = 0


@dataclass(slots=True)
class _Named:
    value: object
    size: int
    depth: int


@dataclass(slots=True)
class _Builder:
    opened: list[_Open] = field(default_factory=list)
    named: dict[str, _Named] = field(default_factory=dict)
    roots: list[object] = field(default_factory=list)

    def put(self, value: object, size: int, depth: int = 0) -> None:
        """Put a finished value where it belongs. In a mapping, keys and values take turns."""
        if not self.opened:
            self.roots.append(value)
            return
        holder = self.opened[-1]
        holder.size += size
        holder.deepest = max(holder.deepest, depth + 1)
        if holder.size > MOST_EXPANDED or len(self.opened) + depth > MOST_DEPTH:
            raise DataBroken("its aliases stand for too much, or it is nested too deeply")
        if isinstance(holder.value, list):
            holder.value.append(value)
        elif holder.key is None:
            holder.key = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        else:
            holder.value[holder.key] = value
            holder.key = None


def first_value(events: Iterable[DataEvent]) -> object:
    """The first value; the text is empty if there is none. Raises DataBroken."""
    builder = _Builder()
    for event in events:
        match event.kind:
            case "mapping":
                builder.opened.append(_Open({}, event.anchor))
            case "list":
                builder.opened.append(_Open([], event.anchor))
            case "end":
                done = builder.opened.pop()
                if done.anchor:
                    builder.named[done.anchor] = _Named(done.value, done.size, done.deepest)
                builder.put(done.value, done.size, done.deepest)
            case "scalar":
                if event.anchor:
                    builder.named[event.anchor] = _Named(event.value, len(event.value) + 1, 0)
                builder.put(event.value, len(event.value) + 1)
            case "alias":
                named = builder.named.get(event.value)
                if named is None:
                    raise DataBroken("an alias in it stands for nothing")
                builder.put(named.value, named.size, named.depth)
        if builder.roots:
            return builder.roots[0]
    return ""


def mapping(value: object) -> Mapping[str, object]:
    """The value if it is a mapping; an empty one otherwise."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> Sequence[object]:
    """The value if it is a list; an empty one otherwise."""
    return value if isinstance(value, list) else []


def scalar(value: object) -> str:
    """The value if it is a scalar; an empty text otherwise."""
    return value if isinstance(value, str) else ""


def in_one_line(value: object) -> str:
    """A scalar as it is, and anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def in_lines(value: object, indent: str = "") -> str:
    """The value as a person writes it in YAML: a line for each scalar, with its key."""
    lines: list[str] = []
    pairs = (
        [(f"{key}:", inner) for key, inner in value.items()]
        if isinstance(value, dict)
        else [("-", inner) for inner in value]
        if isinstance(value, list)
        else [("", value)]
    )
    for lead, inner in pairs:
        if isinstance(inner, str):
            parts = inner.strip("\n").split("\n")
            if len(parts) == 1:
                lines.append(f"{indent}{lead} {parts[0]}".rstrip() if lead else f"{indent}{parts[0]}")
            else:
                lines.append(f"{indent}{lead} |".lstrip() if not lead else f"{indent}{lead} |")
                lines.extend(f"{indent}  {part}" for part in parts)
        else:
            lines.append(f"{indent}{lead}")
            lines.append(in_lines(inner, indent + "  "))
    return "\n".join(line for line in lines if line.strip())
