"""Names of operations are kept: clients that others made from the OpenAPI document call them (spec 9)."""

from pathlib import Path

from footnote_cli.joint_document import joint_document
from footnote_shared.web.openapi import operations
from tests.applications import applications

KEPT = Path(__file__).parent / "operation_names.txt"


def test_no_operation_changes_its_name() -> None:
    """A route that goes or is named anew takes its line along, and stands in the changelog as a break."""
    kept = KEPT.read_text("utf-8").splitlines()
    joint = joint_document({name: app.openapi() for name, app in applications().items()})
    named = sorted(operation["operationId"] for _, _, operation in operations(joint))
    gone = sorted(set(kept) - set(named))
    assert not gone, f"clients call these by their names: {', '.join(gone)}"
    new = sorted(set(named) - set(kept))
    assert not new, f"write these into {KEPT.name}, so that their names stay: {', '.join(new)}"
    assert kept == named
