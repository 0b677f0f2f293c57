"""Collections, aliases and payload indexes: what is there, and the routes that change it."""

import os
import shutil
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import qdrant_edge as qe

from footnote_bridge.body import (
    Json,
    Record,
    Refused,
    bad,
    items,
    missing_collection,
    record,
    required,
    text,
)
from footnote_bridge.registry import Entry, State, read_state, write_state
from footnote_bridge.schema import CREATE, to_config, to_index
from footnote_bridge.shards import Shard, engine_errors

_UNUSABLE_IN_NAMES = frozenset('<>:"/\\|?*\0')


@dataclass(frozen=True, slots=True)
class Call:
    """One request as a route sees it: the names in its path and its body."""

    path: dict[str, str]
    body: Json = None

    @property
    def collection(self) -> str:
        return self.path["collection"]


@dataclass(slots=True)
class Collections:
    """All collections of one data folder, each with its shard open. One per process."""

    folder: Path
    state: State = field(default_factory=State)
    shards: dict[str, Shard] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def load(cls, folder: Path) -> "Collections":
        """Open what the registry names, and remove folders that it does not: leftovers of a creation or deletion."""
        found = cls(folder, read_state(folder / "registry.json"))
        (folder / "shards").mkdir(exist_ok=True)
        named = {entry.folder for entry in found.state.collections.values()}
        for path in (folder / "shards").iterdir():
            if path.name not in named:
                shutil.rmtree(path)
        for name, entry in found.state.collections.items():
            found.shards[name] = Shard.load(folder / "shards" / entry.folder)
        return found

    def shard(self, name: str) -> Shard:
        """The shard of a collection or an alias."""
        found = self.shards.get(self.resolve(name))
        if found is None:
            raise missing_collection(name)
        return found

    def resolve(self, name: str) -> str:
        target = self.state.resolve(name)
        if target is None:
            raise missing_collection(name)
        return target

    def create(self, name: str, body: Record) -> None:
        """The shard first, then its name: a crash in between leaves a folder that the next start removes."""
        config = to_config(body)
        with self._lock:
            if name in self.state.collections:
                raise Refused(f"Wrong input: Collection `{name}` already exists!", status=409)
            if name in self.state.aliases:
                raise bad(f"an alias `{name}` already exists")
            metadata = record(body["metadata"], "metadata") if "metadata" in body else None
            entry = Entry(uuid.uuid4().hex, {k: v for k, v in body.items() if k != "metadata"}, metadata)
            shard = Shard.create(self.folder / "shards" / entry.folder, config)
            self.shards[name] = shard
            self._commit(replace(self.state, collections={**self.state.collections, name: entry}))

    def delete(self, name: str) -> bool:
        """The name first, then the shard; aliases of the collection go with it."""
        with self._lock:
            entry = self.state.collections.get(name)
            if entry is None:
                return False
            collections = {key: value for key, value in self.state.collections.items() if key != name}
            aliases = {alias: target for alias, target in self.state.aliases.items() if target != name}
            self._commit(State(collections, aliases))
            self.shards.pop(name).close()
            shutil.rmtree(self.folder / "shards" / entry.folder)
            return True

    def update(self, change: Callable[[State], State]) -> None:
        """Change the registry in one step."""
        with self._lock:
            self._commit(change(self.state))

    def close(self) -> None:
        with self._lock:
            for shard in self.shards.values():
                shard.close()

    def _commit(self, state: State) -> None:
        write_state(self.folder / "registry.json", state)
        self.state = state


def list_collections(collections: Collections, call: Call) -> object:
    return {"collections": [{"name": name} for name in sorted(collections.state.collections)]}


def collection_exists(collections: Collections, call: Call) -> object:
    return {"exists": collections.state.resolve(call.collection) is not None}


def create_collection(collections: Collections, call: Call) -> object:
    name = call.collection
    if not name or len(os.fsencode(name)) > 255 or _UNUSABLE_IN_NAMES & set(name):
        raise bad(f"`{name}` cannot name a collection")
    collections.create(name, record(call.body, "the body", CREATE))
    return True


def update_collection(collections: Collections, call: Call) -> object:
    """Only metadata can be changed: members are added or replaced."""
    changes = record(record(call.body, "the body", frozenset({"metadata"})).get("metadata", {}), "metadata")
    name = collections.resolve(call.collection)

    def change(state: State) -> State:
        if name not in state.collections:
            raise missing_collection(name)
        entry = state.collections[name]
        changed = replace(entry, metadata={**(entry.metadata or {}), **changes})
        return replace(state, collections={**state.collections, name: changed})

    collections.update(change)
    return True


def delete_collection(collections: Collections, call: Call) -> object:
    return collections.delete(collections.state.aliases.get(call.collection, call.collection))


def describe_collection(collections: Collections, call: Call) -> object:
    shard = collections.shard(call.collection)
    state = collections.state
    name = state.resolve(call.collection)
    if name is None:
        raise missing_collection(call.collection)
    entry = state.collections[name]
    with engine_errors():
        info = shard.engine.info()
    return {
        "status": "green",
        "optimizer_status": "ok",
        "points_count": info.points_count,
        "indexed_vectors_count": info.indexed_vectors_count,
        "segments_count": info.segments_count,
        "payload_schema": {
            key: {"data_type": _type_name(index.data_type), "points": index.points}
            for key, index in info.payload_schema.items()
        },
        "config": {
            "params": {
                "vectors": entry.config.get("vectors", {}),
                "sparse_vectors": entry.config.get("sparse_vectors"),
                "shard_number": 1,
                "replication_factor": 1,
                "write_consistency_factor": 1,
                "on_disk_payload": True,
            },
            "hnsw_config": {"m": 0, "payload_m": 0, "ef_construct": 100, "full_scan_threshold": 10_000},
            "optimizer_config": {"default_segment_number": 0, "flush_interval_sec": 5},
            "metadata": entry.metadata,
        },
    }


def _type_name(kind: qe.PayloadSchemaType) -> str:
    return str(kind).rsplit(".", 1)[-1].lower()


def create_index(collections: Collections, call: Call) -> object:
    body = record(call.body, "the body", frozenset({"field_name", "field_schema"}))
    field_name = text(required(body, "field_name", "the body"), "field_name")
    schema = to_index(required(body, "field_schema", "the body"))
    return _applied(collections, call, qe.UpdateOperation.create_field_index(field_name, schema))


def delete_index(collections: Collections, call: Call) -> object:
    return _applied(collections, call, qe.UpdateOperation.delete_field_index(call.path["field"]))


def _applied(collections: Collections, call: Call, update: qe.UpdateOperation) -> object:
    return {"operation_id": collections.shard(call.collection).apply([update], 1), "status": "completed"}


def list_aliases(collections: Collections, call: Call) -> object:
    """All aliases, or those of the collection in the path."""
    wanted = collections.resolve(call.collection) if "collection" in call.path else None
    pairs = sorted(collections.state.aliases.items())
    return {
        "aliases": [
            {"alias_name": alias, "collection_name": target}
            for alias, target in pairs
            if wanted in (None, target)
        ]
    }


def update_aliases(collections: Collections, call: Call) -> object:
    """Apply all actions or none."""
    body = record(call.body, "the body", frozenset({"actions"}))
    actions = [
        record(action, "actions") for action in items(required(body, "actions", "the body"), "actions")
    ]

    def change(state: State) -> State:
        for action in actions:
            state = _alias_action(state, action)
        return state

    collections.update(change)
    return True


def _alias_action(state: State, action: Record) -> State:
    if len(action) != 1:
        raise bad("an alias action has exactly one member")
    kind, content = next(iter(action.items()))
    found = {key: text(value, kind) for key, value in record(content, kind).items()}
    aliases = dict(state.aliases)
    match kind, found:
        case "create_alias", {"alias_name": alias, "collection_name": target}:
            if target not in state.collections:
                raise missing_collection(target)
            if alias in state.collections:
                raise Refused(f"Wrong input: Collection `{alias}` already exists!", status=409)
            aliases[alias] = target
        case "delete_alias", {"alias_name": alias}:
            _known_alias(aliases, alias)
            del aliases[alias]
        case "rename_alias", {"old_alias_name": old, "new_alias_name": new}:
            _known_alias(aliases, old)
            if new in state.collections:
                raise Refused(f"Wrong input: Collection `{new}` already exists!", status=409)
            aliases[new] = aliases.pop(old)
        case _:
            raise bad(f"alias actions of the kind `{kind}` are not served here")
    return replace(state, aliases=aliases)


def _known_alias(aliases: dict[str, str], alias: str) -> None:
    if alias not in aliases:
        raise Refused(f"Not found: Alias {alias} does not exists!", status=404)
