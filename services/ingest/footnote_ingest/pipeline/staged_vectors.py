"""The dense vectors of a version between the stages `embedding` and `indexing`, as one blob.

It ends with the SHA-256 of the rest: what a loss of power has left of it must not pass for vectors. A worker
of another release does not mind it there, since an archive may have something behind it.
"""

import hashlib
import io

import numpy as np
import numpy.typing as npt

_DIGEST = hashlib.sha256().digest_size

Vectors = npt.NDArray[np.float32]


def pack(embed_hashes: list[str], vectors: Vectors) -> bytes:
    """The blob for these vectors. Row i of `vectors` belongs to hash i."""
    out = io.BytesIO()
    np.savez(out, hashes=np.array(embed_hashes, dtype="U32"), vectors=np.asarray(vectors, dtype=np.float32))
    content = out.getvalue()
    return content + hashlib.sha256(content).digest()


def unpack(packed: bytes) -> dict[str, npt.NDArray[np.float32]]:
    """The vectors of a blob, by the hash of their text; none where the blob is not whole."""
    content, digest = packed[:-_DIGEST], packed[-_DIGEST:]
    if hashlib.sha256(content).digest() != digest:
        return {}
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        hashes: list[str] = found["hashes"].tolist()
        vectors: Vectors = found["vectors"]
    return dict(zip(hashes, vectors, strict=True))
