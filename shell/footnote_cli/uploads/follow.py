"""Follow documents through the stages of ingest until each has ended."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from footnote_cli.api_client import Api
from footnote_cli.uploads.outage import PATIENCE_S
from footnote_cli.uploads.upload import UploadedFile
from footnote_shared.contracts.documents import ENDED
from footnote_shared.kernel.errors import TryLater

STAGES = ("extracted", "chunked", "embedded", "indexed")
# How many of the stages a document with this status has behind it.
_STAGES_DONE: Mapping[str, int] = {
    "queued": 0,
    "extracting": 0,
    "chunking": 1,
    "embedding": 2,
    "indexing": 3,
}
_SHORTEST_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 5.0
# A pause is this many times as long as the answer took: following costs the server a fortieth of its time.
_PAUSE_PER_ANSWER = 40.0
# How long the server may wait for something to change. It is shorter than the silence that is complained of.
_WAIT_S = 5.0
# What the API takes in one request.
_BATCH = 1000


@dataclass(frozen=True, slots=True)
class StagesDone:
    """How far the documents are.

    `done` counts those that have each of `STAGES` behind them, `waiting` those in work by status. `silent`:
    the server does not answer.
    """

    done: Sequence[int]
    waiting: Mapping[str, int] = field(default_factory=dict)
    silent: bool = False


def follow(
    api: Api,
    files: Sequence[UploadedFile],
    show: Callable[[StagesDone], None],
    pause: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Ask how far the documents are until every one has ended; one that failed gets its reason.

    The server answers when something has changed. Only where many requests make a round, or where a server
    knows nothing of waiting, there are pauses between the rounds. `show` hears at the start and after each
    round. A server that does not answer for a while is waited for; raises TryLater once that takes minutes.
    """
    by_id: dict[str, list[UploadedFile]] = {}
    for file in files:
        if file.document is not None:
            by_id.setdefault(file.document["id"], []).append(file)
    open_ids = [key for key, same in by_id.items() if not _has_ended(same[0])]
    heard_at = clock()
    shown = StagesDone([len(by_id) - len(open_ids)] * len(STAGES))
    show(shown)
    cursor: str | None = None
    while open_ids:
        try:
            heard = _ask(api, by_id, open_ids, cursor, clock)
        except TryLater as error:
            if clock() - heard_at > PATIENCE_S:
                raise
            show(StagesDone(shown.done, shown.waiting, silent=True))
            pause(error.retry_after or _LONGEST_PAUSE_S)
            continue
        heard_at = clock()
        open_ids, cursor = heard.open_ids, heard.cursor
        shown = StagesDone(_stages_done(len(by_id) - len(open_ids), heard.waiting), heard.waiting)
        show(shown)
        if open_ids and heard.at_once_s is not None:
            pause(pause_after(heard.at_once_s))


def pause_after(answer_s: float) -> float:
    """How long to wait after an answer that took so long, in seconds."""
    return min(_LONGEST_PAUSE_S, max(_SHORTEST_PAUSE_S, _PAUSE_PER_ANSWER * answer_s))


@dataclass(slots=True)
class _Round:
    """What a round of requests has told: the statuses of the open documents, and which are still open.

    `cursor` is for the first request of the next round. `at_once_s` is how long the answers took that waited
    for nothing; None if there was no such answer.
    """

    waiting: dict[str, int] = field(default_factory=dict)
    open_ids: list[str] = field(default_factory=list)
    cursor: str | None = None
    at_once_s: float | None = None


def _ask(
    api: Api,
    by_id: Mapping[str, Sequence[UploadedFile]],
    open_ids: Sequence[str],
    cursor: str | None,
    clock: Callable[[], float],
) -> _Round:
    """One round. Its first request waits until something has changed since the answer with this cursor."""
    heard = _Round()
    waiting = heard.waiting
    for start in range(0, len(open_ids), _BATCH):
        batch = open_ids[start : start + _BATCH]
        waits = start == 0 and cursor is not None
        asked_at = clock()
        answer = api.post(
            "/v1/documents:progress",
            {"ids": batch, "wait_s": _WAIT_S, "cursor": cursor} if waits else {"ids": batch},
        )
        if start == 0:
            heard.cursor = answer.get("cursor")
        if start > 0 or heard.cursor is None:
            heard.at_once_s = (heard.at_once_s or 0.0) + clock() - asked_at
        for status, count in answer["waiting"].items():
            waiting[status] = waiting.get(status, 0) + count
        for document in answer["ended"]:
            for file in by_id[document["id"]]:
                file.document = document
                if document["status"] == "failed":
                    file.reason = document["error"]["reason"]
        for key in answer["absent"]:
            for file in by_id[key]:
                file.reason = "Its document was deleted meanwhile."
        ended = {document["id"] for document in answer["ended"]} | set(answer["absent"])
        heard.open_ids += [key for key in batch if key not in ended]
    return heard


def _stages_done(ended: int, waiting: Mapping[str, int]) -> list[int]:
    behind = [
        sum(count for status, count in waiting.items() if _STAGES_DONE.get(status, 0) > stage)
        for stage in range(len(STAGES))
    ]
    return [ended + count for count in behind]


def _has_ended(file: UploadedFile) -> bool:
    return file.unchanged and file.document is not None and file.document["status"] in ENDED
