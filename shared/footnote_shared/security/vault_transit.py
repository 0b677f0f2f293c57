"""Wrapping by the transit engine of Vault or OpenBao over HTTP.

https://developer.hashicorp.com/vault/api-docs/secret/transit
"""

import base64
import binascii
from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx
from pydantic import BaseModel, ValidationError

from footnote_shared.egress.web_authorities import web_authorities
from footnote_shared.kernel.errors import Misconfigured, Unavailable

_WITHIN_S = 5.0
_LARGEST_ANSWER = 64 * 1024


class _Encrypted(BaseModel):
    ciphertext: str


class _Decrypted(BaseModel):
    plaintext: str


class VaultTransit:
    """One key of the engine. Blocks for five seconds at most."""

    def __init__(self, url: str, token: str, *, transport: httpx.BaseTransport | None = None) -> None:
        """`url` is that of the key: .../transit/keys/NAME. Raises Misconfigured for another form."""
        mount, separator, name = url.rstrip("/").rpartition("/keys/")
        if not separator or not name or "/" in name or urlsplit(url).scheme not in ("http", "https"):
            raise Misconfigured("FOOTNOTE_MASTER_KEY_VAULT has to end in /keys/ and the name of a key.")
        if not token:
            raise Misconfigured("FOOTNOTE_MASTER_KEY_VAULT is set: set FOOTNOTE_VAULT_TOKEN too.")
        self._mount, self._name, self._token = mount, name, token
        self._transport = transport

    def encrypt(self, content: bytes, place: str) -> str:
        """The content as Vault's ciphertext, which begins with `vault:`."""
        body = {"plaintext": _encoded(content), "associated_data": _encoded(place.encode())}
        data = self._post("encrypt", body)
        try:
            return _Encrypted.model_validate(data).ciphertext
        except ValidationError as error:
            raise Unavailable("vault", "Vault answered something else than a ciphertext.") from error

    def decrypt(self, ciphertext: str, place: str) -> bytes:
        """The content. Raises Misconfigured where Vault does not take the ciphertext for its own."""
        body = {"ciphertext": ciphertext, "associated_data": _encoded(place.encode())}
        data = self._post("decrypt", body)
        try:
            return base64.b64decode(_Decrypted.model_validate(data).plaintext, validate=True)
        except (ValidationError, binascii.Error) as error:
            raise Unavailable("vault", "Vault answered something else than a plain text.") from error

    def _post(self, action: str, body: Mapping[str, str]) -> object:
        headers = {"X-Vault-Token": self._token, "X-Vault-Request": "true"}
        try:
            with httpx.Client(
                timeout=_WITHIN_S, trust_env=False, transport=self._transport, verify=web_authorities()
            ) as client:
                answer = client.post(f"{self._mount}/{action}/{self._name}", json=body, headers=headers)
        except httpx.HTTPError as error:
            raise Unavailable("vault", "Vault, which holds the master key, does not answer.") from error
        if answer.status_code == httpx.codes.FORBIDDEN:
            raise Misconfigured("Vault refuses FOOTNOTE_VAULT_TOKEN for this key.")
        if answer.status_code in (httpx.codes.BAD_REQUEST, httpx.codes.NOT_FOUND):
            raise Misconfigured(
                "Vault does not know the key of FOOTNOTE_MASTER_KEY_VAULT, or did not wrap this with it."
            )
        if not answer.is_success or len(answer.content) > _LARGEST_ANSWER:
            raise Unavailable("vault", "Vault, which holds the master key, cannot answer now.")
        try:
            found = answer.json()
        except ValueError as error:
            raise Unavailable("vault", "Vault answered something that is no JSON.") from error
        return found.get("data") if isinstance(found, dict) else None


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()
