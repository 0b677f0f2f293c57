"""Canonical source keys: equal keys mean the same unit, and so the same number (spec 2.2)."""

import hashlib
import re

from footnote_resolver.registry.urls import canonical_url
from footnote_shared.contracts.evidence import LOCATOR_FIELDS, EvidenceItem
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.kernel.ids import is_id

_MAX_LOCATOR_CHARS = 4096
_MAX_KEY_CHARS = 500
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def canonical_locator(item: EvidenceItem, path: str = "item") -> dict[str, str]:
    """The locator with exactly the fields of its type, each in normal form.

    `path` names the item in errors. Raises InvalidRequest naming every field that is wrong.
    """
    wanted = LOCATOR_FIELDS[item.source_type]
    wrong = [
        FieldError(f"{path}.locator.{name}", f"needed for {item.source_type}")
        for name in wanted
        if not item.locator.get(name, "").strip()
    ]
    wrong += [
        FieldError(f"{path}.locator.{name}", f"not a field of {item.source_type}")
        for name in item.locator
        if name not in wanted
    ]
    if wrong:
        raise InvalidRequest(f"The locator of {path} is not that of a {item.source_type}.", errors=wrong)
    return {name: _normal(name, item.locator[name].strip(), f"{path}.locator.{name}") for name in wanted}


def check_address(url: str | None, path: str) -> None:
    """Raises InvalidRequest for an address that a client must not open: it is not http or https."""
    if url is not None and (len(url) > _MAX_LOCATOR_CHARS or canonical_url(url) is None):
        raise InvalidRequest(
            f"{path} is not a web address.", errors=[FieldError(path, "an absolute http or https address")]
        )


def source_key(source_type: str, locator: dict[str, str]) -> str:
    """One line of text for a canonical locator, such as `kb_chunk:<document>:<chunk>`.

    Parts are escaped so that no two locators share a key. A long key (an address) is replaced by its SHA-256,
    because an entry of a unique index cannot be of any length.
    """
    parts = [
        value if name == "url" else value.replace("%", "%25").replace(":", "%3A")
        for name, value in locator.items()
    ]
    key = ":".join((source_type, *parts))
    if len(key) <= _MAX_KEY_CHARS:
        return key
    return f"{source_type}:sha256:{hashlib.sha256(key.encode()).hexdigest()}"


def _normal(name: str, value: str, path: str) -> str:
    if len(value) > _MAX_LOCATOR_CHARS:
        raise InvalidRequest(
            f"{path} is too long.", errors=[FieldError(path, f"at most {_MAX_LOCATOR_CHARS} characters")]
        )
    if _CONTROL.search(value):
        raise InvalidRequest(
            f"{path} holds control characters.", errors=[FieldError(path, "no control characters")]
        )
    if name == "url":
        url = canonical_url(value)
        if url is None:
            raise InvalidRequest(
                f"{path} is not a web address.",
                errors=[FieldError(path, "an absolute http or https address")],
            )
        return url
    return value.lower() if is_id(value) else value
