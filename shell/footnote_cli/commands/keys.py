"""`footnote keys`: make, list and revoke API keys, in the database itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated

import typer
from sqlalchemy import or_
from sqlmodel import col, select

from footnote_cli.render import console, outside, table
from footnote_cli.typer_app import typer_app
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

app = typer_app(no_args_is_help=True)


class ScopeName(StrEnum):
    """What a key may allow, as the command line takes it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


_SCOPES: dict[ScopeName, Scope] = {
    ScopeName.READ: "read",
    ScopeName.WRITE: "write",
    ScopeName.ADMIN: "admin",
}


@app.callback()
def keys() -> None:
    """Make, list and revoke API keys. For the operator: it works on the database, without the server.

    Example: `footnote keys make "nightly import" --scope write`

    Exit status: 0 when it is done, 1 when there is no such key, 2 when there is no such workspace or avatar.
    """


@app.command("make")
def make(
    name: Annotated[str, typer.Argument(help="What the key is for; a note for people.")],
    scope: Annotated[
        list[ScopeName] | None,
        typer.Option(help="What it may do; repeat it for several. Left out: read and write."),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(help="A group that whoever holds it is in; repeat it for several. Left out: none."),
    ] = None,
    workspace: Annotated[
        str | None, typer.Option(help="Id of the workspace. Left out: the oldest one.")
    ] = None,
    new_workspace: Annotated[
        str | None, typer.Option(help="Make a workspace of this name for the key.")
    ] = None,
    avatar: Annotated[
        str | None, typer.Option(help="Name or id of the avatar. Left out: the workspace's first one.")
    ] = None,
    new_avatar: Annotated[
        str | None, typer.Option(help="Make an avatar of this name in the workspace, for the key.")
    ] = None,
) -> None:
    """Make a key. It is printed this once, and kept as a hash.

    Example: `footnote keys make "Anna's laptop" --new-avatar anna --scope read`
    """
    with _database() as database, database.write() as session:
        if new_workspace is not None:
            owner = make_workspace(session, new_workspace)
        else:
            owner = _avatar(session, _workspace(session, workspace), avatar, new_avatar)
        scopes = [_SCOPES[item] for item in scope or (ScopeName.READ, ScopeName.WRITE)]
        key = make_key(session, owner, name, scopes, group or ())
    console.print(f"workspace {owner.workspace_id} avatar {owner.avatar_id}")
    console.print(key)


@app.command("list")
def list_all() -> None:
    """List all keys, revoked ones too. Of a key itself only the beginning is known."""
    with _database() as database, database.read() as session:
        names = {avatar.id: avatar.name for avatar in session.exec(select(AvatarRow))}
        rows = table("", "id", "workspace", "avatar", "name", "key", "scopes", "groups", "state")
        for row in list_keys(session):
            rows.add_row(
                row.id,
                row.workspace_id,
                outside(names[row.avatar_id]),
                outside(row.name),
                row.hint + "…",
                row.scopes,
                outside(", ".join(row.groups or ())),
                "revoked" if row.revoked_at else "",
            )
    console.print(rows)


@app.command("revoke")
def revoke(key_id: Annotated[str, typer.Argument(help="The id that `footnote keys list` shows.")]) -> None:
    """Revoke a key: it is useless from the next request on."""
    with _database() as database, database.write() as session:
        revoke_key(session, key_id)
    console.print(f"Revoked {outside(key_id)}.")


@contextmanager
def _database() -> Iterator[Database]:
    database = Database.from_settings(load_settings())
    try:
        yield database
    finally:
        database.close()


def _workspace(session: WriteSession, wanted: str | None) -> str:
    """The id of the workspace that was named, or of the oldest one."""
    query = select(WorkspaceRow).order_by(col(WorkspaceRow.created_at))
    row = session.exec(query.where(WorkspaceRow.id == wanted) if wanted else query).first()
    if row is None:
        raise InvalidRequest("There is no such workspace. Make one with --new-workspace NAME.")
    return row.id


def _avatar(session: WriteSession, workspace_id: str, wanted: str | None, new_name: str | None) -> Principal:
    """The avatar of the workspace that the key is for: a new one, the one that was named, or the first."""
    if wanted is not None and new_name is not None:
        raise InvalidRequest("Give either --avatar or --new-avatar.")
    if new_name is not None:
        return make_avatar(session, workspace_id, new_name)
    query = (
        select(AvatarRow).where(AvatarRow.workspace_id == workspace_id).order_by(col(AvatarRow.created_at))
    )
    if wanted is not None:
        query = query.where(or_(col(AvatarRow.id) == wanted, col(AvatarRow.name) == wanted))
    found = session.exec(query.limit(2)).all()
    if not found:
        raise InvalidRequest(f"The workspace has no avatar {wanted}. Make one with --new-avatar NAME.")
    if wanted is not None and len(found) > 1:
        raise InvalidRequest(f"Several avatars are called {wanted}: give the id.")
    return Principal(workspace_id=workspace_id, avatar_id=found[0].id, scopes=frozenset())
