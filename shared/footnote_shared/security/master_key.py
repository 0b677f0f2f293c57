"""The master key, which stays outside of the database: from the settings, or a key of Vault.

It wraps one key, that of the deployment. So Vault is asked when a process starts, and never for a row.
"""

import base64
import binascii
import secrets
from typing import Protocol

from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.security.sealing import Seals
from footnote_shared.security.vault_transit import VaultTransit
from footnote_shared.settings.base import Settings

_SETTING = "FOOTNOTE_MASTER_KEY"


class MasterKey(Protocol):
    """Wraps keys. Each method may ask another machine: none is called within a transaction."""

    def wrap(self, key: bytes, place: str) -> str:
        """The key as `unwrap` for the same place gives it back. Raises Unavailable and Misconfigured."""
        ...

    def unwrap(self, wrapped: str, place: str) -> bytes:
        """The key. Raises Unavailable, and Misconfigured for what another master key has wrapped."""
        ...


class GivenMasterKey:
    """Keys of the settings: the first wraps, each unwraps."""

    def __init__(self, *texts: str) -> None:
        """Raises Misconfigured for a key that is short."""
        self._seals = Seals.of(*texts, setting=_SETTING)

    def wrap(self, key: bytes, place: str) -> str:
        return self._seals.seal(base64.b64encode(key).decode(), place)

    def unwrap(self, wrapped: str, place: str) -> bytes:
        try:
            return base64.b64decode(self._seals.open(wrapped, place), validate=True)
        except binascii.Error as error:
            raise Misconfigured("A wrapped key in the database is damaged.") from error


class VaultMasterKey:
    """A key of Vault. What a master key of the settings has wrapped before is still unwrapped with that."""

    def __init__(self, vault: VaultTransit, before: GivenMasterKey | None) -> None:
        self._vault = vault
        self._before = before

    def wrap(self, key: bytes, place: str) -> str:
        return self._vault.encrypt(key, place)

    def unwrap(self, wrapped: str, place: str) -> bytes:
        if wrapped.startswith("vault:"):
            return self._vault.decrypt(wrapped, place)
        if self._before is None:
            raise Misconfigured(
                "The keys in the database were wrapped with a master key. Set it beside "
                "FOOTNOTE_MASTER_KEY_VAULT, and run `footnote encryption rewrap`."
            )
        return self._before.unwrap(wrapped, place)


def master_key(settings: Settings) -> MasterKey | None:
    """The master key of the settings. None if there is none and nothing is to be encrypted.

    Raises Misconfigured where encryption is on and nothing gives a master key.
    """
    texts = settings.master_key.get_secret_value().replace(",", " ").split()
    given = GivenMasterKey(*texts) if texts else None
    if settings.master_key_vault:
        token = settings.vault_token.get_secret_value()
        return VaultMasterKey(VaultTransit(settings.master_key_vault, token), given)
    if given is None and settings.encryption:
        raise Misconfigured(
            "FOOTNOTE_ENCRYPTION is on, and there is no master key. Set FOOTNOTE_MASTER_KEY_FILE to a file "
            "that `footnote encryption make-key FILE` makes, and keep a copy of it apart from the data."
        )
    return given


def make_key_text() -> str:
    """A fresh master key of 256 random bits, as text."""
    return secrets.token_urlsafe(32)
