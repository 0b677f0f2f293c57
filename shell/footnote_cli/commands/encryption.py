"""`footnote encryption`: keys of encryption at rest, for the operator. It works on the database itself."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from sqlmodel import col, select

from footnote_cli.render import console, outside, table
from footnote_cli.typer_app import typer_app
from footnote_shared.contracts.audit import AuditAction
from footnote_shared.db.audit_log import add_entry, operator_of
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.db.key_tables import SealingRow, WorkspaceKeyRow, WrappingKeyRow
from footnote_shared.db.tables import WorkspaceRow
from footnote_shared.kernel.errors import InvalidRequest, Misconfigured
from footnote_shared.security.api_keys import revoke_keys_of
from footnote_shared.security.keyring import Keyring, destroy
from footnote_shared.security.master_key import make_key_text
from footnote_shared.security.open_database import open_database
from footnote_shared.security.sealing_work import overwrite_log
from footnote_shared.settings.base import load_settings

app = typer_app(no_args_is_help=True)


@app.callback()
def encryption() -> None:
    """Make, change and destroy the keys of encryption at rest. For the operator, without the server.

    Example: `footnote encryption make-key /etc/footnote/master.key`

    Exit status: 0 when it is done, 1 when a key is missing or wrong, 2 when there is no such workspace.
    """


@app.command("make-key")
def make_key(
    file: Annotated[Path, typer.Argument(help="Where to write it. It must not be there yet.")],
) -> None:
    """Make a master key in a file that its owner alone may read. Keep a copy of it apart from the data.

    Example: `footnote encryption make-key master.key`
    """
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise InvalidRequest("That file is there already, and a key in it would be lost.") from error
    except OSError as error:
        raise InvalidRequest(f"The file cannot be written: {error.strerror}.") from error
    with os.fdopen(handle, "w") as out:
        out.write(make_key_text() + "\n")
    console.print(
        f"Set FOOTNOTE_MASTER_KEY_FILE to {outside(str(file.absolute()))} and FOOTNOTE_ENCRYPTION to true."
    )


@app.command("status")
def status() -> None:
    """Say what is encrypted, and how far the work in the background is."""
    settings = load_settings()
    with _database() as (database, _), database.read() as session:
        wrapping = session.exec(select(WrappingKeyRow)).first()
        keys = session.exec(select(WorkspaceKeyRow)).all()
        work = session.exec(select(SealingRow).order_by(col(SealingRow.name))).all()
    console.print(f"Encryption is {'on' if settings.encryption else 'off'}.")
    if wrapping is not None:
        console.print(f"The wrapping key was wrapped at {wrapping.wrapped_at:%Y-%m-%d %H:%M} UTC.")
    live = [key for key in keys if key.destroyed_at is None]
    console.print(
        f"{len({key.workspace_id for key in live})} workspaces have {len(live)} keys, and "
        f"{len(keys) - len(live)} were destroyed."
    )
    rows = table("", "what", "state", "changed")
    for row in work:
        rows.add_row(row.name, "done" if row.done_for == row.goal else "in work", f"{row.changed:,}")
    console.print(rows)


@app.command("rewrap")
def rewrap() -> None:
    """Wrap the keys anew after a change of the master key. Give the new one first, and the old one behind it.

    Processes go on meanwhile. Once this is done the old master key can be taken away.
    """
    with _database() as (database, keyring):
        if not keyring.rewrap(database.engine):
            raise Misconfigured("There is nothing to wrap yet: no process has encrypted anything.")
    console.print("The keys are wrapped by the present master key.")


@app.command("rotate")
def rotate(
    workspace: Annotated[str | None, typer.Argument(help="Id of a workspace. Left out: all of them.")] = None,
) -> None:
    """Give a workspace a new key. What is there is encrypted anew in the background."""
    with _database() as (database, keyring):
        with database.read() as session:
            query = select(WorkspaceKeyRow.workspace_id).where(col(WorkspaceKeyRow.destroyed_at).is_(None))
            known = set(session.exec(query))
        chosen = sorted(known if workspace is None else known & {workspace})
        if workspace is not None and not chosen:
            raise InvalidRequest("That workspace has no key: nothing of it is encrypted.")
        for one in chosen:
            with database.write() as session:
                keyring.rotate(session.connection(), one)
                _note(session, "encryption.rotated", one)
    console.print(f"{len(chosen)} workspaces have a new key.")


@app.command("destroy")
def destroy_workspace(
    workspace: Annotated[str, typer.Argument(help="Id of the workspace.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Destroy a workspace's key, and revoke its API keys. Nobody reads its content ever again.

    Its documents and connectors are deleted by the next sweep, also those under legal hold. A backup from
    before still holds the key, wrapped.
    """
    with _database() as (database, keyring):
        if not keyring.seals:
            raise InvalidRequest(
                "Encryption is off: content is stored as plain text, and would be readable without a key. "
                "Nothing was destroyed."
            )
        with database.read() as session:
            found = session.get(WorkspaceRow, workspace)
        if found is None:
            raise InvalidRequest("There is no such workspace.")
        if not yes:
            typer.confirm(f"Destroy the key of {outside(found.name)} for ever?", abort=True)
        with database.write() as session:
            if database.is_sqlite:
                session.connection().exec_driver_sql("PRAGMA secure_delete=ON")
            count = destroy(session.connection(), workspace)
            revoke_keys_of(session, workspace)
            _note(session, "encryption.destroyed", workspace)
        overwrite_log(database)
    console.print(f"{count} keys are destroyed, and the API keys of the workspace revoked.")


def _note(session: WriteSession, action: AuditAction, workspace_id: str) -> None:
    """Note in the audit log of the workspace what was done to its keys."""
    add_entry(session, operator_of(workspace_id), action, workspace_id, before=None, after=None)


@contextmanager
def _database() -> Iterator[tuple[Database, Keyring]]:
    database = open_database(load_settings())
    try:
        assert isinstance(database.sealer, Keyring)
        yield database, database.sealer
    finally:
        database.close()
