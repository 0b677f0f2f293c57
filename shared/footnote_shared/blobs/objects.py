"""Blobs in an object store (S3, Google, Azure), through `obstore`."""

import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from typing import IO, TYPE_CHECKING, cast

import anyio
import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    GenericError,
    InvalidPathError,
    NotSupportedError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.store import ObjectStore, from_url

from footnote_shared.blobs.incoming import receive
from footnote_shared.blobs.keys import checked, checked_prefix
from footnote_shared.blobs.protocol import BlobEntry, BlobMissing, KeyOf, StoredBlob
from footnote_shared.kernel.errors import Misconfigured, Unavailable

if TYPE_CHECKING:
    # These names exist for type checkers only.
    from obstore.store import ClientConfig, RetryConfig, S3Config

_REFUSED = (
    InvalidPathError,
    NotSupportedError,
    PermissionDeniedError,
    UnauthenticatedError,
)
# Options of the connection. All others belong to the store: endpoint, region, access_key_id and so on.
_OF_CLIENT = {
    "allow_http",
    "allow_invalid_certificates",
    "connect_timeout",
    "http1_only",
    "http2_only",
    "pool_idle_timeout",
    "pool_max_idle_per_host",
    "proxy_ca_certificate",
    "proxy_excludes",
    "proxy_url",
    "timeout",
}
_CLIENT = {"connect_timeout": "5s", "timeout": "120s"}
_RETRIES: "RetryConfig" = {
    "max_retries": 3,
    "retry_timeout": timedelta(seconds=20),
    "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=2), "base": 2},
}
# Smaller uploads stay in memory until they are sent.
_SPOOL = 8 * 2**20


class ObjectBlobs:
    """A `BlobStore` in a bucket, below the prefix of the URL.

    An upload is first received into an unnamed file on this machine and then sent. So its key can depend on
    its hash, and a client that goes away leaves nothing in the bucket. Only a process that is killed while it
    sends leaves parts of an upload, which no reader sees: give the bucket a rule that ends incomplete
    multipart uploads after a day.
    """

    def __init__(self, url: str, options: Mapping[str, str]) -> None:
        """Nothing is sent yet. Raises Misconfigured for an option that the store does not know."""
        client = _CLIENT | {key: value for key, value in options.items() if key in _OF_CLIENT}
        config = {key: value for key, value in options.items() if key not in _OF_CLIENT}
        try:
            self._store: ObjectStore = from_url(
                url,
                config=cast("S3Config", config),
                client_options=cast("ClientConfig", client),
                retry_config=_RETRIES,
            )
        except (BaseError, ValueError, TypeError) as error:
            first = str(error).splitlines()[0]
            raise Misconfigured(
                f"FOOTNOTE_BLOB_URL or FOOTNOTE_BLOB_OPTIONS cannot be used: {first}"
            ) from error

    def put(self, key: str, content: bytes) -> None:
        with _translated():
            obstore.put(self._store, checked(key), content)

    def put_all(self, contents: Mapping[str, bytes]) -> None:
        for key, content in contents.items():
            self.put(key, content)

    def put_passing(self, key: str, content: bytes) -> None:
        self.put(key, content)

    def put_if_absent(self, key: str, content: bytes) -> bool:
        with _translated():
            try:
                # Only a single request can carry this condition, not an upload in parts.
                obstore.put(self._store, checked(key), content, mode="create", use_multipart=False)
            except (AlreadyExistsError, PreconditionError):
                return False
        return True

    async def put_stream(self, key: str | KeyOf, chunks: AsyncIterator[bytes], max_bytes: int) -> StoredBlob:
        with tempfile.SpooledTemporaryFile(max_size=_SPOOL) as file:
            stored = await receive(key, chunks, max_bytes, partial(_spool, file))
            await anyio.to_thread.run_sync(self._send, stored.key, file)
        return stored

    def get(self, key: str) -> bytes:
        with _translated(key):
            return obstore.get(self._store, checked(key)).bytes().to_bytes()

    def get_range(self, key: str, start: int, end: int) -> bytes:
        with _translated(key):
            if start < end:
                try:
                    return obstore.get_range(self._store, checked(key), start=start, end=end).to_bytes()
                except GenericError:
                    # Stores also answer so when a range begins beyond the end.
                    if start < obstore.head(self._store, key)["size"]:
                        raise
            else:
                obstore.head(self._store, checked(key))
        return b""

    def exists(self, key: str) -> bool:
        with _translated():
            try:
                obstore.head(self._store, checked(key))
            except FileNotFoundError:
                return False
        return True

    def delete(self, keys: Iterable[str]) -> None:
        plain = [checked(key) for key in keys]
        with _translated():
            try:
                obstore.delete(self._store, plain)
            except FileNotFoundError:
                # Some stores stop at the first key that is not there.
                for key in plain:
                    with suppress(FileNotFoundError):
                        obstore.delete(self._store, key)

    def list(self, prefix: str) -> Iterator[BlobEntry]:
        with _translated():
            for page in obstore.list(self._store, prefix=checked_prefix(prefix) or None):
                for found in page:
                    yield BlobEntry(found["path"], found["size"], found["last_modified"])

    def forget_unfinished(self) -> None:
        """Nothing: a part of an upload has no name until the whole is there.

        What the parts of a broken upload take is the store's to remove, by a rule of its bucket
        (`AbortIncompleteMultipartUpload` in S3).
        """

    def _send(self, key: str, file: "tempfile.SpooledTemporaryFile[bytes]") -> None:
        file.seek(0)
        with _translated():
            obstore.put(self._store, key, cast("IO[bytes]", file))


def _spool(file: "tempfile.SpooledTemporaryFile[bytes]", block: bytes) -> None:
    with _translated():
        file.write(block)


@contextmanager
def _translated(key: str | None = None) -> Iterator[None]:
    """Raise errors of the store as ours. Their texts hold addresses, which no caller may see."""
    try:
        yield
    except FileNotFoundError as error:
        if key is None or "NoSuchBucket" in str(error):
            raise Unavailable("blobs", "The bucket for stored content does not exist.") from error
        raise BlobMissing(key) from error
    except _REFUSED as error:
        raise Unavailable("blobs", "The object store refuses our requests.") from error
    except (BaseError, OSError) as error:
        raise Unavailable("blobs", "The object store does not answer.") from error
