"""GitHub's REST interface as the connector `github` uses it (docs.github.com/rest, version 2022-11-28)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from footnote_ingest.connectors.errors import OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.json_values import Json
from footnote_ingest.connectors.outside import Outside, judged
from footnote_shared.egress.client import Fetched
from footnote_shared.egress.errors import FetchedTooMuch
from footnote_shared.egress.retry_after import retry_after
from footnote_shared.kernel.clock import now
from footnote_shared.web.json_shape import json_shape

PER_PAGE = 100
_JSON = "application/vnd.github+json"
_RAW = "application/vnd.github.raw+json"
_VERSION = "2022-11-28"
_BUSY_S = 60.0
_MOST_PAGES = 100
"""Pages of the comments of one thread."""

_MOST_JSON_BYTES = 32 * 2**20
_MOST_JSON_VALUES, _DEEPEST_JSON = 2_000_000, 64
"""What one answer may hold. GitHub lists 100,000 files at once, each with six values, in 7 MB."""


class GithubWire:
    """One repository. An answer is JSON of the shape that GitHub documents, or an error by who must act."""

    def __init__(self, outside: Outside, api_url: str, repository: str, token: str | None) -> None:
        self._outside = outside
        self._base = f"{api_url.rstrip('/')}/repos/{quote(repository)}"
        self._repository = repository
        self._token = token

    def repository(self) -> Json:
        """What the repository says of itself."""
        answer = self._ask("")
        if answer.status != 200:
            raise OwnerMustAct(
                f"There is no repository {self._repository}, or the token does not lead to it. "
                "Look after the name, and after what the token may read."
            )
        return _object(answer)

    def tree(self, sha: str, *, whole: bool) -> Json | None:
        """A tree by its hash or its branch, with all below it if `whole`; None in an empty repository."""
        answer = self._ask(
            f"/git/trees/{quote(sha, safe='', errors='replace')}" + ("?recursive=1" if whole else "")
        )
        if answer.status == 409:
            return None
        if answer.status != 200:
            raise OwnerMustAct(f"The repository has no branch {sha[:250]!r}. Look after `branch`.")
        return _object(answer)

    def blob(self, sha: str) -> bytes | None:
        """The bytes of a file; None if they are not there any more."""
        answer = self._ask(f"/git/blobs/{quote(sha, safe='', errors='replace')}", raw=True)
        return answer.body if answer.status == 200 else None

    def issues(self, **asked: str | int) -> list[Json]:
        """One page of issues and pull requests, which GitHub lists together; none where they are off."""
        query = "&".join(f"{name}={quote(str(value))}" for name, value in asked.items())
        answer = self._ask(f"/issues?state=all&per_page={PER_PAGE}&{query}")
        if answer.status == 410:
            return []
        if answer.status != 200:
            raise OwnerMustAct(
                "The issues of the repository cannot be read. Look after what the token allows."
            )
        return _objects(answer)

    def issue(self, number: int) -> Json | None:
        """One issue or pull request; None if it was deleted or moved away."""
        answer = self._ask(f"/issues/{number}")
        return _object(answer) if answer.status == 200 else None

    def all_of(self, path: str, **asked: str) -> Iterator[Json]:
        """Everything that a path lists, over all of its pages."""
        query = "".join(f"&{name}={quote(value)}" for name, value in asked.items())
        for page in range(1, _MOST_PAGES + 1):
            answer = self._ask(f"{path}?per_page={PER_PAGE}&page={page}{query}")
            found = _objects(answer) if answer.status == 200 else []
            yield from found
            if len(found) < PER_PAGE:
                return

    def readers(self, path: str) -> list[Json]:
        """Everybody that a path lists. Raises OwnerMustAct where GitHub does not say."""
        found: list[Json] = []
        for page in range(1, _MOST_PAGES + 1):
            answer = self._ask(f"{path}?per_page={PER_PAGE}&page={page}")
            if answer.status != 200:
                break
            some = _objects(answer)
            found += some
            if len(some) < PER_PAGE:
                return found
        raise OwnerMustAct(
            "GitHub does not say who may read the repository. Look after what the token allows, or leave out "
            "`follow_rights`."
        )

    def post(self, path: str, body: Json) -> tuple[int, Json]:
        """What GitHub answers to what is written: a status that says whether it was taken, and an object.

        Raises SourceBusy and OwnerMustAct where it was not, and SourceDown where GitHub does not say.
        """
        answer = self._answered(path, _JSON, json.dumps(body).encode())
        if answer.status != 201 and not 400 <= answer.status < 500:
            raise SourceDown(f"GitHub does not say whether it took it ({answer.status}).")
        return answer.status, _object(answer) if answer.status == 201 else {}

    def close(self) -> None:
        self._outside.close()

    def _ask(self, path: str, *, raw: bool = False) -> Fetched:
        """The answer, as bytes of a file or as JSON, if it is 200, 404, 409 or 410.

        Raises like `Outside.get` otherwise.
        """
        answer = self._answered(path, _RAW if raw else _JSON)
        return answer if answer.status == 409 else judged(self._base + path, answer)

    def _answered(self, path: str, kind: str, sent: bytes | None = None) -> Fetched:
        """The answer, if GitHub knows us and lets us in. `sent` is posted."""
        headers = {"Accept": kind, "X-GitHub-Api-Version": _VERSION}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if sent is not None:
            headers["Content-Type"] = "application/json"
        most_bytes = None if kind == _RAW else _MOST_JSON_BYTES
        answer = self._outside.ask(self._base + path, headers=headers, most_bytes=most_bytes, sent=sent)
        wait = _patience(answer)
        if wait is not None:
            raise SourceBusy(f"GitHub asks to be left alone for a while ({answer.status}).", wait)
        if answer.status == 401:
            raise OwnerMustAct("GitHub does not know the token, or it has expired. Make another one.")
        if answer.status in (403, 451):
            raise OwnerMustAct(f"GitHub refuses us ({answer.status}). Look after what the token allows.")
        return answer


def _patience(answer: Fetched) -> float | None:
    """Seconds that GitHub asks us to wait; None if it does not. It says so by 403 as well as by 429."""
    if answer.status not in (403, 429):
        return None
    said: Mapping[str, str] = answer.headers
    wait = retry_after(said.get("retry-after"), now)
    if wait is not None:
        return wait
    reset = said.get("x-ratelimit-reset", "")
    if said.get("x-ratelimit-remaining") == "0" and reset.isascii() and reset.isdecimal():
        return max(1.0, float(reset[:12]) - now().timestamp())
    limited = answer.status == 429 or b"rate limit" in answer.body[:2000].lower()
    return _BUSY_S if limited else None


def _object(answer: Fetched) -> Json:
    found = _read(answer)
    if not isinstance(found, dict):
        raise SourceDown("GitHub's answer is not what it should be.")
    return found


def _objects(answer: Fetched) -> list[Json]:
    found = _read(answer)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise SourceDown("GitHub's answer is not what it should be.")
    return found


def _read(answer: Fetched) -> Any:
    shape = json_shape(answer.body)
    if shape.depth > _DEEPEST_JSON or shape.values > _MOST_JSON_VALUES:
        raise SourceDown("GitHub's answer is not what it should be.")
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        # An answer that breaks off is one that did not come.
        raise SourceDown("GitHub's answer cannot be read.") from error


def too_large(error: FetchedTooMuch) -> OwnerMustAct:
    """A listing that is larger than an answer may be."""
    return OwnerMustAct(f"GitHub lists too much at once. Name a part of it by `path`. {error.detail}")
