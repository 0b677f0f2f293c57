"""Which collections and aliases there are: one small file, replaced whole, so that a crash leaves the old or the new one."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from footnote_bridge.body import Json, Record, record, required, text


@dataclass(frozen=True, slots=True)
class Entry:
    """A collection: the folder of its shard, the body that created it, and its metadata."""

    folder: str
    config: Record
    metadata: Record | None = None


@dataclass(frozen=True, slots=True)
class State:
    """What the file holds. Never changed in place: a change is a new state."""

    collections: dict[str, Entry] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    def resolve(self, name: str) -> str | None:
        """The collection that a name or an alias stands for."""
        target = self.aliases.get(name, name)
        return target if target in self.collections else None


def read_state(path: Path) -> State:
    """The state on disk, empty where there is no file yet."""
    try:
        content: Json = orjson.loads(path.read_bytes())
    except FileNotFoundError:
        return State()
    found = record(content, path.name)
    collections = {
        name: _to_entry(value, name) for name, value in record(found["collections"], path.name).items()
    }
    aliases = {alias: text(target, alias) for alias, target in record(found["aliases"], path.name).items()}
    return State(collections, aliases)


def write_state(path: Path, state: State) -> None:
    """Replace the file; on return the new state survives a loss of power."""
    beside = path.with_suffix(".new")
    with beside.open("wb") as file:
        file.write(orjson.dumps(state, option=orjson.OPT_INDENT_2))
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _to_entry(value: Json, name: str) -> Entry:
    found = record(value, name)
    metadata = record(found["metadata"], name) if "metadata" in found else None
    return Entry(
        text(required(found, "folder", name), name), record(required(found, "config", name), name), metadata
    )
