"""Secrets at rest: texts that only a holder of the key can read, and only where they were put (spec 7.3)."""

import base64
import binascii
import hashlib
import secrets
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.security.secret_file import secret_file
from footnote_shared.settings.base import Settings

_FORM = "v1"
_NONCE_BYTES = 12
_SHORTEST_KEY = 32

CREDENTIALS_KEY = "FOOTNOTE_CREDENTIALS_KEY"
"""The setting that gives the keys of credentials."""


class CannotBeOpened(Misconfigured):
    """What was sealed cannot be opened by the keys that are given. `detail` names the setting."""


class Sealed(str):
    """A text that was sealed. It is safe to store and says nothing when it is logged."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, repr=False)
class Seals:
    """Seals with the first key and opens with any, so that keys can be changed while old texts are there.

    A text is sealed for a place, such as the column of one row. Moved to another place it does not open.
    AES-256-GCM (NIST SP 800-38D) with a random nonce of 96 bits.
    """

    keys: tuple[tuple[str, AESGCM], ...]
    setting: str = CREDENTIALS_KEY

    @classmethod
    def of(cls, *texts: str, setting: str = CREDENTIALS_KEY) -> "Seals":
        """Seals with keys that are made from these texts, which the setting of this name has given.

        Raises Misconfigured for a text that is short.
        """
        if not texts or min(map(len, texts)) < _SHORTEST_KEY:
            raise Misconfigured(f"A key of {setting} needs {_SHORTEST_KEY} characters or more.")
        derived = [hashlib.sha256(b"footnote seals 1\0" + text.encode()).digest() for text in texts]
        return cls(tuple((hashlib.sha256(key).hexdigest()[:8], AESGCM(key)) for key in derived), setting)

    @classmethod
    def from_settings(cls, settings: Settings) -> "Seals":
        """The keys of the settings, then one made from the service secret if that is set.

        Processes that share neither share the key in the data folder, which is made at first use.
        """
        given = [text.strip() for text in settings.credentials_key.get_secret_value().split(",")]
        texts = [text for text in (*given, settings.service_secret.get_secret_value()) if text]
        return cls.of(*(texts or [secret_file(settings.data / "credentials_key")]))

    def seal(self, text: str, place: str) -> Sealed:
        """The text as only `open` with the same place gives it back."""
        name, key = self.keys[0]
        nonce = secrets.token_bytes(_NONCE_BYTES)
        hidden = nonce + key.encrypt(nonce, text.encode(), place.encode())
        return Sealed(f"{_FORM}.{name}.{base64.urlsafe_b64encode(hidden).decode()}")

    def open(self, sealed: str, place: str) -> str:
        """The text. Raises CannotBeOpened if none of the keys opens it."""
        form, _, rest = sealed.partition(".")
        name, _, encoded = rest.partition(".")
        key = dict(self.keys).get(name)
        if form != _FORM or key is None:
            raise CannotBeOpened(
                f"It was sealed with a key that {self.setting} does not give: an operator has to give that "
                "key too."
            )
        try:
            hidden = base64.urlsafe_b64decode(encoded)
            return key.decrypt(hidden[:_NONCE_BYTES], hidden[_NONCE_BYTES:], place.encode()).decode()
        except (InvalidTag, binascii.Error, ValueError) as error:
            raise CannotBeOpened(
                f"It was sealed with a key of {self.setting}, and was changed or moved since: an operator "
                "has to look."
            ) from error
