"""Whether a web hook comes from who shares its secret: as Standard Webhooks and four services say it.

Signatures are over the bytes as they came. Each is compared with each secret in constant time, and none ends
the comparison early.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from secrets import token_bytes
from typing import Literal

Scheme = Literal["standard", "github", "slack", "notion", "google"]

SECRET_PREFIX = "whsec_"  # noqa: S105
_MOST_SIGNATURES = 8
_SECRET_BYTES = 32
_LONGEST_EVENT_ID = 200
_LATEST_MOMENT = 4_102_444_800
"""The year 2100, in seconds since 1970: no moment of a hook is later."""


@dataclass(frozen=True, slots=True)
class SignedHook:
    """A hook whose sender knows the secret. `sent_at` is the moment that it signed, or ours if it signs none.

    The same `event_id` names the same event.
    """

    event_id: str
    sent_at: datetime


def new_hook_secret() -> str:
    """A secret of the form that Standard Webhooks asks for."""
    return SECRET_PREFIX + base64.b64encode(token_bytes(_SECRET_BYTES)).decode()


def scheme_of(headers: Mapping[str, str]) -> Scheme:
    """By what a hook says that it is signed. `headers` has its names in small letters."""
    if "x-hub-signature-256" in headers:
        return "github"
    if "x-slack-signature" in headers:
        return "slack"
    if "x-notion-signature" in headers:
        return "notion"
    return "google" if "x-goog-channel-token" in headers else "standard"


def check_signature(
    scheme: Scheme,
    headers: Mapping[str, str],
    body: bytes,
    secrets: Sequence[str],
    moment: datetime,
    window: timedelta,
) -> SignedHook | None:
    """The hook, or None if it is not signed with one of the secrets, or for a moment outside of the window.

    `headers` has its names in small letters.
    """
    if scheme == "github":
        return _github(headers, body, secrets, moment)
    if scheme == "slack":
        return _slack(headers, body, secrets, moment, window)
    if scheme == "notion":
        return _notion(headers, body, secrets, moment)
    if scheme == "google":
        return _google(headers, secrets, moment)
    return _standard(headers, body, secrets, moment, window)


def _standard(
    headers: Mapping[str, str], body: bytes, secrets: Sequence[str], moment: datetime, window: timedelta
) -> SignedHook | None:
    """Standard Webhooks 1.0.0: HMAC-SHA256 over `id.timestamp.body`, in base64, for one or several keys."""
    event_id, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    given = headers.get("webhook-signature", "").split(" ")[:_MOST_SIGNATURES]
    signed = f"{event_id}.{stamp}.".encode() + body
    wanted = [
        "v1," + base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest()).decode()
        for secret in secrets
    ]
    sent_at = _moment(stamp)
    known = _any_equal(given, wanted)
    if not known or sent_at is None or not is_event_id(event_id) or abs(moment - sent_at) > window:
        return None
    return SignedHook(event_id, sent_at)


def _github(
    headers: Mapping[str, str], body: bytes, secrets: Sequence[str], moment: datetime
) -> SignedHook | None:
    """GitHub signs the body alone, and neither a moment nor the id of its delivery (see `inbox.py`)."""
    event_id = headers.get("x-github-delivery", "")
    wanted = ["sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest() for secret in secrets]
    known = _any_equal([headers.get("x-hub-signature-256", "")], wanted)
    return SignedHook(event_id, moment) if known and is_event_id(event_id) else None


def _slack(
    headers: Mapping[str, str], body: bytes, secrets: Sequence[str], moment: datetime, window: timedelta
) -> SignedHook | None:
    """Slack signs `v0:timestamp:body` (docs.slack.dev/authentication/verifying-requests-from-slack).

    The id of its event stands in the body (see `slack_hooks.py`). Until that is read, the signature names it.
    """
    stamp, given = headers.get("x-slack-request-timestamp", ""), headers.get("x-slack-signature", "")
    signed = f"v0:{stamp}:".encode("utf-8", "replace") + body
    wanted = ["v0=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets]
    sent_at = _moment(stamp)
    known = _any_equal([given], wanted)
    if not known or sent_at is None or abs(moment - sent_at) > window:
        return None
    return SignedHook(given, sent_at)


def _notion(
    headers: Mapping[str, str], body: bytes, secrets: Sequence[str], moment: datetime
) -> SignedHook | None:
    """Notion signs the body alone, in which the id and the moment of its event stand (`notion_hooks.py`)."""
    given = headers.get("x-notion-signature", "")
    wanted = ["sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest() for secret in secrets]
    return SignedHook(given, moment) if _any_equal([given], wanted) else None


def channel_token(secret: str, channel_id: str) -> str:
    """What Google sends back with each message of a channel. It is good for this channel alone."""
    return hmac.new(secret.encode(), f"google-channel:{channel_id}".encode(), hashlib.sha256).hexdigest()


def _google(headers: Mapping[str, str], secrets: Sequence[str], moment: datetime) -> SignedHook | None:
    """Google signs nothing: it sends back the token of its channel, and numbers its messages.

    They have no body (developers.google.com/workspace/drive/api/guides/push).
    """
    channel, number = headers.get("x-goog-channel-id", ""), headers.get("x-goog-message-number", "")
    wanted = [channel_token(secret, channel) for secret in secrets]
    known = _any_equal([headers.get("x-goog-channel-token", "")], wanted)
    event_id = f"{channel}:{number}"
    is_number = number.isascii() and number.isdecimal()
    return SignedHook(event_id, moment) if known and is_number and is_event_id(event_id) else None


def _any_equal(given: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether one of the given signatures is one of the wanted. Compares all of them, whatever it finds."""
    found = False
    for one in given:
        for right in wanted:
            found |= hmac.compare_digest(one.encode("utf-8", "replace"), right.encode())
    return found


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    except (binascii.Error, ValueError):
        return secret.encode()


def _moment(stamp: str) -> datetime | None:
    if not (stamp.isascii() and stamp.isdecimal() and len(stamp) <= len(str(_LATEST_MOMENT))):
        return None
    return datetime.fromtimestamp(min(int(stamp), _LATEST_MOMENT), UTC)


def is_event_id(event_id: str) -> bool:
    """Whether it can name an event."""
    return 0 < len(event_id) <= _LONGEST_EVENT_ID and event_id.isascii() and event_id.isprintable()
