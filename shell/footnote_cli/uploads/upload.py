"""Upload files, several at once, except those whose bytes the server holds already."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from footnote_cli.api_client import Api
from footnote_cli.uploads.local_files import LocalFile
from footnote_cli.uploads.outage import Outage
from footnote_shared.kernel.errors import CallerError, FootnoteError, TryLater, Unavailable
from footnote_shared.kernel.ids import new_id

_AT_ONCE = 8
_TRIES = 5
_PAUSE_S = 1.0
# What the API takes in one request.
_BATCH = 200


@dataclass(slots=True)
class UploadedFile:
    """What became of a file: its document as the API gives it, or the reason why there is none.

    `unchanged`: the server held its bytes already. `moved_from`: the path of its document before.
    """

    file: LocalFile
    document: dict[str, Any] | None
    reason: str | None = None
    unchanged: bool = False
    moved_from: str | None = None


@dataclass(slots=True)
class Uploads:
    """All files, in order, and what ended the uploads early if something did.

    `stopped` is what the server answered when no further file had a chance: it cannot be reached, stays busy,
    or is broken. `interrupted`: the person pressed Ctrl-C.
    """

    files: list[UploadedFile] = field(default_factory=list)
    stopped: FootnoteError | None = None
    interrupted: bool = False

    @property
    def accepted(self) -> int:
        return sum(file.document is not None for file in self.files)


def upload_all(
    api: Api,
    files: Sequence[LocalFile],
    ready: Mapping[LocalFile, UploadedFile],
    on_each: Callable[[], None],
    outage: Outage | None = None,
) -> Uploads:
    """Upload the files but those that are `ready`; `on_each` is called after each.

    `outage` says how long a server that goes away meanwhile is waited for.
    A file that was not sent because the uploads ended early has that as its reason.
    """
    over = threading.Event()
    away = outage or Outage()

    def pause(seconds: float) -> None:
        over.wait(seconds)

    def one(file: LocalFile) -> UploadedFile:
        done = ready.get(file) or upload(api, file, pause, away)
        on_each()
        return done

    uploads = Uploads()
    pool = ThreadPoolExecutor(_AT_ONCE)
    futures = [pool.submit(one, file) for file in files]
    try:
        for future in futures:
            future.result()
    except KeyboardInterrupt:
        uploads.interrupted = True
    except FootnoteError as error:
        uploads.stopped = error
    finally:
        over.set()
        pool.shutdown(cancel_futures=True)
    why = "You stopped the uploads." if uploads.stopped is None else uploads.stopped.detail
    uploads.files = [
        _result_of(future) or UploadedFile(file, None, f"It was not sent: {why}")
        for file, future in zip(files, futures, strict=True)
    ]
    return uploads


def _result_of(future: Future[UploadedFile]) -> UploadedFile | None:
    return None if future.cancelled() or future.exception() is not None else future.result()


def upload(api: Api, file: LocalFile, pause: Callable[[float], None], outage: Outage) -> UploadedFile:
    """Upload one file, again and again while the server is busy or away; raises TryLater when it stays so.

    Every try has the same `Idempotency-Key`. So a file whose upload was accepted just before the server went
    away gets that answer.
    """
    attempt = 0
    key = new_id()
    while True:
        try:
            with file.path.open("rb") as content:
                answer = api.request(
                    "POST",
                    "/v1/documents",
                    files={"file": (file.name, content)},
                    data={"folder": file.folder},
                    headers={"Idempotency-Key": key},
                )
            outage.answered()
            return UploadedFile(file, answer.json())
        except TryLater as error:
            # A server that stops or starts is busy before it is gone and after it is back.
            if outage.lasts or (isinstance(error, Unavailable) and error.part == "footnote"):
                again = outage.unanswered()
            else:
                attempt += 1
                again = attempt < _TRIES
            if not again:
                raise
            pause(error.retry_after or _PAUSE_S)
        except CallerError as error:
            outage.answered()
            return UploadedFile(file, None, error.detail)
        except OSError as error:
            return UploadedFile(file, None, f"The file cannot be read: {error.strerror}.")


def known_documents(api: Api, hashed: Sequence[tuple[LocalFile, str]]) -> dict[LocalFile, dict[str, Any]]:
    """The documents of files whose bytes the server holds as they are, so that they need not travel again."""
    found: dict[LocalFile, dict[str, Any]] = {}
    for start in range(0, len(hashed), _BATCH):
        batch = hashed[start : start + _BATCH]
        items = [{"folder": file.folder, "filename": file.name, "sha256": sha256} for file, sha256 in batch]
        documents = api.post("/v1/documents:known", {"items": items})["items"]
        found.update(
            {file: document for (file, _), document in zip(batch, documents, strict=True) if document}
        )
    return found
