"""Slack's Web API as the connector `slack` uses it (docs.slack.dev/apis/web-api).

Plain HTTP through the guarded client: the clients of `slack_sdk` open connections of their own, which neither
the guard nor the share of a host would see.
"""

import json
from collections.abc import Iterator
from urllib.parse import urlencode

from footnote_ingest.connectors.errors import OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.json_values import Json, object_of, objects_at, read_object, text_of
from footnote_ingest.connectors.outside import Outside, judged
from footnote_shared.egress.errors import FetchedTooMuch
from footnote_shared.egress.retry_after import retry_after
from footnote_shared.kernel.clock import now

PER_PAGE = 200
_MOST_PAGES = 200
"""Pages of one listing: of channels, of people, of the replies of a thread."""

_BUSY_S = 60.0
_TOKEN = "Slack does not know the token, or it has expired or was revoked. Give another one."  # noqa: S105
_OF_TOKEN = frozenset({"not_authed", "invalid_auth", "account_inactive", "token_revoked", "token_expired"})
_REFUSALS = frozenset(
    {
        "access_denied",
        "ekm_access_denied",
        "enterprise_is_restricted",
        "no_permission",
        "not_allowed_token_type",
        "org_login_required",
        "team_access_not_granted",
    }
)
_PLACES = frozenset(
    {
        "channel_not_found",
        "is_archived",
        "method_not_supported",
        "msg_too_long",
        "not_in_channel",
        "restricted_action",
        "thread_not_found",
    }
)


class SlackRefused(Exception):
    """Slack has no such channel or thread for this token. `error` is Slack's own word."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


class SlackWire:
    """One workspace of Slack, as its token sees it. An answer is an object that Slack calls ok."""

    def __init__(self, outside: Outside, api_url: str, token: str) -> None:
        self._outside = outside
        self._base = api_url.rstrip("/")
        self._token = token

    def call(self, method: str, **asked: str | int) -> Json:
        """The answer to a method that reads. Raises SlackRefused, and else by who must act."""
        return self._answer(method, f"?{urlencode(asked)}" if asked else "", None)

    def post(self, method: str, body: Json) -> Json:
        """The answer to a method that writes. Raises like `call`; SourceDown: nobody knows whether it did."""
        return self._answer(method, "", json.dumps(body).encode())

    def _answer(self, method: str, query: str, sent: bytes | None) -> Json:
        url = f"{self._base}/{method}{query}"
        headers = {"Authorization": f"Bearer {self._token}"}
        if sent is not None:
            headers["Content-Type"] = "application/json; charset=utf-8"
        try:
            answer = self._outside.ask(url, headers=headers, sent=sent)
        except FetchedTooMuch as error:
            if sent is not None:
                raise SourceDown(f"Slack's answer to {method} is not what it should be.") from error
            raise OwnerMustAct(f"Slack answers {method} with too much at once. {error.detail}") from error
        if answer.status == 429:
            wait = retry_after(answer.headers.get("retry-after"), now)
            raise SourceBusy(
                "Slack asks to be left alone for a while (429).", _BUSY_S if wait is None else wait
            )
        if sent is not None and 200 < answer.status < 300:
            raise SourceDown(f"Slack's answer to {method} is not what it should be.")
        if judged(url, answer).status != 200:
            raise OwnerMustAct(f"There is no Slack at {self._base}. Look after `api_url`.")
        found = read_object(answer.body, "Slack")
        if found.get("ok") is not True:
            raise _refusal(method, found)
        return found

    def pages(self, method: str, name: str, **asked: str | int) -> Iterator[list[Json]]:
        """The pages of what a method lists under a name, to the end. Raises like `call`."""
        cursor = ""
        for _ in range(_MOST_PAGES):
            answer = self.call(method, **asked, **({"cursor": cursor} if cursor else {}))
            yield objects_at(answer, name, "Slack")
            before, cursor = cursor, next_cursor(answer)
            if not cursor:
                return
            if cursor == before:
                break
        raise SourceDown(f"Slack lists {name} without end.")

    def close(self) -> None:
        self._outside.close()


def next_cursor(answer: Json) -> str:
    """Where the next page is; empty at the end. Raises SourceDown where Slack says more and not where."""
    cursor = text_of(object_of(answer.get("response_metadata")).get("next_cursor"))
    if answer.get("has_more") is True and not cursor:
        raise SourceDown("Slack says that there is more, and not where.")
    return cursor


def _refusal(method: str, answer: Json) -> Exception:
    error = "".join(c for c in text_of(answer.get("error"))[:60] if c.isascii() and (c.isalnum() or c == "_"))
    if error in _PLACES:
        return SlackRefused(error)
    if error == "ratelimited":
        return SourceBusy("Slack asks to be left alone for a while.", _BUSY_S)
    if error in _OF_TOKEN:
        return OwnerMustAct(_TOKEN)
    if error == "missing_scope":
        needed = "".join(c for c in text_of(answer.get("needed"))[:100] if c.isalnum() or c in ":.,_- ")
        return OwnerMustAct(
            f"The token lacks the scope {needed}, for {method}. Add it to the app, and install it anew."
        )
    if error in _REFUSALS:
        return OwnerMustAct(f"Slack refuses {method} ({error}). Look after what the app is allowed.")
    return SourceDown(f"Slack does not answer {method} ({error or 'no reason given'}).")
