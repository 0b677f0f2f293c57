"""Follow documents through the stages of ingest until each has ended."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from footnote_cli.api_client import Api
from footnote_cli.uploads.upload import UploadedFile
from footnote_shared.contracts.documents import ENDED

STEPS = ("extracted", "chunked", "embedded", "indexed")
# How many of the steps a document with this status has behind it.
_STEPS_DONE: Mapping[str, int] = {
    "queued": 0,
    "extracting": 0,
    "chunking": 1,
    "embedding": 2,
    "indexing": 3,
}
_PAUSE_S = 0.25
# What the API takes in one request.
_BATCH = 200


def follow(
    api: Api,
    files: Sequence[UploadedFile],
    show: Callable[[Sequence[int]], None],
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Ask for the documents until every one has ended; one that failed gets its reason.

    `show` hears after each round how many documents have each of `STEPS` behind them.
    """
    by_id = {file.document["id"]: file for file in files if file.document is not None}
    open_ids = list(by_id)
    while open_ids:
        for start in range(0, len(open_ids), _BATCH):
            asked = {"ids": open_ids[start : start + _BATCH]}
            for document in api.post("/v1/documents:lookup", asked)["items"]:
                file = by_id[document["id"]]
                file.document = document
                if document["status"] == "failed":
                    file.reason = document["error"]["reason"]
        statuses = {key: file.document["status"] for key, file in by_id.items() if file.document}
        done = Counter(_STEPS_DONE.get(status, len(STEPS)) for status in statuses.values())
        show([sum(count for steps, count in done.items() if steps > step) for step in range(len(STEPS))])
        open_ids = [key for key in open_ids if statuses[key] not in ENDED]
        if open_ids:
            pause(_PAUSE_S)
