"""Upload files, several at once, except those whose bytes the server holds already.

Small files share a request, and yet each has an outcome of its own.
"""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import httpx

from footnote_cli.api_client import Api
from footnote_cli.uploads.local_files import LocalFile
from footnote_cli.uploads.outage import Outage
from footnote_shared.kernel.errors import CallerError, FootnoteError, InvalidRequest, TryLater, Unavailable
from footnote_shared.kernel.ids import new_id

_AT_ONCE = 8
_TRIES = 5
_PAUSE_S = 1.0
# What the API takes in one request.
_BATCH = 200

_LARGEST = 128 * 1024
"""Bytes of a file that still shares a request. A larger one goes alone."""

_MOST_FILES = 25
"""Files of one request. They are entered in one transaction, for which nobody else should wait long."""

_MOST_BYTES = 1024 * 1024
"""Bytes of the files of one request."""

_ACCEPTED = 202
_TOO_MANY = 429


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

    def send(batch: Sequence[LocalFile]) -> list[UploadedFile]:
        done = [ready[file] for file in batch if file in ready] or upload_batch(api, batch, pause, away)
        for _ in done:
            on_each()
        return done

    uploads = Uploads()
    pool = ThreadPoolExecutor(_AT_ONCE)
    batches = [[file] for file in files if file in ready]
    batches += in_batches(file for file in files if file not in ready)
    futures = [pool.submit(send, batch) for batch in batches]
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
    done = {one.file: one for future in futures for one in _results_of(future)}
    uploads.files = [done.get(file) or UploadedFile(file, None, f"It was not sent: {why}") for file in files]
    return uploads


def _results_of(future: Future[list[UploadedFile]]) -> list[UploadedFile]:
    return [] if future.cancelled() or future.exception() is not None else future.result()


def in_batches(files: Iterable[LocalFile]) -> Iterator[list[LocalFile]]:
    """The files as they go up: large ones alone, and small ones together."""
    batch: list[LocalFile] = []
    held = 0
    for file in files:
        size = file.size()
        if size > _LARGEST:
            yield [file]
            continue
        if batch and (len(batch) == _MOST_FILES or held + size > _MOST_BYTES):
            yield batch
            batch, held = [], 0
        batch.append(file)
        held += size
    if batch:
        yield batch


def upload_batch(
    api: Api, files: Sequence[LocalFile], pause: Callable[[float], None], outage: Outage
) -> list[UploadedFile]:
    """Upload the files together; return what became of each, in their order.

    A server that does not take them together is sent them one by one.
    """
    if len(files) == 1:
        return [upload(api, files[0], pause, outage)]
    unread: dict[LocalFile, UploadedFile] = {}
    contents: dict[LocalFile, bytes] = {}
    for file in files:
        try:
            contents[file] = file.path.read_bytes()
        except OSError as error:
            unread[file] = UploadedFile(file, None, f"The file cannot be read: {error.strerror}.")
    sent = list(contents)
    parts = [("file", (file.name, contents[file])) for file in sent]
    fields = json.dumps([{"folder": file.folder} for file in sent])
    try:
        answer = patiently(
            lambda headers: api.request(
                "POST", "/v1/documents:batch", files=parts, data={"fields": fields}, headers=headers
            ),
            pause,
            outage,
        )
        outcomes = answer.json()["items"]
    except CallerError:
        return [unread.get(file) or upload(api, file, pause, outage) for file in files]
    done = dict(unread)
    for file, outcome in zip(sent, outcomes, strict=True):
        if outcome["status"] == _ACCEPTED:
            done[file] = UploadedFile(file, outcome["document"])
        elif outcome["status"] == _TOO_MANY:
            done[file] = upload(api, file, pause, outage)
        else:
            done[file] = UploadedFile(file, None, outcome["problem"]["detail"])
    return [done[file] for file in files]


def upload(api: Api, file: LocalFile, pause: Callable[[float], None], outage: Outage) -> UploadedFile:
    """Upload one file, again and again while the server is busy or away; raises TryLater when it stays so."""

    def send(headers: Mapping[str, str]) -> httpx.Response:
        with file.path.open("rb") as content:
            return api.request(
                "POST",
                "/v1/documents",
                files={"file": (file.name, content)},
                data={"folder": file.folder},
                headers=headers,
            )

    try:
        return UploadedFile(file, patiently(send, pause, outage).json())
    except CallerError as error:
        return UploadedFile(file, None, error.detail)
    except OSError as error:
        return UploadedFile(file, None, f"The file cannot be read: {error.strerror}.")


def patiently(
    send: Callable[[Mapping[str, str]], httpx.Response], pause: Callable[[float], None], outage: Outage
) -> httpx.Response:
    """The answer of `send`, which is called again while the server is busy or away.

    It is given the headers to send. Every try has the same `Idempotency-Key`, so what was accepted just
    before the server went away gets that answer. Raises TryLater when the server stays busy or away.
    """
    attempt = 0
    headers = {"Idempotency-Key": new_id()}
    while True:
        try:
            answer = send(headers)
            outage.answered()
            return answer
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
        except CallerError:
            outage.answered()
            raise


def known_documents(api: Api, hashed: Sequence[tuple[LocalFile, str]]) -> dict[LocalFile, dict[str, Any]]:
    """The documents of files whose bytes the server holds as they are, so that they need not travel again."""
    found: dict[LocalFile, dict[str, Any]] = {}
    for start in range(0, len(hashed), _BATCH):
        batch = hashed[start : start + _BATCH]
        documents = _known(api, batch)
        found.update(
            {file: document for (file, _), document in zip(batch, documents, strict=True) if document}
        )
    return found


def _known(api: Api, batch: Sequence[tuple[LocalFile, str]]) -> list[dict[str, Any] | None]:
    """One answer for each file. A path that the server refuses is unknown to it: its upload says why."""
    items = [{"folder": file.folder, "filename": file.name, "sha256": sha256} for file, sha256 in batch]
    try:
        answers: list[dict[str, Any] | None] = api.post("/v1/documents:known", {"items": items})["items"]
        return answers
    except InvalidRequest:
        if len(batch) == 1:
            return [None]
        half = len(batch) // 2
        return _known(api, batch[:half]) + _known(api, batch[half:])
