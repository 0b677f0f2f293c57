"""A migrated database and callers in it."""

from footnote_cli.migrations import upgrade
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.security.api_keys import make_key, make_workspace


def make_database(url: str) -> Database:
    """A database brought to the newest migration of every installed service."""
    database = Database(url)
    upgrade(database)
    return database


def make_caller(database: Database, name: str = "test") -> tuple[Principal, str]:
    """A new workspace with an admin, and that admin's key."""
    with database.write() as session:
        principal = make_workspace(session, name)
        return principal, make_key(session, principal, name, ["admin"])
