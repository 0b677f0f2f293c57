"""How a collection is laid out: from the body that creates it, or a payload index, to the engine's configuration."""

from typing import TypeAlias

import qdrant_edge as qe

from footnote_bridge.body import (
    Json,
    Record,
    bad,
    choice,
    flag,
    optional,
    record,
    required,
    text,
    whole,
)
from footnote_bridge.shards import EXACT, VACUUM_ONLY

IndexSchema: TypeAlias = (
    qe.KeywordIndexParams
    | qe.IntegerIndexParams
    | qe.FloatIndexParams
    | qe.GeoIndexParams
    | qe.TextIndexParams
    | qe.BoolIndexParams
    | qe.DatetimeIndexParams
    | qe.UuidIndexParams
)

# Members about replication, placement in memory, indexing and quantisation change no answer of one exact node.
CREATE = frozenset(
    {
        "vectors",
        "sparse_vectors",
        "metadata",
        "shard_number",
        "sharding_method",
        "replication_factor",
        "write_consistency_factor",
        "on_disk_payload",
        "payload",
        "id_tracker",
        "hnsw_config",
        "wal_config",
        "optimizers_config",
        "quantization_config",
        "strict_mode_config",
    }
)
_DENSE = frozenset(
    {
        "size",
        "distance",
        "on_disk",
        "memory",
        "multivector_config",
        "datatype",
        "hnsw_config",
        "quantization_config",
    }
)
_DISTANCES = {
    "Cosine": qe.Distance.Cosine,
    "Dot": qe.Distance.Dot,
    "Euclid": qe.Distance.Euclid,
    "Manhattan": qe.Distance.Manhattan,
}
_DATATYPES = {
    "float32": qe.VectorStorageDatatype.Float32,
    "float16": qe.VectorStorageDatatype.Float16,
    "uint8": qe.VectorStorageDatatype.Uint8,
}
_TOKENIZERS = {
    "prefix": qe.TokenizerType.Prefix,
    "whitespace": qe.TokenizerType.Whitespace,
    "word": qe.TokenizerType.Word,
    "multilingual": qe.TokenizerType.Multilingual,
}
_PLACEMENT = frozenset({"type", "on_disk", "memory", "enable_hnsw"})
_TEXT = frozenset(
    {"tokenizer", "min_token_len", "max_token_len", "lowercase", "ascii_folding", "phrase_matching"}
)


def to_config(body: Record) -> qe.EdgeConfig:
    """The engine's configuration for a body that creates a collection."""
    vectors = body.get("vectors", {})
    if isinstance(vectors, dict) and "size" in vectors:
        dense: qe.EdgeVectorParams | dict[str, qe.EdgeVectorParams] = _to_dense(vectors, "vectors")
    else:
        dense = {
            name: _to_dense(params, f"vectors.{name}") for name, params in record(vectors, "vectors").items()
        }
    sparse = record(body.get("sparse_vectors", {}), "sparse_vectors")
    if not dense and not sparse:
        raise bad("a collection needs vectors")
    return qe.EdgeConfig(
        vectors=dense,
        sparse_vectors={
            name: _to_sparse(params, f"sparse_vectors.{name}") for name, params in sparse.items()
        },
        hnsw_config=EXACT,
        optimizers=VACUUM_ONLY,
    )


def _to_dense(value: Json, where: str) -> qe.EdgeVectorParams:
    found = record(value, where, _DENSE)
    return qe.EdgeVectorParams(
        size=whole(required(found, "size", where), f"{where}.size"),
        distance=choice(_DISTANCES)(required(found, "distance", where), f"{where}.distance"),
        multivector_config=optional(_to_multivector, found, "multivector_config", where),
        datatype=optional(choice(_DATATYPES), found, "datatype", where),
    )


def _to_multivector(value: Json, where: str) -> qe.MultiVectorConfig:
    found = record(value, where, frozenset({"comparator"}))
    comparator = choice({"max_sim": qe.MultiVectorComparator.MaxSim})
    return qe.MultiVectorConfig(comparator(required(found, "comparator", where), where))


def _to_sparse(value: Json, where: str) -> qe.EdgeSparseVectorParams:
    found = record(value, where, frozenset({"index", "modifier"}))
    modifiers: dict[str, qe.Modifier | None] = {"idf": qe.Modifier.Idf, "none": None}
    return qe.EdgeSparseVectorParams(modifier=optional(choice(modifiers), found, "modifier", where))


def to_index(value: Json, where: str = "field_schema") -> IndexSchema:
    """A payload index, named by its type or with parameters."""
    found = record({"type": value} if isinstance(value, str) else value, where)
    kind = text(required(found, "type", where), where)
    match kind:
        case "keyword":
            record(found, where, _PLACEMENT | {"is_tenant", "prefix"})
            return qe.KeywordIndexParams(
                is_tenant=optional(flag, found, "is_tenant", where),
                prefix=optional(flag, found, "prefix", where),
            )
        case "integer":
            record(found, where, _PLACEMENT | {"lookup", "range", "is_principal"})
            return qe.IntegerIndexParams(
                lookup=optional(flag, found, "lookup", where), range=optional(flag, found, "range", where)
            )
        case "text":
            record(found, where, _PLACEMENT | _TEXT)
            return qe.TextIndexParams(
                tokenizer=optional(choice(_TOKENIZERS), found, "tokenizer", where),
                min_token_len=optional(whole, found, "min_token_len", where),
                max_token_len=optional(whole, found, "max_token_len", where),
                lowercase=optional(flag, found, "lowercase", where),
                ascii_folding=optional(flag, found, "ascii_folding", where),
                phrase_matching=optional(flag, found, "phrase_matching", where),
            )
    record(found, where, _PLACEMENT | {"is_tenant", "is_principal"})
    plain: dict[str, IndexSchema] = {
        "float": qe.FloatIndexParams(),
        "geo": qe.GeoIndexParams(),
        "bool": qe.BoolIndexParams(),
        "datetime": qe.DatetimeIndexParams(),
        "uuid": qe.UuidIndexParams(),
    }
    return choice(plain)(kind, where)
