"""`footnote migrate` and `footnote keys`, on a database of their own."""

import re

import pytest

from tests.unit.cli.conftest import Footnote


@pytest.fixture
def migrated(footnote: Footnote) -> Footnote:
    assert footnote("migrate", "--check").status == 1
    assert footnote("migrate").out == "The database is up to date.\n"
    assert footnote("migrate", "--check").status == 0
    return footnote


def test_keys_are_made_listed_and_revoked(migrated: Footnote) -> None:
    assert migrated("keys", "make", "first").status == 2
    made = migrated("keys", "make", "Anna's [laptop]", "--new-workspace", "birds", "--scope", "read")
    ((workspace, key),) = re.findall(r"workspace (\S+) avatar \S+\n(fn_\S+)", made.out)
    (row,) = migrated("keys", "list").out.splitlines()[1:]
    assert "Anna's [laptop]" in row
    assert key not in row
    assert key[:7] in row
    assert row.rstrip().endswith("read")
    assert migrated("keys", "revoke", row.split()[0]).status == 0
    assert migrated("keys", "list").out.rstrip().endswith("revoked")
    assert migrated("keys", "revoke", "nothing").status == 1
    more = migrated("keys", "make", "import", "--workspace", workspace, "--new-avatar", "robot")
    assert f"workspace {workspace}" in more.out
    assert migrated("keys", "make", "x", "--avatar", "robot").status == 0
    assert "read,write" in migrated("keys", "list").out
    assert migrated("keys", "make", "x", "--avatar", "nobody").status == 2
    assert migrated("keys", "make", "x", "--avatar", "robot", "--new-avatar", "other").status == 2
