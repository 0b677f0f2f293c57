"""What `footnote doctor --reconcile` does at once, for one workspace, and what a clock does at intervals."""

from footnote_ingest.contracts.reconciliation import Reconciliation
from footnote_ingest.maintenance.reconcile import reconcile
from footnote_ingest.maintenance.sweep import sweep
from footnote_ingest.maintenance.tidy import remove_orphan_blobs
from footnote_ingest.pipeline.remove import RemoveResources
from footnote_ingest.work.resources import WorkResources


def repair(work: WorkResources, resources: RemoveResources, workspace_id: str) -> Reconciliation:
    """Compare SQL with the vectors and the blobs of the workspace, repair what differs, and count it.

    Documents that are stuck are sent again for all workspaces, as each sweep does. Safe beside workers.
    """
    swept = sweep(work.database, work.dispatcher, work.policy, lambda queue: None)
    blobs = remove_orphan_blobs(work, resources, workspace_id)
    found = reconcile(work, resources, workspace_id)
    return Reconciliation(
        vectors_without_row=found.orphans,
        rows_without_vector=found.incomplete,
        rows_without_bytes=found.without_bytes,
        blobs_without_row=blobs,
        documents_stuck=swept.again,
        documents_failed=swept.failed,
        removals_stuck=swept.removals,
    )
