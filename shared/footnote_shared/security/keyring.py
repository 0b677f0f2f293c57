"""The keys of encryption at rest, read in this one place (spec 7.3, ADR 0055).

The master key wraps the deployment's wrapping key, and that wraps the data keys of workspaces. The wrapping
key is unwrapped once per process, before a transaction begins. A data key is read through the connection that
needs it, and looked at again each second: a key that was destroyed opens nothing more after that.
"""

import hashlib
import hmac
import secrets
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import Connection, Engine, bindparam, insert, select, text, update
from sqlmodel import SQLModel

from footnote_shared.db.key_tables import ONLY, WorkspaceKeyRow, WrappingKeyRow
from footnote_shared.db.sealed_rows import Transactions
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Misconfigured, OurFault
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.master_key import MasterKey

FRESH_S = 1.0
"""Seconds for which a data key is used before its row is looked at again."""

_SETTLED = timedelta(seconds=60)
"""A row of this age is surely committed: no transaction lasts as long."""

_FORM = b"\x01"
_ID_END = 17
_NONCE_END = _ID_END + 12
_KEY_BYTES = 32
_DIGEST_HEX = 32
_MOST_KEYS = 10_000
_PLACE = "wrapping_keys/deployment"

_WRAPPING = SQLModel.metadata.tables[str(WrappingKeyRow.__tablename__)]
_KEYS = SQLModel.metadata.tables[str(WorkspaceKeyRow.__tablename__)]
_BY_ID = select(_KEYS).where(_KEYS.c.id == bindparam("key_id"))
_NEWEST = select(_KEYS).where(_KEYS.c.workspace_id == bindparam("owner")).order_by(_KEYS.c.id.desc()).limit(1)
_WRAPPED = select(_WRAPPING.c.wrapped).where(_WRAPPING.c.id == ONLY)

DESTROYED = "The key of this workspace was destroyed. What was encrypted with it cannot be read by anybody."


class KeyDestroyed(OurFault):
    """The content of a workspace is gone for good, because its key is."""

    code = "key_destroyed"

    def __init__(self) -> None:
        super().__init__(DESTROYED)


@dataclass(frozen=True, slots=True, repr=False)
class DataKey:
    """An unwrapped key of a workspace. `secret` is for keys that are derived from it."""

    id: str
    workspace_id: str
    secret: bytes
    hash_key: bytes
    box: AESGCM
    head: bytes
    """What all that it seals begins with."""

    def seal(self, place: bytes, content: bytes) -> bytes:
        """The content as only this key opens it, for this place. AES-256-GCM, nonce of 96 random bits."""
        nonce = secrets.token_bytes(_NONCE_END - _ID_END)
        return self.head + nonce + self.box.encrypt(nonce, content, self._bound(place))

    def open(self, place: bytes, sealed: bytes) -> bytes:
        """The content. Raises OurFault for what was changed or moved."""
        try:
            return self.box.decrypt(sealed[_ID_END:_NONCE_END], sealed[_NONCE_END:], self._bound(place))
        except (InvalidTag, ValueError) as error:
            raise OurFault("Encrypted content was changed or moved, and cannot be read.") from error

    def keyed(self, digest: str) -> str:
        """The hash as it may be stored."""
        return hmac.new(self.hash_key, digest.encode(), hashlib.sha256).hexdigest()[:_DIGEST_HEX]

    def _bound(self, place: bytes) -> bytes:
        return self.workspace_id.encode() + b"\0" + place


def key_id_of(sealed: bytes) -> str:
    """The id of the key that has sealed this. Raises OurFault for what was never sealed."""
    if sealed[:1] != _FORM or len(sealed) < _ID_END:
        raise OurFault("Encrypted content is damaged, and cannot be read.")
    return str(uuid.UUID(bytes=bytes(sealed[1:_ID_END])))


@dataclass(frozen=True, slots=True)
class _Known:
    key: DataKey
    until: float


class Keyring:
    """One per process and database. Safe to share between threads. `clock` counts seconds."""

    def __init__(
        self, master: MasterKey | None, *, seals: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.seals = seals
        self._master = master
        self._clock = clock
        self._wrapping: AESGCM | None = None
        self._preparing = threading.Lock()
        self._by_id: dict[str, _Known] = {}
        self._newest: dict[str, _Known] = {}

    @property
    def has_master(self) -> bool:
        """Whether anything encrypted can be read at all."""
        return self._master is not None

    def prepare(self, read: Engine, write: Engine) -> None:
        """Have the wrapping key at hand. Called before each transaction; only the first call does anything.

        Raises Misconfigured for another master key than the one that has wrapped it, and Unavailable if that
        cannot be asked.
        """
        master = self._master
        if self._wrapping is not None or master is None:
            return
        with self._preparing:
            if self._wrapping is not None:
                return
            with read.connect() as connection:
                wrapped = connection.execute(_WRAPPED).scalar()
            if wrapped is None:
                if not self.seals:
                    return
                offered = master.wrap(secrets.token_bytes(_KEY_BYTES), _PLACE)
                wrapped = _first_wrapped(write, offered)
            self._wrapping = AESGCM(master.unwrap(wrapped, _PLACE))

    def sealing_key(self, connection: Connection, workspace_id: str) -> DataKey:
        """The newest key of the workspace, which is made now if there is none. Raises KeyDestroyed."""
        known = self._newest.get(workspace_id)
        if known is not None and self._clock() < known.until:
            return known.key
        until = self._clock() + FRESH_S
        row = connection.execute(_NEWEST, {"owner": workspace_id}).mappings().first()
        if row is None:
            _lock(connection, workspace_id)
            row = connection.execute(_NEWEST, {"owner": workspace_id}).mappings().first()
        if row is None:
            return self._add(connection, workspace_id, secrets.token_bytes(_KEY_BYTES))
        if row["destroyed_at"] is not None:
            raise KeyDestroyed
        key = known.key if known is not None and known.key.id == row["id"] else self._unwrapped(row)
        if row["created_at"] < now() - _SETTLED:
            # A younger one may be of this very transaction, and vanish with it.
            _remember(self._newest, workspace_id, _Known(key, until))
        return key

    def committed_key(self, database: Transactions, workspace_id: str) -> DataKey:
        """The newest key of the workspace, for use outside of a transaction. Never called within one."""
        known = self._newest.get(workspace_id)
        if known is not None and self._clock() < known.until:
            return known.key
        with database.read() as session:
            row = session.connection().execute(_NEWEST, {"owner": workspace_id}).first()
            if row is not None:
                return self.sealing_key(session.connection(), workspace_id)
        with database.write() as session:
            return self.sealing_key(session.connection(), workspace_id)

    def opening_key(self, connection: Connection, key_id: str) -> DataKey:
        """The key with this id. Raises KeyDestroyed, and OurFault for one that never was."""
        known = self._by_id.get(key_id)
        if known is not None and self._clock() < known.until:
            return known.key
        until = self._clock() + FRESH_S
        row = connection.execute(_BY_ID, {"key_id": key_id}).mappings().first()
        if row is None:
            raise OurFault("Encrypted content names a key that is not in the database.")
        if row["destroyed_at"] is not None:
            self._by_id.pop(key_id, None)
            raise KeyDestroyed
        key = known.key if known is not None else self._unwrapped(row)
        _remember(self._by_id, key_id, _Known(key, until))
        return key

    def open(self, connection: Connection, workspace_id: str | None, place: bytes, sealed: bytes) -> bytes:
        key = self.opening_key(connection, key_id_of(sealed))
        if workspace_id is not None and key.workspace_id != workspace_id:
            raise OurFault("Encrypted content lies in another workspace than its own, and cannot be read.")
        return key.open(place, sealed)

    def rotate(self, connection: Connection, workspace_id: str) -> str:
        """A new data key for the workspace; what it had stays readable. Returns the id of the new one."""
        _lock(connection, workspace_id)
        row = connection.execute(_NEWEST, {"owner": workspace_id}).mappings().first()
        if row is not None and row["destroyed_at"] is not None:
            raise KeyDestroyed
        hash_key = secrets.token_bytes(_KEY_BYTES) if row is None else self._unwrapped(row).hash_key
        self._newest.pop(workspace_id, None)
        return self._add(connection, workspace_id, hash_key).id

    def rewrap(self, engine: Engine) -> bool:
        """Wrap the wrapping key with the present master key. False where there is none yet, or it changed."""
        if self._master is None:
            raise Misconfigured("There is no master key to wrap with: set FOOTNOTE_MASTER_KEY_FILE.")
        with engine.connect() as connection:
            before = connection.execute(_WRAPPED).scalar()
        if before is None:
            return False
        after = self._master.wrap(self._master.unwrap(before, _PLACE), _PLACE)
        with engine.begin() as connection:
            change = update(_WRAPPING).where(_WRAPPING.c.id == ONLY, _WRAPPING.c.wrapped == before)
            return connection.execute(change.values(wrapped=after, wrapped_at=now())).rowcount == 1

    def _add(self, connection: Connection, workspace_id: str, hash_key: bytes) -> DataKey:
        key_id, secret = new_id(), secrets.token_bytes(_KEY_BYTES)
        nonce = secrets.token_bytes(12)
        bound = _row_place(key_id, workspace_id)
        wrapped = nonce + self._wrapper().encrypt(nonce, secret + hash_key, bound)
        connection.execute(
            insert(_KEYS),
            {
                "id": key_id,
                "workspace_id": workspace_id,
                "wrapped": wrapped,
                "created_at": now(),
                "destroyed_at": None,
            },
        )
        return data_key(key_id, workspace_id, secret, hash_key)

    def _unwrapped(self, row: Mapping[Any, Any]) -> DataKey:
        wrapped, key_id, owner = bytes(row["wrapped"]), row["id"], row["workspace_id"]
        try:
            both = self._wrapper().decrypt(wrapped[:12], wrapped[12:], _row_place(key_id, owner))
        except (InvalidTag, ValueError) as error:
            raise OurFault("The key of a workspace was changed or moved, and cannot be read.") from error
        secret, hash_key = both[:_KEY_BYTES], both[_KEY_BYTES:]
        return data_key(key_id, owner, secret, hash_key)

    def _wrapper(self) -> AESGCM:
        if self._wrapping is None:
            raise Misconfigured(
                "What is stored here is encrypted, and no master key is set. Set FOOTNOTE_MASTER_KEY_FILE, "
                "FOOTNOTE_MASTER_KEY or FOOTNOTE_MASTER_KEY_VAULT as it was when it was encrypted."
            )
        return self._wrapping


def data_key(key_id: str, workspace_id: str, secret: bytes, hash_key: bytes) -> DataKey:
    """A key of these random bytes, 32 each."""
    return DataKey(key_id, workspace_id, secret, hash_key, AESGCM(secret), _FORM + uuid.UUID(key_id).bytes)


def destroy(connection: Connection, workspace_id: str) -> int:
    """Overwrite every key of a workspace, for ever. Returns how many there were.

    A workspace that had none is marked all the same: none is ever made for it.
    """
    _lock(connection, workspace_id)
    gone = {"wrapped": b"", "destroyed_at": now()}
    mine = _KEYS.c.workspace_id == workspace_id
    count = connection.execute(
        update(_KEYS).where(mine, _KEYS.c.destroyed_at.is_(None)).values(gone)
    ).rowcount
    if connection.execute(select(_KEYS.c.id).where(mine).limit(1)).first() is None:
        row = {"id": new_id(), "workspace_id": workspace_id, "created_at": now(), **gone}
        connection.execute(insert(_KEYS), row)
    return count


def _first_wrapped(engine: Engine, offered: str) -> str:
    """The wrapping key that the database holds: of several processes at once, all use that of one."""
    with engine.begin() as connection:
        _lock(connection, ONLY)
        found = connection.execute(_WRAPPED).scalar()
        if found is None:
            moment = now()
            row = {"id": ONLY, "wrapped": offered, "created_at": moment, "wrapped_at": moment}
            connection.execute(insert(_WRAPPING), row)
        return offered if found is None else str(found)


def _lock(connection: Connection, name: str) -> None:
    """Let nobody else make a key of this name until the transaction ends."""
    if connection.dialect.name == "postgresql":
        connection.execute(
            text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": f"keys/{name}"}
        )


def _row_place(key_id: str, workspace_id: str) -> bytes:
    return f"workspace_keys/{key_id}/{workspace_id}".encode()


def _remember(kept: dict[str, _Known], name: str, known: _Known) -> None:
    if len(kept) >= _MOST_KEYS:
        kept.clear()
    kept[name] = known
