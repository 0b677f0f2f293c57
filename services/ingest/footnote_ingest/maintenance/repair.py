"""What `footnote doctor --reconcile` does for one workspace, in portions, and what a clock does at intervals.

A portion looks at one store for some seconds and says where the next one begins. Whoever asks keeps that
place, so nothing is held here between two portions, and a comparison goes on after any crash.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from footnote_ingest.contracts.reconciliation import Reconciliation
from footnote_ingest.maintenance.looks import Look
from footnote_ingest.maintenance.reconcile import incomplete_documents, note, stray_points
from footnote_ingest.maintenance.reconcile_facts import lacking_facts, stray_facts
from footnote_ingest.maintenance.reconcile_rows import differing_rows
from footnote_ingest.maintenance.sweep import sweep
from footnote_ingest.maintenance.tidy import left_behind, orphan_originals
from footnote_ingest.pipeline.remove import RemoveResources
from footnote_ingest.work.resources import WorkResources

Looks = Callable[[WorkResources, RemoveResources, str, str], Iterator[Look]]


@dataclass(frozen=True, slots=True)
class PortionStart:
    """Where a portion begins: a part of the comparison, and the id behind which it goes on."""

    part: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class RepairedPortion:
    """What a portion has looked at, found and repaired. `following` is None at the end."""

    part: str
    looked_at: int
    found: Counter[str]
    following: PortionStart | None


def _stuck(work: WorkResources, resources: RemoveResources, workspace_id: str, after: str) -> Iterator[Look]:
    """Send again what is stuck, of all workspaces, as each sweep does."""
    swept = sweep(work.database, work.dispatcher, work.policy, lambda queue: None)
    resources.blobs.forget_unfinished()
    found = {
        "documents_stuck": swept.again,
        "documents_failed": swept.failed,
        "removals_stuck": swept.removals,
    }
    yield Look(sum(found.values()), found)


PARTS: Mapping[str, Looks] = {
    "stuck": _stuck,
    "rows": lambda work, resources, workspace, after: differing_rows(work, workspace, after),
    "files": lambda work, resources, workspace, after: orphan_originals(work, resources, workspace),
    "texts": lambda work, resources, workspace, after: left_behind(work, resources, workspace),
    "vectors": stray_points,
    "documents": incomplete_documents,
    "fact_vectors": lambda work, resources, workspace, after: stray_facts(
        work, resources.facts, workspace, after
    ),
    "facts": lambda work, resources, workspace, after: lacking_facts(
        work.database, resources.facts, workspace, after
    ),
}
"""In their order: what is stray goes before what is missing is made."""

FIRST = PortionStart("stuck")


def repair_portion(
    work: WorkResources,
    resources: RemoveResources,
    workspace_id: str,
    place: PortionStart,
    is_over: Callable[[], bool],
) -> RepairedPortion:
    """Compare from the place on, until the part ends or it `is_over` after a look. Safe beside workers."""
    found: Counter[str] = Counter()
    looked_at = 0
    following = _behind(place.part)
    for look in PARTS[place.part](work, resources, workspace_id, place.after):
        found.update(look.found)
        looked_at += look.looked_at
        gets_on = bool(look.after) or found.total() > 0
        if gets_on and is_over():
            following = PortionStart(place.part, look.after)
            break
    note(found)
    return RepairedPortion(place.part, looked_at, found, following)


def repair(work: WorkResources, resources: RemoveResources, workspace_id: str) -> Reconciliation:
    """Compare all that belongs to the workspace, portion after portion."""
    found: Counter[str] = Counter()
    place: PortionStart | None = FIRST
    while place is not None:
        portion = repair_portion(work, resources, workspace_id, place, lambda: False)
        found.update(portion.found)
        place = portion.following
    return Reconciliation.model_validate(dict(found))


def _behind(part: str) -> PortionStart | None:
    names = list(PARTS)
    at = names.index(part) + 1
    return PortionStart(names[at]) if at < len(names) else None
