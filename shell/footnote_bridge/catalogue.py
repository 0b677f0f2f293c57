"""Which collections and aliases there are: one small file.

It is replaced as a whole, so that a crash leaves the old catalogue or the new one.
"""

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class CollectionRecord(BaseModel):
    """A collection: the folder of its shard, the body that created it, and its metadata.

    `in_graph`: how many points the shard had when its graph was built.
    """

    model_config = ConfigDict(frozen=True)

    folder: str
    config: dict[str, JsonValue]
    metadata: dict[str, JsonValue] | None = None
    in_graph: int = 0


class Catalogue(BaseModel):
    """What the file holds. It is never changed in place: a change is a new catalogue."""

    model_config = ConfigDict(frozen=True)

    collections: dict[str, CollectionRecord] = Field(default_factory=dict)
    aliases: dict[str, str] = Field(default_factory=dict)

    def resolve(self, name: str) -> str | None:
        """The collection that a name or an alias stands for."""
        target = self.aliases.get(name, name)
        return target if target in self.collections else None


def read_catalogue(path: Path) -> Catalogue:
    """The catalogue on disk, empty where there is no file yet."""
    try:
        return Catalogue.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Catalogue()


def write_catalogue(path: Path, catalogue: Catalogue) -> None:
    """Replace the file; on return the new catalogue survives a loss of power."""
    beside = path.with_suffix(".new")
    with beside.open("wb") as file:
        file.write(catalogue.model_dump_json(indent=2).encode())
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
