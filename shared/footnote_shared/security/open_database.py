"""The database of the settings, with the keys of its encrypted rows."""

from footnote_shared.db.engine import PATIENT_S, Database
from footnote_shared.security.keyring import Keyring
from footnote_shared.security.master_key import master_key
from footnote_shared.settings.base import Settings


def open_database(settings: Settings, *, answer_s: float = PATIENT_S, background: bool = False) -> Database:
    """Like `Database.from_settings`. Raises Misconfigured where encryption is on without a master key."""
    database = Database.from_settings(settings, answer_s=answer_s, background=background)
    database.sealer = Keyring(master_key(settings), seals=settings.encryption)
    return database
