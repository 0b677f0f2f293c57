"""Notion's API as the connector `notion` uses it (developers.notion.com/reference, version 2022-06-28).

Plain HTTP through the guarded client: `notion-client` opens connections of its own, which neither the guard
nor the share of a host would see.
"""

import json
from collections.abc import Iterator
from urllib.parse import quote

from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.json_values import Json, objects_at, read_object, text_of
from footnote_ingest.connectors.outside import Outside, judged
from footnote_shared.egress.errors import FetchedTooMuch
from footnote_shared.egress.retry_after import retry_after
from footnote_shared.kernel.clock import now

_PER_PAGE = 100
_VERSION = "2022-06-28"
_BUSY_S = 60.0
_MOST_PAGES = 200
"""Pages of the blocks below one block, or of the list of people."""


class NotionWire:
    """What one integration of Notion sees. An answer is an object, or an error by who must act."""

    def __init__(self, outside: Outside, api_url: str, token: str) -> None:
        self._outside = outside
        self._base = f"{api_url.rstrip('/')}/v1"
        self._token = token

    def search(self, kind: str, cursor: str | None) -> tuple[list[Json], str | None]:
        """A page of all pages, or of all databases, by their last edit; and the cursor of the next page."""
        asked: Json = {
            "filter": {"property": "object", "value": kind},
            "sort": {"timestamp": "last_edited_time", "direction": "ascending"},
            "page_size": _PER_PAGE,
        }
        answer = self._ask("/search", {**asked, "start_cursor": cursor} if cursor else asked)
        if answer is None:
            raise OwnerMustAct(f"There is no Notion at {self._base}. Look after `api_url`.")
        return objects_at(answer, "results", "Notion"), _next_cursor(answer)

    def one(self, kind: str, object_id: str) -> Json | None:
        """A page or a database; None if it is gone, or not shared with the integration."""
        return self._ask(f"/{kind}s/{quote(object_id, safe='', errors='replace')}")

    def children(self, block_id: str) -> Iterator[Json]:
        """The blocks directly below a page or a block, in their order. Raises ItemFailed if it is gone."""
        return self._all(f"/blocks/{quote(block_id, safe='', errors='replace')}/children")

    def people(self) -> Iterator[Json]:
        """The users of the workspace."""
        return self._all("/users")

    def close(self) -> None:
        self._outside.close()

    def _all(self, path: str) -> Iterator[Json]:
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            more = f"&start_cursor={quote(cursor, safe='', errors='replace')}" if cursor else ""
            answer = self._ask(f"{path}?page_size={_PER_PAGE}{more}")
            if answer is None:
                raise ItemFailed("It was deleted, or its sharing ended, while Notion was read.")
            yield from objects_at(answer, "results", "Notion")
            before, cursor = cursor, _next_cursor(answer)
            if cursor is None:
                return
            if cursor == before:
                break
        raise SourceDown("Notion lists the same page without end.")

    def _ask(self, path: str, sent: Json | None = None) -> Json | None:
        """The answer; None for what is not there."""
        url = self._base + path
        headers = {"Authorization": f"Bearer {self._token}", "Notion-Version": _VERSION}
        body = None
        if sent is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(sent).encode()
        try:
            answer = self._outside.ask(url, headers=headers, sent=body)
        except FetchedTooMuch as error:
            raise OwnerMustAct(f"Notion answers with too much at once. {error.detail}") from error
        if answer.status == 429:
            wait = retry_after(answer.headers.get("retry-after"), now)
            raise SourceBusy(
                "Notion asks to be left alone for a while (429).", _BUSY_S if wait is None else wait
            )
        if answer.status == 401:
            raise OwnerMustAct("Notion does not know the token, or it was revoked. Give another one.")
        if answer.status == 403:
            raise OwnerMustAct("Notion refuses us (403). Look after what the integration is allowed to read.")
        if answer.status in (400, 409):
            # A cursor that has grown old is refused like this. The next sync begins anew.
            raise SourceDown(f"Notion does not take the request now ({answer.status}).")
        return read_object(answer.body, "Notion") if judged(url, answer).status == 200 else None


def _next_cursor(answer: Json) -> str | None:
    """Where the next page is; None at the end. Raises SourceDown where Notion says more and not where."""
    if answer.get("has_more") is False:
        return None
    cursor = text_of(answer.get("next_cursor"))
    if not cursor:
        raise SourceDown("Notion says that there is more, and not where.")
    return cursor
