"""Names of operations are kept: clients that others made from the OpenAPI document call them (spec 9)."""

from pathlib import Path

from footnote_cli.joint_document import joint_document
from footnote_cli.services import SERVICES, load_app
from footnote_shared.settings.base import Settings
from footnote_shared.web.openapi import operations

KEPT = Path(__file__).parent / "operation_names.txt"


def test_no_operation_changes_its_name() -> None:
    """A route that goes or is named anew takes its line along, and stands in the changelog as a break."""
    kept = KEPT.read_text("utf-8").splitlines()
    joint = joint_document({name: load_app(name, Settings()).openapi() for name in SERVICES})
    named = sorted(operation["operationId"] for _, _, operation in operations(joint))
    gone = sorted(set(kept) - set(named))
    assert not gone, f"clients call these by their names: {', '.join(gone)}"
    new = sorted(set(named) - set(kept))
    assert not new, f"write these into {KEPT.name}, so that their names stay: {', '.join(new)}"
    assert kept == named
