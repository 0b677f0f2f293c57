"""The collections of one data folder: the catalogue on disk, and the shard of each collection, open."""

import json
import os
import shutil
import subprocess
import sys
import threading
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from footnote_bridge.bodies import CreateAliasBody, CreateCollectionBody, DeleteAliasBody
from footnote_bridge.catalogue import Catalogue, CollectionRecord, read_catalogue, write_catalogue
from footnote_bridge.convert import to_config
from footnote_bridge.following import dimension_of
from footnote_bridge.refused import Refused, existing_collection, missing_collection, wrong_input
from footnote_bridge.shards import Shard

_CATALOGUE = "registry.json"
_UNUSABLE_IN_NAMES = frozenset('<>:"/\\|?*\0')
_LONGEST_NAME_BYTES = 255


@dataclass(slots=True)
class Collections:
    """All collections of one data folder. There is one per process, which holds the folder's lock."""

    folder: Path
    catalogue: Catalogue
    shards: dict[str, Shard] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _builder: subprocess.Popen[bytes] | None = None
    _closed: bool = False

    @classmethod
    def load(cls, folder: Path) -> "Collections":
        """Open what the catalogue names, and remove the folders that a crash in `create` left behind."""
        found = cls(folder, read_catalogue(folder / _CATALOGUE))
        shards = folder / "shards"
        shards.mkdir(exist_ok=True)
        named = {record.folder for record in found.catalogue.collections.values()}
        for path in shards.iterdir():
            if path.name not in named:
                shutil.rmtree(path)
        for name, record in found.catalogue.collections.items():
            body = CreateCollectionBody.model_validate(record.config)
            found.shards[name] = Shard.load(shards / record.folder, dimension_of(body))
        return found

    def open(self, name: str) -> tuple[CollectionRecord, Shard]:
        """The collection that a name or an alias stands for. Raises Refused (404) where there is none."""
        catalogue = self.catalogue
        target = catalogue.resolve(name)
        shard = self.shards.get(target) if target is not None else None
        if target is None or shard is None:
            raise missing_collection(name)
        return catalogue.collections[target], shard

    def shard(self, name: str) -> Shard:
        """The shard of a collection or an alias. Raises Refused (404) where there is none."""
        return self.open(name)[1]

    def create(self, name: str, body: CreateCollectionBody) -> None:
        """Make the shard, then its name: a crash in between leaves a folder that the next start removes."""
        if not name or len(os.fsencode(name)) > _LONGEST_NAME_BYTES or _UNUSABLE_IN_NAMES & set(name):
            raise wrong_input(f"`{name}` cannot name a collection")
        config = body.model_dump(exclude_none=True, exclude={"metadata"})
        with self._lock:
            if name in self.catalogue.collections:
                raise existing_collection(name)
            if name in self.catalogue.aliases:
                raise wrong_input(f"an alias `{name}` already exists")
            record = CollectionRecord(folder=uuid.uuid4().hex, config=config, metadata=body.metadata)
            folder = self.folder / "shards" / record.folder
            self.shards[name] = Shard.create(folder, to_config(body), dimension_of(body))
            collections = {**self.catalogue.collections, name: record}
            self._commit(Catalogue(collections=collections, aliases=self.catalogue.aliases))

    def drop(self, name: str) -> bool:
        """Remove a collection and the aliases that stand for it. False if there is none, as Qdrant answers.

        The catalogue forgets it first: a crash leaves a folder that the next start removes.
        """
        with self._lock:
            record = self.catalogue.collections.get(name)
            if record is None:
                return False
            collections = {other: kept for other, kept in self.catalogue.collections.items() if other != name}
            aliases = {alias: target for alias, target in self.catalogue.aliases.items() if target != name}
            self._commit(Catalogue(collections=collections, aliases=aliases))
            self.shards.pop(name).close()
        shutil.rmtree(self.folder / "shards" / record.folder, ignore_errors=True)
        return True

    def change_aliases(self, actions: list[CreateAliasBody | DeleteAliasBody]) -> None:
        """Apply all actions or none."""
        with self._lock:
            aliases = dict(self.catalogue.aliases)
            for action in actions:
                self._change(aliases, action)
            self._commit(Catalogue(collections=self.catalogue.collections, aliases=aliases))

    def rebuild_due(self, name: str) -> bool:
        """Whether the shard has enough points outside its graph, or enough that is dead."""
        record, shard = self.open(name)
        return shard.rebuild_due(record.in_graph)

    def rebuild(self, name: str) -> None:
        """Give a shard a graph over all its points. Searches and updates go on; takes minutes.

        A copy is rebuilt by a process of its own and then takes the place of the shard. A crash leaves the
        shard as it was, and a folder that the next start removes.
        """
        record, shard = self.open(name)
        shards = self.folder / "shards"
        fresh = record.model_copy(update={"folder": uuid.uuid4().hex})
        try:
            points = shard.copy(shards / record.folder, shards / fresh.folder)
            self._build(shards / fresh.folder, record)
            named = fresh.model_copy(update={"in_graph": points})
            shard.adopt(shards / fresh.folder, lambda: self._put(name, named))
        except BaseException:
            shard.forget_copy()
            shutil.rmtree(shards / fresh.folder, ignore_errors=True)
            raise
        # What a search still reads there stays until it ends.
        shutil.rmtree(shards / record.folder, ignore_errors=True)

    def _build(self, folder: Path, record: CollectionRecord) -> None:
        with self._lock:
            if self._closed:
                raise Refused("Service internal error: the server is stopping", status=503)
            self._builder = subprocess.Popen(
                [sys.executable, "-m", "footnote_bridge.rebuild", str(folder)], stdin=subprocess.PIPE
            )
        self._builder.communicate(json.dumps(record.config).encode())
        if self._builder.returncode:
            raise Refused(
                f"Service internal error: building a graph ended with {self._builder.returncode}", status=500
            )

    def _put(self, name: str, record: CollectionRecord) -> None:
        with self._lock:
            collections = {**self.catalogue.collections, name: record}
            self._commit(Catalogue(collections=collections, aliases=self.catalogue.aliases))

    def close(self) -> None:
        """Flush and close every shard. A rebuild that is under way is given up."""
        with self._lock:
            self._closed = True
            if self._builder is not None:
                self._builder.kill()
            for shard in self.shards.values():
                shard.close()

    def _change(self, aliases: dict[str, str], action: CreateAliasBody | DeleteAliasBody) -> None:
        match action:
            case CreateAliasBody(create_alias=made):
                if made.collection_name not in self.catalogue.collections:
                    raise missing_collection(made.collection_name)
                if made.alias_name in self.catalogue.collections:
                    raise existing_collection(made.alias_name)
                aliases[made.alias_name] = made.collection_name
            case DeleteAliasBody(delete_alias=named):
                if aliases.pop(named.alias_name, None) is None:
                    raise Refused(f"Not found: Alias {named.alias_name} does not exists!", status=404)

    def _commit(self, catalogue: Catalogue) -> None:
        write_catalogue(self.folder / _CATALOGUE, catalogue)
        self.catalogue = catalogue
