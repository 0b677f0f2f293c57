"""What embedding and the vector index both speak of: sparse vectors, and what makes vectors comparable."""

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import lru_cache

TERMS_VERSION = 2
"""The reading of text as terms that new lanes are made with. 2 has identifiers (docs/adr/0041)."""


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term weights: `values[i]` is the weight of term `indices[i]`. A text of stop words has none."""

    indices: list[int]
    values: list[float]

    def __post_init__(self) -> None:
        if len(self.indices) != len(self.values):
            raise ValueError(f"a sparse vector has {len(self.indices)} indices and {len(self.values)} values")

    def __bool__(self) -> bool:
        return bool(self.indices)


@dataclass(frozen=True, slots=True)
class LaneFingerprint:
    """What decides whether vectors may be compared: those with equal fingerprints may (spec 1.6)."""

    model: str
    revision: str
    dimension: int
    query_prefix: str
    document_prefix: str
    normalised: bool

    @property
    def digest(self) -> str:
        """16 hex digits that change with any field; part of cache keys."""
        return _digest_of(self)


@lru_cache(maxsize=64)
def _digest_of(fingerprint: LaneFingerprint) -> str:
    """Each search asks for it."""
    plain = json.dumps(asdict(fingerprint), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(plain.encode()).hexdigest()[:16]
