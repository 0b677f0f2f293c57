"""The collections of one data folder: the catalogue on disk, and the shard of each collection, open."""

import os
import shutil
import threading
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from footnote_bridge.bodies import CreateAliasBody, CreateCollectionBody, DeleteAliasBody
from footnote_bridge.catalogue import Catalogue, CollectionRecord, read_catalogue, write_catalogue
from footnote_bridge.convert import to_config
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
            found.shards[name] = Shard.load(shards / record.folder)
        return found

    def open(self, name: str) -> tuple[CollectionRecord, Shard]:
        """The collection that a name or an alias stands for. Raises Refused (404) where there is none."""
        target = self.catalogue.resolve(name)
        if target is None:
            raise missing_collection(name)
        return self.catalogue.collections[target], self.shards[target]

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
            self.shards[name] = Shard.create(self.folder / "shards" / record.folder, to_config(body))
            collections = {**self.catalogue.collections, name: record}
            self._commit(Catalogue(collections=collections, aliases=self.catalogue.aliases))

    def change_aliases(self, actions: list[CreateAliasBody | DeleteAliasBody]) -> None:
        """Apply all actions or none."""
        with self._lock:
            aliases = dict(self.catalogue.aliases)
            for action in actions:
                self._change(aliases, action)
            self._commit(Catalogue(collections=self.catalogue.collections, aliases=aliases))

    def close(self) -> None:
        """Flush and close every shard."""
        with self._lock:
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
