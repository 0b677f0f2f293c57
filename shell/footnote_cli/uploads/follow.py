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

    `show` hears at the start and after each round. A server that does not answer for a while is waited for;
    raises TryLater once that takes minutes.
    """
    by_id: dict[str, list[UploadedFile]] = {}
    for file in files:
        if file.document is not None:
            by_id.setdefault(file.document["id"], []).append(file)
    open_ids = [key for key, same in by_id.items() if not _has_ended(same[0])]
    heard_at = clock()
    shown = StagesDone([len(by_id) - len(open_ids)] * len(STAGES))
    show(shown)
    while open_ids:
        asked_at = clock()
        try:
            waiting, open_ids = _ask(api, by_id, open_ids)
        except TryLater as error:
            if clock() - heard_at > PATIENCE_S:
                raise
            show(StagesDone(shown.done, shown.waiting, silent=True))
            pause(error.retry_after or _LONGEST_PAUSE_S)
            continue
        heard_at = clock()
        shown = StagesDone(_stages_done(len(by_id) - len(open_ids), waiting), waiting)
        show(shown)
        if open_ids:
            pause(pause_after(heard_at - asked_at))


def pause_after(answer_s: float) -> float:
    """How long to wait after an answer that took so long, in seconds."""
    return min(_LONGEST_PAUSE_S, max(_SHORTEST_PAUSE_S, _PAUSE_PER_ANSWER * answer_s))


def _ask(
    api: Api, by_id: Mapping[str, Sequence[UploadedFile]], open_ids: Sequence[str]
) -> tuple[dict[str, int], list[str]]:
    """One round: which statuses the open documents have, and which of them are still open."""
    waiting: dict[str, int] = {}
    still_open: list[str] = []
    for start in range(0, len(open_ids), _BATCH):
        batch = open_ids[start : start + _BATCH]
        answer = api.post("/v1/documents:progress", {"ids": batch})
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
        still_open += [key for key in batch if key not in ended]
    return waiting, still_open


def _stages_done(ended: int, waiting: Mapping[str, int]) -> list[int]:
    behind = [
        sum(count for status, count in waiting.items() if _STAGES_DONE.get(status, 0) > stage)
        for stage in range(len(STAGES))
    ]
    return [ended + count for count in behind]


def _has_ended(file: UploadedFile) -> bool:
    return file.unchanged and file.document is not None and file.document["status"] in ENDED
