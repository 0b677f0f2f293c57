"""Upload files, several at once, except those whose bytes the server holds already."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from footnote_cli.api_client import Api
from footnote_cli.uploads.local_files import LocalFile
from footnote_shared.kernel.errors import CallerError, TryLater, Unavailable

_AT_ONCE = 8
_TRIES = 5
# A server that is not there at all will not come back while somebody looks on.
_TRIES_TO_REACH = 2
_PAUSE_S = 1.0
# What the API takes in one request.
_BATCH = 200


@dataclass(slots=True)
class UploadedFile:
    """What became of a file: its document as the API gives it, or the reason why there is none."""

    file: LocalFile
    document: dict[str, Any] | None
    reason: str | None = None
    unchanged: bool = False


def upload_all(api: Api, files: Sequence[LocalFile], on_each: Callable[[], None]) -> list[UploadedFile]:
    """Upload the files, in order; `on_each` is called after each.

    Raises what the server answers when it refuses all of them: it cannot be reached, is busy, or knows no
    such key.
    """
    known = _known(api, files)

    def one(file: LocalFile) -> UploadedFile:
        document = known.get(file)
        done = UploadedFile(file, document, unchanged=True) if document else upload(api, file)
        on_each()
        return done

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(one, files))


def upload(api: Api, file: LocalFile, pause: Callable[[float], None] = time.sleep) -> UploadedFile:
    """Upload one file, again and again while the server is busy; raises TryLater when it stays so."""
    attempt = 0
    while True:
        try:
            with file.path.open("rb") as content:
                answer = api.request(
                    "POST",
                    "/v1/documents",
                    files={"file": (file.path.name, content)},
                    data={"folder": file.folder},
                )
            return UploadedFile(file, answer.json())
        except TryLater as error:
            attempt += 1
            gone = isinstance(error, Unavailable) and error.part == "footnote"
            if attempt == (_TRIES_TO_REACH if gone else _TRIES):
                raise
            pause(error.retry_after or _PAUSE_S)
        except CallerError as error:
            return UploadedFile(file, None, error.detail)
        except OSError as error:
            return UploadedFile(file, None, f"The file cannot be read: {error.strerror}.")


def _known(api: Api, files: Sequence[LocalFile]) -> dict[LocalFile, dict[str, Any]]:
    """The documents of files whose bytes the server holds as they are, so that they need not travel again."""
    found: dict[LocalFile, dict[str, Any]] = {}
    hashes = _hashes(files)
    for start in range(0, len(hashes), _BATCH):
        batch = hashes[start : start + _BATCH]
        items = [
            {"folder": file.folder, "filename": file.path.name, "sha256": sha256} for file, sha256 in batch
        ]
        documents = api.post("/v1/documents:known", {"items": items})["items"]
        found.update(
            {file: document for (file, _), document in zip(batch, documents, strict=True) if document}
        )
    return found


def _hashes(files: Sequence[LocalFile]) -> list[tuple[LocalFile, str]]:
    """The files with their hashes, without those that cannot be read: their upload says why."""
    found = []
    for file in files:
        try:
            found.append((file, file.sha256()))
        except OSError:
            continue
    return found
