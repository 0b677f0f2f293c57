"""`footnote keys`: make, list and revoke API keys. Works on the database itself, for the operator."""

from enum import StrEnum
from typing import Annotated

import typer
from sqlalchemy import or_
from sqlmodel import col, select

from footnote_cli.render import console, table
from footnote_shared.contracts.identity import Principal, Scope
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.db.tables import AvatarRow, WorkspaceRow
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.security.api_keys import (
    list_keys,
    make_avatar,
    make_key,
    make_workspace,
    revoke_key,
)
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
    avatar: Annotated[
        str | None, typer.Option(help="Name or id of the avatar; the workspace's first one when left out.")
    ] = None,
    new_avatar: Annotated[
        str | None, typer.Option(help="Make an avatar of this name in the workspace, for the key.")
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
            owner = _avatar(session, row.id, avatar, new_avatar)
        key = make_key(
            session, owner, name, [_OF[item] for item in scope or [ScopeName.READ, ScopeName.WRITE]]
        )
    console.print(f"workspace {owner.workspace_id} avatar {owner.avatar_id}")
    console.print(key)


@app.command("list")
def list_all() -> None:
    """List all keys; the keys themselves are kept as hashes only."""
    database = Database.from_settings(load_settings())
    with database.read() as session:
        names = {avatar.id: avatar.name for avatar in session.exec(select(AvatarRow))}
        rows = table("", "id", "workspace", "avatar", "name", "key", "scopes", "state")
        for row in list_keys(session):
            rows.add_row(
                row.id,
                row.workspace_id,
                names[row.avatar_id],
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


def _avatar(session: WriteSession, workspace_id: str, named: str | None, new_name: str | None) -> Principal:
    """The avatar of the workspace that the key is for: a new one, the named one, or the first."""
    if named is not None and new_name is not None:
        raise InvalidRequest("Give either --avatar or --new-avatar.")
    if new_name is not None:
        return make_avatar(session, workspace_id, new_name)
    query = (
        select(AvatarRow).where(AvatarRow.workspace_id == workspace_id).order_by(col(AvatarRow.created_at))
    )
    if named is not None:
        query = query.where(or_(col(AvatarRow.id) == named, col(AvatarRow.name) == named))
    found = session.exec(query.limit(2)).all()
    if not found:
        raise InvalidRequest(f"The workspace has no avatar {named}. Make one with --new-avatar NAME.")
    if named is not None and len(found) > 1:
        raise InvalidRequest(f"Several avatars are called {named}: give the id.")
    return Principal(workspace_id=workspace_id, avatar_id=found[0].id, scopes=frozenset())
