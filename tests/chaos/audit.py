"""What holds when all faults are over: nothing lost, nothing twice, nothing left behind, all at work."""

import time
from collections.abc import Mapping
from typing import Any

import httpx
from sqlmodel import col, select

from footnote_ingest.pipeline.unneeded_blobs import unneeded
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_shared.contracts.events import TERMINAL
from footnote_testing.eventually import NeverHappened, eventually
from tests.chaos.ledger import Ledger, source_of
from tests.chaos.stack import WORKERS
from tests.system.stacks import ENDED, DistributedStack, server_events

_LIMIT_S = 180.0


def audit(stack: DistributedStack, ledger: Ledger, streams_kept_s: float = 3600.0) -> list[str]:
    """A sentence for each promise that was broken; empty is good.

    The streams of turns are read that ended within half the time for which streams are kept.
    """
    for name in stack.services:
        stack.wait_ready(name)
    wrong = list(ledger.wrong)
    wrong += [
        f"{name} has ended" for name in (*WORKERS, *stack.services, "beat") if not stack.roles[name].alive
    ]
    wrong += _all_workers_consume(stack)
    wrong += _every_document_ended(stack)
    wrong += [problem for name in sorted(ledger.documents) for problem in _document(stack, ledger, name)]
    wrong += _items(stack, ledger)
    wrong += _points_equal_sql(stack)
    wrong += _blobs_equal_sql(stack)
    wrong += [problem for turn_id in ledger.turns for problem in _turn(stack, turn_id)]
    since = time.monotonic() - streams_kept_s / 2
    kept = [turn_id for turn_id, answered in ledger.turns.items() if answered > since]
    wrong += [problem for turn_id in kept for problem in _stream(stack, turn_id)]
    for thread_id, told in ledger.numbers.items():
        wrong += _numbers(stack, thread_id, told) if told else []
    return wrong


def _rows(stack: DistributedStack) -> list[DocumentRow]:
    with stack.database.read() as session:
        return list(session.exec(select(DocumentRow).where(col(DocumentRow.deleted_at).is_(None))))


def _all_workers_consume(stack: DistributedStack) -> list[str]:
    user = stack.client("ingest")
    ids = [user.upload(f"after{i}.txt", f"After it all, {i}.".encode())["id"] for i in range(6)]
    try:
        ended = user.wait_ended(ids, _LIMIT_S)
    except NeverHappened as failure:
        return [f"not every worker consumes: {failure}"]
    return [f"a document after it all is {one['status']}" for one in ended if one["status"] != "indexed"]


def _every_document_ended(stack: DistributedStack) -> list[str]:
    try:
        eventually(
            lambda: all(row.status in ENDED for row in _rows(stack)), "all have ended", limit_s=_LIMIT_S
        )
    except NeverHappened:
        return [f"{row.filename} is still {row.status}" for row in _rows(stack) if row.status not in ENDED]
    return []


def _document(stack: DistributedStack, ledger: Ledger, name: str) -> list[str]:
    rows = [row for row in _rows(stack) if row.filename == name]
    possible = ledger.documents[name].possible
    if not rows:
        return [] if None in possible else [f"{name} is lost"]
    if len(rows) > 1:
        return [f"{name} is there {len(rows)} times"]
    (row,) = rows
    if row.status != "indexed" or row.live_version != row.version:
        return [f"{name} is {row.status}: {row.error_reason}"]
    content = stack.client("ingest").http.get(f"/v1/documents/{row.id}/content")
    if content.status_code != 200:
        return [f"{name}: its bytes answer {content.status_code}"]
    wrong = [] if content.text in possible else [f"{name} holds an earlier text"]
    return wrong + _place(stack, ledger, row)


def _place(stack: DistributedStack, ledger: Ledger, row: DocumentRow) -> list[str]:
    """A document that was moved lies where it was moved last, and its vectors say so too."""
    folders = ledger.documents[row.filename].folders
    if not folders:
        return []
    folder = stack.client("ingest").document(row.id)["folder"]
    if folder not in folders:
        return [f"{row.filename} lies in {folder}, and was moved to {sorted(folders)}"]

    def behind() -> list[str]:
        there = _count_points(stack, row.id, folder_ids=str(row.folder_id))
        return [] if there == row.chunk_count else [f"{there} vectors of {row.filename} know {folder}"]

    return _at_rest(behind)


def _items(stack: DistributedStack, ledger: Ledger) -> list[str]:
    """What web hooks have told: each item as its latest word says."""

    def wrong() -> list[str]:
        found: dict[str, list[str]] = {}
        for row in _rows(stack):
            if row.external_id in ledger.hooked and row.status == "indexed":
                content = stack.client("ingest").http.get(f"/v1/documents/{row.id}/content")
                found.setdefault(row.external_id, []).append(content.text)
        wanted = {item: [] if text is None else [text] for item, text in ledger.hooked.items()}
        return [
            f"{item} is {found.get(item, [])}, and {texts} was the latest word"
            for item, texts in wanted.items()
            if found.get(item, []) != texts
        ]

    return _at_rest(wrong)


def _count_points(stack: DistributedStack, document_id: str | None, **payload: str) -> int:
    body: dict[str, Any] = {"exact": True}
    if document_id is not None:
        wanted = {"document_id": document_id, **payload}
        body["filter"] = {"must": [{"key": key, "match": {"value": wanted[key]}} for key in wanted]}
    answer = httpx.post(
        f"http://127.0.0.1:{stack.ports['vectors']}/collections/footnote-document/points/count",
        json=body,
        headers={"api-key": stack.vectors_key},
        trust_env=False,
    )
    return int(answer.json()["result"]["count"])


def _points_equal_sql(stack: DistributedStack) -> list[str]:
    def wrong() -> list[str]:
        rows = _rows(stack)
        counts = {row.filename: (_count_points(stack, row.id), row.chunk_count) for row in rows}
        found = [
            f"{name} has {has} points for {wants} chunks"
            for name, (has, wants) in counts.items()
            if has != wants
        ]
        strays = _count_points(stack, None) - sum(has for has, _ in counts.values())
        return [*found, *([f"{strays} points belong to no document"] if strays else [])]

    return _at_rest(wrong)


def _blobs_equal_sql(stack: DistributedStack) -> list[str]:
    blobs = stack.blobs

    def wrong() -> list[str]:
        keys = [entry.key for entry in blobs.list("") if not entry.key.startswith("originals/")]
        with stack.database.read() as session:
            left = [f"{key} is needed by nobody" for key in unneeded(session, keys)]
            needed = select(VersionRow.workspace_id, VersionRow.sha256).where(
                col(VersionRow.needs_bytes).is_(True)
            )
            originals = {f"originals/{workspace}/{sha256}" for workspace, sha256 in session.exec(needed)}
        there = {entry.key for entry in blobs.list("originals")}
        return [*left, *(f"{key} is missing" for key in sorted(originals - there))]

    return _at_rest(wrong)


def _at_rest(look: Any) -> list[str]:
    """What is still wrong when the sweeper has had its time."""
    try:
        eventually(look, "nothing is left", until=lambda found: not found, limit_s=_LIMIT_S)
    except NeverHappened:
        found: list[str] = look()
        return found
    return []


def _turn(stack: DistributedStack, turn_id: str) -> list[str]:
    answer = stack.client("agent0").http.get(f"/v1/turns/{turn_id}")
    status = answer.json().get("status")
    if status not in ("completed", "failed", "cancelled"):
        return [f"the turn {turn_id} is {status}"]
    return []


def _stream(stack: DistributedStack, turn_id: str) -> list[str]:
    with stack.client("resolver0").http.stream("GET", f"/v1/streams/{turn_id}") as stream:
        if stream.status_code != httpx.codes.OK:
            stream.read()
            return [f"the stream of {turn_id} answers {stream.status_code} {stream.text[:200]}"]
        seen = [event.type for event in server_events(stream)]
    ends = [kind for kind in seen if kind in TERMINAL]
    return [] if len(ends) == 1 and seen[-1] in TERMINAL else [f"the turn {turn_id} ended by {ends}"]


def _numbers(stack: DistributedStack, thread_id: str, told: Mapping[int, str]) -> list[str]:
    """What a number was told to mean is what it means now."""
    answer = stack.client("resolver0").http.get(f"/v1/conversations/{thread_id}/citations")
    if answer.status_code != httpx.codes.OK:
        return [f"the numbers of {thread_id} answer {answer.status_code}"]
    entries = {entry["n"]: entry for entry in answer.json()["items"]}
    wrong = [f"[{n}] of {thread_id} is gone" for n in told.keys() - entries.keys()]
    # Of a source that is gone since, an entry has a status alone.
    shown = {n: source_of(entry) for n, entry in entries.items() if not entry.get("status")}
    wrong += [
        f"[{n}] of {thread_id} means {shown[n]}, and meant {told[n]}"
        for n in told.keys() & shown.keys()
        if shown[n] != told[n]
    ]
    return wrong
