"""The collections of Qdrant that hold the versions of a lane, and the alias by which one is live."""

from qdrant_client import AsyncQdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from footnote_shared.kernel.errors import OurFault
from footnote_shared.kernel.vector_values import LaneFingerprint
from footnote_shared.settings.stores import Quantisation
from footnote_shared.vectors.qdrant_errors import answered
from footnote_shared.vectors.schema import (
    VECTORS_GRAPH,
    alias_of,
    check_fingerprint,
    check_index_types,
    collection_of,
    dense_config,
    payload_indexes,
    shard_keys_of,
    sparse_config,
    to_metadata,
)
from footnote_shared.vectors.shard_keys import UNDIVIDED, shard_keys


class QdrantCollections:
    """Makes, names and removes them. `quantisation` and `keys` are those of collections made from now on."""

    def __init__(self, client: AsyncQdrantClient, quantisation: Quantisation, keys: int) -> None:
        self._client = client
        self._quantisation = quantisation
        self._keys = keys

    async def open(self, lane: str, fingerprint: LaneFingerprint) -> None:
        """Make the lane ready.

        The alias comes last: once it is there, the collection and its indexes are complete.
        """
        collection = await self.target(lane)
        name = collection or collection_of(lane, 1)
        if collection is None:
            await self._create(name, fingerprint)
        await self._complete(lane, name, fingerprint)
        if collection is None:
            await self.point_alias(lane, name)

    async def make(self, lane: str, number: int, fingerprint: LaneFingerprint) -> None:
        """Make an empty version of a lane, if it is not there."""
        name = collection_of(lane, number)
        await self._create(name, fingerprint)
        await self._complete(lane, name, fingerprint)

    async def drop(self, lane: str, number: int) -> None:
        """Remove a version. Raises OurFault for the live one."""
        name = collection_of(lane, number)
        if await self.target(lane) == name:
            raise OurFault(f"Version {number} of the lane {lane!r} is live and cannot be removed.")
        await answered(lambda: self._client.delete_collection(name))

    async def target(self, lane: str) -> str | None:
        """The collection that the lane's alias stands for."""
        aliases = await answered(self._client.get_aliases)
        targets = {alias.alias_name: alias.collection_name for alias in aliases.aliases}
        return targets.get(alias_of(lane))

    async def metadata(self, name: str) -> dict[str, object] | None:
        """What a collection says of itself; by its name or by an alias."""
        info = await answered(lambda: self._client.get_collection(name))
        return info.config.metadata

    async def point_alias(self, lane: str, name: str) -> None:
        """One operation, so nobody ever finds no alias. Creating one that is there moves it."""
        alias = models.CreateAlias(collection_name=name, alias_name=alias_of(lane))
        actions = [models.CreateAliasOperation(create_alias=alias)]
        await answered(lambda: self._client.update_collection_aliases(actions))

    async def _create(self, name: str, fingerprint: LaneFingerprint) -> None:
        async def create() -> None:
            try:
                await self._client.create_collection(
                    name,
                    vectors_config=dense_config(fingerprint, self._quantisation),
                    sparse_vectors_config=sparse_config(),
                    hnsw_config=VECTORS_GRAPH,
                    sharding_method=None if self._keys == UNDIVIDED else models.ShardingMethod.CUSTOM,
                    metadata=to_metadata(fingerprint, self._keys),
                )
            except UnexpectedResponse as error:
                # Another process was first, or this is a retry and the first try had succeeded.
                if error.status_code != 409:
                    raise

        await answered(create)

    async def _complete(self, lane: str, name: str, fingerprint: LaneFingerprint) -> None:
        """Check what the collection was made for, and make the shard keys and indexes that it lacks."""
        info = await answered(lambda: self._client.get_collection(name))
        check_fingerprint(lane, info.config.metadata, fingerprint)
        check_index_types(name, {key: one.data_type.value for key, one in info.payload_schema.items()})
        wanted = shard_keys(shard_keys_of(info.config.metadata))
        if wanted:
            there = await self._shard_keys(name)
            for key in wanted:
                if key not in there:
                    await self._make_shard_key(name, key)
        for field, schema in payload_indexes().items():
            if field not in info.payload_schema:
                await self._index(name, field, schema)

    async def _shard_keys(self, name: str) -> set[str | int]:
        found = await answered(lambda: self._client.list_shard_keys(name))
        return {one.key for one in found.shard_keys or []}

    async def _make_shard_key(self, name: str, key: str | int) -> None:
        async def make() -> None:
            try:
                await self._client.create_shard_key(name, key)
            except UnexpectedResponse as error:
                # As above; Qdrant answers 400 here.
                if b"already exists" not in error.content:
                    raise

        await answered(make)

    async def _index(self, collection: str, field: str, schema: models.PayloadSchemaParams) -> None:
        await answered(lambda: self._client.create_payload_index(collection, field, schema, wait=True))
