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
    scheme, separator, rest = url.partition("://")
    if separator and scheme in _BUCKETS:
        return ObjectBlobs(url, settings.blob_options)
    if separator and scheme != "file":
        raise Misconfigured(
            f"FOOTNOTE_BLOB_URL begins with {scheme}://. "
            f"It can be a folder or begin with {', '.join(f'{known}://' for known in _BUCKETS)}."
        )
    return FolderBlobs(Path(rest if separator else url) if url else settings.data / "blobs")
