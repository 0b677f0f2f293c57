"""`footnote keys`: make, list and revoke API keys. Works on the database itself, for the operator."""

from enum import StrEnum
from typing import Annotated

import typer
from sqlmodel import col, select

from footnote_shared.cli.render import console, table
from footnote_shared.contracts.identity import Principal, Scope
from footnote_shared.db.engine import Database
from footnote_shared.db.tables import AvatarRow, WorkspaceRow
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.security.api_keys import list_keys, make_key, make_workspace, revoke_key
from footnote_shared.settings.base import load_settings

app = typer.Typer(
    help="Make, list and revoke API keys.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


class ScopeName(StrEnum):
    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


_OF: dict[ScopeName, Scope] = {ScopeName.READ: "read", ScopeName.WRITE: "write", ScopeName.ADMIN: "admin"}


@app.command("make")
def make(
    name: Annotated[str, typer.Argument(help="What the key is for.")],
    scope: Annotated[list[ScopeName] | None, typer.Option(help="What it may do; repeat for several.")] = None,
    workspace: Annotated[
        str | None, typer.Option(help="Id of the workspace; the oldest one when left out.")
    ] = None,
    new_workspace: Annotated[
        str | None, typer.Option(help="Make a workspace of this name for the key.")
    ] = None,
) -> None:
    """Make a key; it is printed once."""
    database = Database.from_settings(load_settings())
    with database.write() as session:
        if new_workspace is not None:
            owner = make_workspace(session, new_workspace)
        else:
            found = select(WorkspaceRow).order_by(col(WorkspaceRow.created_at))
            row = session.exec(found.where(WorkspaceRow.id == workspace) if workspace else found).first()
            if row is None:
                raise InvalidRequest("There is no such workspace. Make one with --new-workspace NAME.")
            avatar = session.exec(select(AvatarRow).where(AvatarRow.workspace_id == row.id)).first()
            assert avatar is not None, "a workspace is made together with its first avatar"
            owner = Principal(workspace_id=row.id, avatar_id=avatar.id, scopes=frozenset({"admin"}))
        key = make_key(
            session, owner, name, [_OF[item] for item in scope or [ScopeName.READ, ScopeName.WRITE]]
        )
    console.print(f"workspace {owner.workspace_id}")
    console.print(key)


@app.command("list")
def list_all() -> None:
    """List all keys; the keys themselves are kept as hashes only."""
    database = Database.from_settings(load_settings())
    with database.read() as session:
        rows = table("", "id", "workspace", "name", "key", "scopes", "state")
        for row in list_keys(session):
            rows.add_row(
                row.id,
                row.workspace_id,
                row.name,
                row.hint + "…",
                row.scopes,
                "revoked" if row.revoked_at else "",
            )
    console.print(rows)


@app.command("revoke")
def revoke(key_id: Annotated[str, typer.Argument(help="The id that `footnote keys list` shows.")]) -> None:
    """Make a key useless from the next request on."""
    database = Database.from_settings(load_settings())
    with database.write() as session:
        revoke_key(session, key_id)
    console.print(f"Revoked {key_id}.")
