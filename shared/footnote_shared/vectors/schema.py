"""The layout of a lane in Qdrant: names, vectors, payload indexes, and the lane's fingerprint (spec 1.6)."""

from collections.abc import Mapping
from dataclasses import asdict

from pydantic import TypeAdapter, ValidationError
from qdrant_client import models

from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.kernel.vector_values import TERMS_VERSION, LaneFingerprint
from footnote_shared.settings.stores import Quantisation
from footnote_shared.vectors.protocol import LaneVersion, version_name
from footnote_shared.vectors.shard_keys import UNDIVIDED

DENSE = "dense"
SPARSE = "sparse"

# Every search is filtered by workspace, so each workspace has a graph of its own (Qdrant's guide to
# multitenancy). For the other fields, links per value would cost much and help little.
VECTORS_GRAPH = models.HnswConfigDiff(m=0, payload_m=16)

_FINGERPRINT = "fingerprint"
_TERMS = "terms"
_SHARD_KEYS = "shard_keys"
_fingerprints = TypeAdapter(LaneFingerprint)


def alias_of(lane: str) -> str:
    """The name under which a lane is read and written."""
    return f"footnote-{lane}"


def collection_of(lane: str, version: int) -> str:
    """The collection that holds one version of a lane."""
    return alias_of(version_name(lane, version))


def dense_config(
    fingerprint: LaneFingerprint, quantisation: Quantisation = "none"
) -> dict[str, models.VectorParams]:
    """The dense vectors, as they are kept in memory."""
    plain = models.VectorParams(size=fingerprint.dimension, distance=models.Distance.COSINE)
    if quantisation == "none":
        return {DENSE: plain}
    bytes_in_memory = models.ScalarQuantization(
        scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
    )
    return {
        DENSE: plain.model_copy(update={"on_disk": True, "quantization_config": bytes_in_memory}, deep=True)
    }


def sparse_config() -> dict[str, models.SparseVectorParams]:
    return {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)}


def payload_indexes() -> dict[str, models.PayloadSchemaParams]:
    """An index for every key that a filter can name."""
    keyword = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, enable_hnsw=False)
    integer = models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, enable_hnsw=False)
    keywords = (
        "avatar_id",
        "document_id",
        "chunk_id",
        "folder_ids",
        "connector_id",
        "source_type",
        "kind",
        "document_type",
        "groups",
        "session_id",
    )
    return {
        "workspace_id": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
        **dict.fromkeys(keywords, keyword),
        "ordinal": integer,
        "version": integer,
        "is_public": models.BoolIndexParams(type=models.BoolIndexType.BOOL, enable_hnsw=False),
        "created_at": models.DatetimeIndexParams(type=models.DatetimeIndexType.DATETIME, enable_hnsw=False),
    }


def check_index_types(collection: str, found: Mapping[str, str]) -> None:
    """Raise Misconfigured unless each index that is there has the type that its filters need.

    `found` has the type of each index by its field. A filter over an index of another type finds nothing, and
    says nothing.
    """
    for field, schema in payload_indexes().items():
        kind = found.get(field)
        if kind is not None and kind != schema.type.value:
            raise Misconfigured(
                f"The index over {field!r} in the collection {collection!r} of Qdrant is of the type {kind}, "
                f"and {schema.type.value} is needed. Send DELETE /collections/{collection}/index/{field} to "
                "Qdrant and start again: the index is made anew from the points that are there."
            )


def to_metadata(fingerprint: LaneFingerprint, keys: int = UNDIVIDED) -> dict[str, object]:
    made = {_FINGERPRINT: asdict(fingerprint), _TERMS: TERMS_VERSION}
    return made if keys == UNDIVIDED else {**made, _SHARD_KEYS: keys}


def shard_keys_of(metadata: Mapping[str, object] | None) -> int:
    """Among how many shard keys the workspaces of a collection are divided, or `UNDIVIDED`."""
    found = (metadata or {}).get(_SHARD_KEYS, UNDIVIDED)
    return found if isinstance(found, int) else UNDIVIDED


def terms_of(lane: str, metadata: dict[str, object] | None) -> int:
    """The version of the terms in a lane. A lane that does not name one is from before there were versions.

    Raises Misconfigured for a version that this release does not know.
    """
    found = (metadata or {}).get(_TERMS, 1)
    if not isinstance(found, int) or not 1 <= found <= TERMS_VERSION:
        raise Misconfigured(
            f"The lane {lane!r} holds terms of version {found!r}, and this release knows those up to "
            f"{TERMS_VERSION}. A newer release made the lane: use that one."
        )
    return found


def version_of(lane: str, collection: str, metadata: dict[str, object] | None) -> LaneVersion:
    """The version that a collection holds. Raises Misconfigured for a collection that we have not made."""
    return LaneVersion(number_of(lane, collection), fingerprint_of(lane, metadata), terms_of(lane, metadata))


def number_of(lane: str, collection: str) -> int:
    """The number of that version, by the collection's name. Raises Misconfigured as `version_of` does."""
    number = collection.removeprefix(f"{alias_of(lane)}-v")
    if not number.isdecimal():
        raise Misconfigured(
            f"The lane {lane!r} stands for the collection {collection!r}, which Footnote has not made."
        )
    return int(number)


def fingerprint_of(lane: str, metadata: dict[str, object] | None) -> LaneFingerprint:
    """What the vectors of a collection were made with. Raises Misconfigured if we have not made it."""
    try:
        return _fingerprints.validate_python((metadata or {}).get(_FINGERPRINT))
    except ValidationError:
        raise Misconfigured(
            f"The collection behind the lane {lane!r} has no fingerprint of Footnote, so another program "
            "made it. Rename or remove it."
        ) from None


def check_fingerprint(lane: str, metadata: dict[str, object] | None, wanted: LaneFingerprint) -> None:
    """Raise Misconfigured, with both fingerprints, unless the lane was made for this one."""
    found = fingerprint_of(lane, metadata)
    if found != wanted:
        raise Misconfigured(
            f"The lane {lane!r} holds vectors of {found}, but this service is configured for {wanted}. The "
            "two cannot be compared. Go back to the former embedding settings, or re-embed the lane."
        )
