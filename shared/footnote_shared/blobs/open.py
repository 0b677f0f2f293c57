"""The blob store that the settings ask for."""

from pathlib import Path

from footnote_shared.blobs.folder import FolderBlobs
from footnote_shared.blobs.objects import ObjectBlobs
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.stores import StoreSettings

_BUCKETS = ("s3", "gs", "az")


def open_blobs(settings: StoreSettings) -> BlobStore:
    """Open the store for this process. Call it after a fork: the threads of object stores do not survive one.

    Raises Misconfigured for a URL or an option that no store knows, and for a folder that cannot be made.
    """
    url = settings.blob_url
    folder = folder_of_blobs(settings)
    if folder is not None:
        return FolderBlobs(folder)
    scheme = url.partition("://")[0]
    if scheme not in _BUCKETS:
        raise Misconfigured(
            f"FOOTNOTE_BLOB_URL begins with {scheme}://. "
            f"It can be a folder or begin with {', '.join(f'{known}://' for known in _BUCKETS)}."
        )
    return ObjectBlobs(url, settings.blob_options)


def folder_of_blobs(settings: StoreSettings) -> Path | None:
    """The folder in which blobs lie; None where an object store holds them."""
    scheme, separator, rest = settings.blob_url.partition("://")
    if separator:
        return Path(rest) if scheme == "file" else None
    return Path(scheme) if scheme else settings.data / "blobs"
