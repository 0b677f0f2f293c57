"""What Confluence and Jira have in common over HTTP: who asks, pages, and errors by who must act.

Plain HTTP through the guarded client: `atlassian-python-api` opens connections of its own, which neither the
guard nor the share of a host would see.
"""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from footnote_ingest.connectors.errors import OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.json_values import Json, read_object, text_of
from footnote_ingest.connectors.outside import Outside, judged
from footnote_shared.egress.client import Fetched
from footnote_shared.egress.errors import FetchedTooMuch
from footnote_shared.egress.retry_after import retry_after
from footnote_shared.kernel.clock import now

_BUSY_S = 60.0
_MOST_LISTED = 500_000
"""Items of one listing: one that goes on for longer has no end."""


class AtlassianWire:
    """One site of Confluence or Jira, in the cloud or on a server of one's own.

    The cloud takes the address of an account and its API token, a server a personal access token.
    """

    def __init__(self, outside: Outside, product: str, url: str, email: str | None, token: str) -> None:
        self.base = url.rstrip("/")
        self.is_cloud = email is not None
        self._outside = outside
        self._product = product
        known = b64encode(f"{email}:{token}".encode()).decode()
        self._authorization = f"Basic {known}" if self.is_cloud else f"Bearer {token}"

    def get(self, path: str, **asked: str | int) -> Json | None:
        """The answer; None for what is not there. Raises SourceBusy, SourceDown and OwnerMustAct."""
        url = f"{self.base}{path}" + (f"?{urlencode(asked, errors='replace')}" if asked else "")
        answer = self._answered(url, None)
        if answer.status == 400:
            raise AskedWrongly(f"{self._product} does not understand what is asked for (400).")
        return read_object(answer.body, self._product) if judged(url, answer).status == 200 else None

    def post(self, path: str, body: Json) -> tuple[int, Json]:
        """What is answered to what is written: a status, and the object where it was taken.

        Raises SourceBusy and OwnerMustAct where it was not, and SourceDown where nobody knows.
        """
        answer = self._answered(f"{self.base}{path}", json.dumps(body).encode())
        if answer.status >= 500:
            raise SourceDown(f"{self._product} does not work now ({answer.status}).")
        taken = answer.status in (200, 201)
        return answer.status, read_object(answer.body, self._product) if taken else {}

    def _answered(self, url: str, sent: bytes | None) -> Fetched:
        headers = {"Authorization": self._authorization, "Accept": "application/json"}
        if sent is not None:
            headers["Content-Type"] = "application/json"
        try:
            answer = self._outside.ask(url, headers=headers, sent=sent)
        except FetchedTooMuch as error:
            if sent is not None:
                raise SourceDown(f"{self._product}'s answer is not what it should be.") from error
            raise OwnerMustAct(f"{self._product} answers with too much at once. {error.detail}") from error
        if answer.status == 429:
            wait = retry_after(answer.headers.get("retry-after"), now)
            raise SourceBusy(
                f"{self._product} asks to be left alone for a while (429).",
                _BUSY_S if wait is None else wait,
            )
        if answer.status == 401:
            raise self.unknown()
        if answer.status == 403:
            may = "read" if sent is None else "write"
            raise OwnerMustAct(f"{self._product} refuses us (403). Look after what the account may {may}.")
        return answer

    def unknown(self) -> OwnerMustAct:
        """What is said where the account is not let in."""
        return OwnerMustAct(
            f"{self._product} does not know the account, or its token has expired or was revoked. "
            "Give another token."
        )

    def close(self) -> None:
        self._outside.close()


class AskedWrongly(SourceDown):
    """A 400: what is asked for names what is not there, or a place in a listing has grown old."""


@dataclass(frozen=True, slots=True)
class ListedUpTo:
    """Where a listing goes on: what names its next page, the last item before it, and how many there were.

    A place that is a number (`by`) shifts when an item goes meanwhile, and an item that is still there would
    be passed over. So each page begins with the last item of the one before. If it does not, the listing has
    not named all that is there (`whole`).
    """

    at: Mapping[str, str | int] = field(default_factory=dict)
    last: str = ""
    count: int = 0
    whole: bool = True

    @classmethod
    def read(cls, cursor: Json) -> "ListedUpTo":
        """The other way round than `written`."""
        return cls(cursor["at"], cursor["last"], cursor["count"], cursor["whole"])

    def written(self) -> Json:
        return {"at": dict(self.at), "last": self.last, "count": self.count, "whole": self.whole}

    def after(
        self, found: Sequence[Json], *, by: str | None = None, start: int = 0
    ) -> tuple["ListedUpTo", list[Json]]:
        """The place behind a page, and what is new on it. `by` names the number, whose page began at `start`.

        Raises SourceDown for a listing without end.
        """
        fresh, whole = list(found), self.whole
        if by is not None and self.last:
            overlaps = bool(found) and text_of(found[0].get("id")) == self.last
            whole, fresh = whole and overlaps, fresh[1:] if overlaps else fresh
        count = self.count + len(fresh)
        if count > _MOST_LISTED:
            raise SourceDown(f"The listing has more than {_MOST_LISTED} items.")
        last = text_of(found[-1].get("id")) if found else self.last
        at = self.at if by is None else {by: max(0, start + len(found) - 1)}
        return ListedUpTo(at, last, count, whole), fresh


def written_place(place: ListedUpTo, **more: object) -> str:
    """A cursor of a place and of what else its kind keeps."""
    return json.dumps({**place.written(), **more})
