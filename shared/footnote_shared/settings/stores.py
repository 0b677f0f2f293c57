"""The settings of the stores: where data lies and how it is reached."""

from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import AliasChoices, BaseModel, Field, SecretStr, field_validator

from footnote_shared.kernel.stream_servers import server_name

Quantisation: TypeAlias = Literal["none", "scalar"]


class StoreSettings(BaseModel):
    """Where data lives."""

    data: Path = Field(
        Path(".footnote"),
        description="Folder of the embedded stores, logs, caches and the first key. `footnote up` closes it "
        "to other users.",
    )
    cache: Path | None = Field(
        None,
        description="Folder of what can be made anew, such as exports of models. Empty: the folder cache in "
        "the data folder.",
    )
    database_url: str = Field(
        "",
        validation_alias=AliasChoices("FOOTNOTE_DATABASE_URL", "DATABASE_URL"),
        description="SQLAlchemy URL of SQLite or PostgreSQL (postgresql://...). Empty: SQLite in the data "
        "folder.",
    )
    database_pool: int = Field(
        10,
        ge=1,
        description="Connections to the database that one process keeps open. It opens up to as many more "
        "while they are needed.",
    )
    database_answer_s: float = Field(
        5.0,
        gt=0,
        le=60,
        description="How many seconds a request waits for a statement on PostgreSQL. The answer is then 503. "
        "Workers and migrations are more patient.",
    )
    chunk_partitions: int = Field(
        0,
        ge=0,
        le=256,
        description="Into how many parts `footnote migrate` divides the table of chunks on PostgreSQL, by a "
        "hash of the document. 0: it stays whole. The rows are copied, and meanwhile nobody reads or writes "
        "them; a table that is divided stays as it is.",
    )
    sqlite_synchronous: Literal["NORMAL", "FULL"] = Field(
        "FULL", description="FULL survives a loss of power. NORMAL is faster and survives a killed process."
    )
    redis_url: str = Field(
        "redis://127.0.0.1:6379/0",
        validation_alias=AliasChoices("FOOTNOTE_REDIS_URL", "REDIS_URL"),
        description="Redis 6.2 or newer. `footnote up` starts one itself, with a random password, if this is "
        "not set.",
    )
    stream_redis_urls: list[str] = Field(
        default_factory=list,
        description="Addresses of Redis among which the streams of turns are divided, each turn by a hash of "
        'its id, as JSON: ["redis://:PASSWORD@one:6379/0", "redis://:PASSWORD@two:6379/0"]. Empty: all are '
        "in FOOTNOTE_REDIS_URL, which keeps everything else in any case. The agent, the resolver and the "
        "workers need the same list, and are started anew together when it changes.",
    )
    qdrant_url: str = Field(
        "http://127.0.0.1:6333",
        validation_alias=AliasChoices("FOOTNOTE_QDRANT_URL", "QDRANT_URL"),
        description="Qdrant over HTTP. `footnote up` starts the loopback bridge itself when this is not set.",
    )
    qdrant_api_key: SecretStr = Field(
        SecretStr(""), description="API key of Qdrant, if it asks for one. The loopback bridge makes its own."
    )
    quantisation: Quantisation = Field(
        "none",
        description="How Qdrant keeps vectors in memory: none: in numbers of four bytes. scalar: in one byte "
        "for each, with whole numbers on disk, by which what is found is scored again. It holds for lanes "
        "that are made from then on.",
    )
    qdrant_shard_keys: int = Field(
        0,
        ge=0,
        le=1024,
        description="For a cluster of Qdrant: among how many shard keys the workspaces of a lane are "
        "divided, each workspace by a hash of its id. A search then goes to the shards of one key. 0: Qdrant "
        "divides points by their ids, and a search goes to all shards. It holds for lanes that are made from "
        "then on.",
    )
    blob_url: str = Field(
        "", description="s3://bucket/prefix, or a folder. Empty: the folder blobs in the data folder."
    )
    blob_options: dict[str, str] = Field(
        default_factory=dict,
        description="Options of the object store as JSON: endpoint, region, access_key_id ...",
    )

    @field_validator("stream_redis_urls")
    @classmethod
    def _differ(cls, urls: list[str]) -> list[str]:
        if len({server_name(url) for url in urls}) < len(urls):
            raise ValueError("an address is named twice")
        return urls

    @property
    def stream_servers(self) -> dict[str, str]:
        """The addresses of Redis that keep streams of turns, by the names that all processes call them."""
        return {server_name(url): url for url in self.stream_redis_urls or [self.redis_url]}

    @property
    def cache_dir(self) -> Path:
        """Where exports of models are kept."""
        return self.cache or self.data / "cache"

    @property
    def key_file(self) -> Path:
        """Where an embedded run keeps its first API key (spec 9.1)."""
        return self.data / "api_key"

    @property
    def link_key_file(self) -> Path:
        """The key of the link by which `footnote up` signs a browser in."""
        return self.data / "link_key"

    @property
    def sql_url(self) -> str:
        """The URL of the database, with the driver that Footnote uses."""
        url = self.database_url or f"sqlite:///{(self.data / 'footnote.db').absolute()}"
        for plain in ("postgresql://", "postgres://"):
            if url.startswith(plain):
                return "postgresql+psycopg://" + url.removeprefix(plain)
        return url
