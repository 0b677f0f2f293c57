"""The dense vectors of a version between the stages `embedding` and `indexing`, as one value.

Those of a short document are in the row of its version, and others are a blob (docs/adr/0114).

It is an archive as `numpy.savez` makes it, of an array of hashes and one of vectors. We make and read a small
one in a tenth of the time that numpy takes. It ends with the SHA-256 of the rest: what a loss of power has
left of it must not pass for vectors. A worker of another release does not mind it there, since an archive may
have something behind it.
"""

import hashlib
import io
import struct
import zlib

import numpy as np
import numpy.typing as npt

_DIGEST = hashlib.sha256().digest_size
_HASHES, _VECTORS = b"hashes.npy", b"vectors.npy"
_HASH = np.dtype("<U32")
_VALUE = np.dtype("<f4")

# The parts of an archive (APPNOTE.TXT of PKWARE, 4.3): version 2.0, no flags, stored as it is, of 1980.
_ENTRY = struct.Struct("<4s5H3I2H")
_LISTED = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_ABOUT = 20, 0, 0, 0, 0x21
_CRC_AT = 14

# What stands before the values of an array (numpy.lib.format, version 1.0).
_LEAST_HEADER = 10
_ALIGNED = 64

Vectors = npt.NDArray[np.float32]


def pack(embed_hashes: list[str], vectors: Vectors) -> bytes:
    """The blob for these vectors. Row i of `vectors` belongs to hash i."""
    names = np.array(embed_hashes, dtype=_HASH)
    values = np.ascontiguousarray(vectors, dtype=_VALUE)
    content = _archive(
        (_HASHES, _header(_HASH, names.shape) + names.tobytes()),
        (_VECTORS, _header(_VALUE, values.shape) + values.tobytes()),
    )
    return content + hashlib.sha256(content).digest()


def unpack(packed: bytes) -> dict[str, npt.NDArray[np.float32]]:
    """The vectors of a blob, by the hash of their text; none where the blob is not whole."""
    content, digest = packed[:-_DIGEST], packed[-_DIGEST:]
    if hashlib.sha256(content).digest() != digest:
        return {}
    hashes, vectors = _as_packed(content) or _by_numpy(content)
    return dict(zip(hashes, vectors, strict=True))


def _as_packed(content: bytes) -> tuple[list[str], Vectors] | None:
    """What `pack` has put in; None for an archive that another release has made."""
    parts, at = [], 0
    for name in (_HASHES, _VECTORS):
        begin = at + _ENTRY.size + len(name)
        crc, size = struct.unpack_from("<2I", content, at + _CRC_AT)
        if content[at:begin] != _entry(name, crc, size):
            return None
        parts.append(content[begin : begin + size])
        at = begin + size
    names, values = (
        np.frombuffer(part, kind, offset=_LEAST_HEADER + int.from_bytes(part[8:_LEAST_HEADER], "little"))
        for part, kind in zip(parts, (_HASH, _VALUE), strict=True)
    )
    if not parts[0].startswith(_header(_HASH, names.shape)):
        return None
    vectors = values.reshape(len(names), -1) if len(names) else values.reshape(0, 1)
    return names.tolist(), vectors


def _by_numpy(content: bytes) -> tuple[list[str], Vectors]:
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        return found["hashes"].tolist(), found["vectors"]


def _archive(*entries: tuple[bytes, bytes]) -> bytes:
    """The entries, each a name and its content, as a ZIP file that compresses nothing."""
    content, listed = b"", b""
    for name, part in entries:
        sizes = zlib.crc32(part), len(part), len(part), len(name)
        listed += _LISTED.pack(b"PK\1\2", 20, *_ABOUT, *sizes, 0, 0, 0, 0, 0, len(content)) + name
        content += _entry(name, sizes[0], sizes[1]) + part
    return content + listed + _END.pack(b"PK\5\6", 0, 0, 2, 2, len(listed), len(content), 0)


def _entry(name: bytes, crc: int, size: int) -> bytes:
    """What stands before the content of an entry."""
    return _ENTRY.pack(b"PK\3\4", *_ABOUT, crc, size, size, len(name), 0) + name


def _header(kind: np.dtype[np.generic], shape: tuple[int, ...]) -> bytes:
    """What stands before the values of an array."""
    said = f"{{'descr': '{kind.str}', 'fortran_order': False, 'shape': {shape}, }}"
    said += " " * (-(_LEAST_HEADER + len(said) + 1) % _ALIGNED) + "\n"
    return b"\x93NUMPY\1\0" + len(said).to_bytes(2, "little") + said.encode()
