"""What the kind `github` does in its repository: open an issue, and comment on a thread."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from footnote_ingest.connectors.act_protocol import CLOCKS_DIFFER, ActRefused, DoneAct, WantedAct
from footnote_ingest.connectors.errors import SourceDown
from footnote_ingest.connectors.github_wire import PER_PAGE, GithubWire
from footnote_ingest.connectors.json_values import Json, text_of, whole_of

_TAKEN = 201
_MOST_PAGES = 100


class GithubActor:
    """Each text ends with a comment of HTML, which nobody is shown, by which it is found again."""

    def __init__(self, wire: GithubWire) -> None:
        self._wire = wire

    def find(self, wanted: WantedAct, since: datetime) -> DoneAct | None:
        earliest = (since - CLOCKS_DIFFER).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if wanted.action == "create_issue":
            return _marked(self._issues_since(earliest), wanted)
        return _marked(self._wire.all_of(f"/issues/{_number(wanted)}/comments", since=earliest), wanted)

    def do(self, wanted: WantedAct) -> DoneAct:
        body: Json = {"body": f"{wanted.text}\n\n{_mark(wanted)}"}
        path = "/issues"
        if wanted.action == "create_issue":
            if not wanted.title:
                raise ActRefused("An issue needs a title.")
            body["title"] = wanted.title
        else:
            path = f"/issues/{_number(wanted)}/comments"
        status, said = self._wire.post(path, body)
        if status != _TAKEN:
            raise ActRefused(_REASONS.get(status, f"GitHub does not take it ({status})."))
        if not whole_of(said.get("id")):
            raise SourceDown("GitHub's answer is not what it should be.")
        return _done(said, wanted)

    def close(self) -> None:
        self._wire.close()

    def _issues_since(self, earliest: str) -> Iterator[Json]:
        """Issues that changed at this moment or later, the latest first. One may come twice."""
        for page in range(1, _MOST_PAGES + 1):
            found = self._wire.issues(since=earliest, sort="created", direction="desc", page=page)
            yield from found
            if len(found) < PER_PAGE:
                return
        raise SourceDown("GitHub lists more issues than can be looked through.")


_REASONS = {
    404: "GitHub does not know the thread, or the token may not write there.",
    410: "The repository takes no issues, or the thread was deleted.",
    422: "GitHub does not take it: the thread is locked, or the text is not what it takes.",
}


def _mark(wanted: WantedAct) -> str:
    return f"<!-- footnote:{wanted.mark} -->"


def _marked(found: Iterable[Json], wanted: WantedAct) -> DoneAct | None:
    mark = _mark(wanted)
    return next((_done(one, wanted) for one in found if mark in text_of(one.get("body"))), None)


def _done(said: Json, wanted: WantedAct) -> DoneAct:
    number = whole_of(said.get("number")) if wanted.action == "create_issue" else _number(wanted)
    return DoneAct(f"#{number}", text_of(said.get("html_url")) or None)


def _number(wanted: WantedAct) -> int:
    """The number of the thread that is meant. Raises ActRefused for an item that is none."""
    kind, _, number = wanted.item.partition(":")
    if kind not in ("issue", "pull") or not (number.isascii() and number.isdecimal()):
        raise ActRefused("Only issues and pull requests can be commented on.")
    return int(number[:18])
