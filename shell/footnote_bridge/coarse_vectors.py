"""Vectors with a byte for each number, by which most points are told to be too far from a query. Pure.

A vector x is kept as x = s * c + r: whole numbers c from -127 to 127, a scale s, and a rest r of which only
the length is known. The same is done with a query q of length 1, whose rest is t. Then q . x differs from
s_q * s * (c_q . c) by t . (s * c) + q . r, and so, by Cauchy and Schwarz, by at most |t| * (1 + |r|) + |r|.
Who knows how many points score at least how much knows which others cannot be among them. So the bytes
choose what is multiplied in full, and never what is found (docs/adr/0112).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import simsimd

Floats: TypeAlias = npt.NDArray[np.float32]
Scores: TypeAlias = npt.NDArray[np.floating[Any]]

_LARGEST = 127
_ROUNDING = 1e-5
"""More than a product of vectors of length 1 loses by the precision of its numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class CoarseVectors:
    """The bytes and the scale of each vector, and the length of the longest rest."""

    bytes: npt.NDArray[np.int8]
    scales: Floats
    rest: float

    def __len__(self) -> int:
        return len(self.bytes)

    def taken(self, rows: npt.NDArray[np.intp]) -> "CoarseVectors":
        """Some of them."""
        return CoarseVectors(self.bytes[rows], self.scales[rows], self.rest)


@dataclass(frozen=True, slots=True)
class CoarseQuery:
    """A query of length 1, and the length of its rest."""

    bytes: npt.NDArray[np.int8]
    scale: float
    rest: float

    def products(self, vectors: CoarseVectors) -> tuple[Scores, float]:
        """The products with all vectors, and how far each may be from the true one at most."""
        if not len(vectors):
            return np.zeros(0), 0.0
        whole = np.asarray(simsimd.dot(self.bytes, vectors.bytes))
        off = self.rest * (1 + vectors.rest) + vectors.rest + _ROUNDING
        return whole * (vectors.scales * self.scale), off


def coarse_vectors(vectors: Floats) -> CoarseVectors:
    """Of vectors of length 1, or 0 where there is none."""
    scales = np.abs(vectors).max(axis=1, initial=0) / _LARGEST
    found = np.rint(vectors / np.where(scales > 0, scales, 1)[:, None])
    rests = vectors - found * scales[:, None]
    longest = float(np.sqrt(np.einsum("ij,ij->i", rests, rests).max(initial=0)))
    return CoarseVectors(found.astype(np.int8), scales.astype(np.float32), longest)


def coarse_query(query: Floats) -> CoarseQuery:
    """Of a query of length 1."""
    one = coarse_vectors(query[None, :])
    return CoarseQuery(one.bytes[0], float(one.scales[0]), one.rest)


def joined(parts: Sequence[CoarseVectors]) -> CoarseVectors:
    """Those of several blocks, in their order."""
    return CoarseVectors(
        np.concatenate([part.bytes for part in parts]),
        np.concatenate([part.scales for part in parts]),
        max(part.rest for part in parts),
    )
