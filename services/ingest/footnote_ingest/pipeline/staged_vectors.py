"""The dense vectors of a version between the stages `embedding` and `indexing`, as one blob."""

import io

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


def pack(embed_hashes: list[str], vectors: Vectors) -> bytes:
    """The blob for these vectors. Row i of `vectors` belongs to hash i."""
    out = io.BytesIO()
    np.savez(out, hashes=np.array(embed_hashes, dtype="U32"), vectors=np.asarray(vectors, dtype=np.float32))
    return out.getvalue()


def unpack(packed: bytes) -> dict[str, npt.NDArray[np.float32]]:
    """The vectors of a blob, by the hash of their text."""
    with np.load(io.BytesIO(packed), allow_pickle=False) as found:
        hashes: list[str] = found["hashes"].tolist()
        vectors: Vectors = found["vectors"]
    return dict(zip(hashes, vectors, strict=True))
