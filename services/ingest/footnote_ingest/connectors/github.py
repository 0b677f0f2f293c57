"""The kind `github`: the files, issues and pull requests of one repository."""

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePosixPath
from typing import ClassVar
from urllib.parse import quote

from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct
from footnote_ingest.connectors.feed import moment_of
from footnote_ingest.connectors.github_readers import digest_of, readers_of
from footnote_ingest.connectors.github_threads import author_of, thread_text
from footnote_ingest.connectors.github_wire import PER_PAGE, GithubWire, too_large
from footnote_ingest.connectors.json_values import Json, objects, text_of, whole_of
from footnote_ingest.connectors.protocol import FetchedItem, ListingPage, SourceItem, SyncPage, Vanishing
from footnote_shared.contracts.connector_kinds import GithubConfig
from footnote_shared.egress.errors import FetchedTooMuch

_FILE, _ISSUE, _PULL = "file:", "issue:", "pull:"
_MOST_TREES = 2000
_MOST_FILES = 500_000
_MOST_PAGES = 10_000
"""Pages of threads that one run asks for: a million of them."""

_FIRST = "1970-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class _File:
    sha: str
    size: int


class GithubItems:
    """Files by their paths, and threads by their numbers. What a listing does not name any more is gone.

    Files are compared by the hashes that Git keeps. Threads are asked for in the order of their last change,
    from the last one that is known: one that changes while they are listed comes again at the end, and none
    is passed over, as it would be with numbered pages.

    With `follow_rights`, a repository that is not public is read by its teams and its people. When they have
    changed, all threads are named again.
    """

    vanishing: Vanishing = "by_listing"
    page_size: ClassVar[int] = 200

    def __init__(self, wire: GithubWire, config: GithubConfig, max_bytes: int) -> None:
        self._wire = wire
        self._config = config
        self._max_bytes = max_bytes
        self._files: dict[str, _File] | None = None
        self._about: Json | None = None
        self._threads: dict[str, Json] = {}
        self._readers: Sequence[str] | None = None
        self._has_readers = False

    def sync(self, cursor: str | None) -> SyncPage:
        place = json.loads(cursor) if cursor is not None else {}
        rights = {}
        if self._config.follow_rights:
            begins = "after" not in place and "page" not in place
            now_read = digest_of(self._read_by())
            if begins and place.get("rights") != now_read:
                place.pop("since", None)
            # What was asked for first stands: if it changes within a run, the next one sees that.
            rights = {"rights": now_read if begins else place.get("rights")}
        page = self._page_of(place)
        if page.cursor is None or not rights:
            return page
        return replace(page, cursor=json.dumps({**json.loads(page.cursor), **rights}))

    def _page_of(self, place: Json) -> SyncPage:
        since = place.get("since", _FIRST)
        if "files" in self._config.parts and "page" not in place:
            return self._some_files(place.get("after"), since)
        return self._some_threads(since, place.get("page", 1), place.get("asked", 0) + 1)

    def _read_by(self) -> Sequence[str] | None:
        """The groups of every item; None for everybody of the workspace."""
        if not self._has_readers and self._config.follow_rights:
            self._readers = readers_of(self._wire, self._said_of_itself())
            self._has_readers = True
        return self._readers

    def listing(self, cursor: str | None) -> ListingPage:
        place = json.loads(cursor) if cursor is not None else {}
        if "page" not in place and "files" in self._config.parts:
            paths, after = self._page_of_files(place.get("after"))
            if after is not None:
                return ListingPage([_FILE + path for path in paths], json.dumps({"after": after}))
            following = json.dumps({"page": 1}) if self._lists_threads else None
            return ListingPage([_FILE + path for path in paths], following)
        return self._numbers(place.get("page", 1))

    def fetch(self, item: SourceItem, token: str | None) -> FetchedItem:
        if item.id.startswith(_FILE):
            return self._fetch_file(item)
        thread = self._threads.get(item.id) or self._wire.issue(int(item.id.partition(":")[2]))
        if thread is None:
            raise ItemFailed("It was deleted or moved away while the repository was read.")
        number = whole_of(thread.get("number"))
        comments = self._wire.all_of(f"/issues/{number}/comments")
        if item.id.startswith(_PULL):
            reviews = self._wire.all_of(f"/pulls/{number}/reviews")
            comments = chain(comments, reviews, self._wire.all_of(f"/pulls/{number}/comments"))
        content = thread_text(thread, comments).encode("utf-8", "replace")
        return FetchedItem(content, f"{item.id.replace(':', '-')}.md", "text/markdown", item)

    def close(self) -> None:
        self._wire.close()

    @property
    def _lists_threads(self) -> bool:
        return "issues" in self._config.parts or "pulls" in self._config.parts

    def _some_files(self, after: str | None, since: str) -> SyncPage:
        paths, last = self._page_of_files(after)
        items = [self._file_item(path) for path in paths]
        if last is not None:
            return SyncPage(items, json.dumps({"after": last, "since": since}), more=True)
        if not self._lists_threads:
            return SyncPage(items, None, more=False)
        return SyncPage(items, json.dumps({"page": 1, "since": since}), more=True)

    def _page_of_files(self, after: str | None) -> tuple[list[str], str | None]:
        """Some paths in order, and the last of them if there are more."""
        paths = sorted(self._all_files())
        start = 0 if after is None else bisect_right(paths, after)
        page = paths[start : start + self.page_size]
        return page, page[-1] if start + self.page_size < len(paths) else None

    def _all_files(self) -> Mapping[str, _File]:
        if self._files is None:
            try:
                branch = self._config.branch or text_of(self._said_of_itself().get("default_branch"))
                self._files = self._walk(branch)
            except FetchedTooMuch as error:
                raise too_large(error) from error
        return self._files

    def _walk(self, branch: str) -> dict[str, _File]:
        """All files below the path. A tree that GitHub cuts short is asked for folder by folder."""
        within = self._config.path.strip("/")
        found: dict[str, _File] = {}
        waiting, asked = [("", branch)], 0
        while waiting:
            prefix, sha = waiting.pop()
            asked += 1
            if asked > _MOST_TREES:
                raise OwnerMustAct("The repository has too many folders. Name a part of it by `path`.")
            tree = self._wire.tree(sha, whole=True)
            if tree is None:
                return {}
            is_whole = not tree.get("truncated")
            if not is_whole:
                tree = self._wire.tree(sha, whole=False)
            if tree is None or (tree.get("truncated") and not is_whole):
                raise OwnerMustAct("A folder of the repository has too many files for GitHub to list.")
            for entry in objects(tree.get("tree")):
                path = f"{prefix}{entry.get('path')}"
                if entry.get("type") == "blob" and _is_within(path, within):
                    found[path] = _File(text_of(entry.get("sha")), whole_of(entry.get("size")))
                leads_there = _is_within(path, within) or _is_within(within, path)
                if entry.get("type") == "tree" and not is_whole and leads_there:
                    waiting.append((f"{path}/", text_of(entry.get("sha"))))
            if len(found) > _MOST_FILES:
                raise OwnerMustAct("The repository has too many files. Name a part of it by `path`.")
        return found

    def _file_item(self, path: str) -> SourceItem:
        file = self._all_files()[path]
        about = self._said_of_itself()
        branch = self._config.branch or text_of(about.get("default_branch"))
        folder = PurePosixPath(path).parent
        place = quote(f"{branch}/{path}", errors="replace")
        return SourceItem(
            id=_FILE + path,
            revision=file.sha,
            url=f"{text_of(about.get('html_url'))}/blob/{place}",
            folder="" if folder == PurePosixPath() else str(folder),
            groups=self._read_by(),
            left_out=f"It is larger than {self._max_bytes} bytes." if file.size > self._max_bytes else None,
        )

    def _fetch_file(self, item: SourceItem) -> FetchedItem:
        path = item.id.removeprefix(_FILE)
        file = self._all_files().get(path)
        content = self._wire.blob(file.sha) if file is not None else None
        if content is None:
            raise ItemFailed("It was removed while the repository was read.")
        return FetchedItem(content, PurePosixPath(path).name, "", item)

    def _some_threads(self, since: str, page: int, asked: int) -> SyncPage:
        """One page of threads, which is the page number `asked` of its run."""
        _check_pages(asked)
        found = self._issues(sort="updated", direction="asc", since=since, page=page)
        self._threads = {_id_of(one): one for one in found if self._is_wanted(one)}
        items = [self._thread_item(item_id, one) for item_id, one in self._threads.items()]
        last = text_of(found[-1].get("updated_at")) if found else ""
        if len(found) < PER_PAGE:
            return SyncPage(items, json.dumps({"since": last or since}), more=False)
        # Only threads of one and the same second are told apart by the number of a page.
        following = {"since": last, "page": 1} if last > since else {"since": since, "page": page + 1}
        return SyncPage(items, json.dumps({**following, "asked": asked}), more=True)

    def _numbers(self, page: int) -> ListingPage:
        """The ids of one page of threads, by age, with those of the page before.

        If one is deleted meanwhile, all that follow move up, and the first ones of a page would be missed.
        """
        _check_pages(page)
        found = self._issues(sort="created", direction="asc", page=page)
        before = self._issues(sort="created", direction="asc", page=page - 1) if page > 1 else []
        ids = [_id_of(one) for one in [*before, *found] if self._is_wanted(one)]
        more = len(found) >= PER_PAGE
        return ListingPage(ids, json.dumps({"page": page + 1}) if more else None)

    def _issues(self, **asked: str | int) -> list[Json]:
        try:
            return self._wire.issues(**asked)
        except FetchedTooMuch as error:
            raise too_large(error) from error

    def _is_wanted(self, thread: Json) -> bool:
        return ("pulls" if "pull_request" in thread else "issues") in self._config.parts

    def _thread_item(self, item_id: str, thread: Json) -> SourceItem:
        url = text_of(thread.get("html_url"))
        return SourceItem(
            id=item_id,
            title=text_of(thread.get("title")) or item_id,
            url=url or None,
            folder="pull requests" if item_id.startswith(_PULL) else "issues",
            author=author_of(thread),
            updated_at=moment_of(text_of(thread.get("updated_at"))),
            groups=self._read_by(),
            metadata={"number": whole_of(thread.get("number")), "state": _state(thread)},
        )

    def _said_of_itself(self) -> Json:
        if self._about is None:
            self._about = self._wire.repository()
        return self._about


def _id_of(thread: Json) -> str:
    return f"{_PULL if 'pull_request' in thread else _ISSUE}{whole_of(thread.get('number'))}"


def _state(thread: Json) -> str:
    said = text_of(thread.get("state"))
    return said if said in ("open", "closed") else ""


def _check_pages(asked: int) -> None:
    """A server that always has another page would be asked for ever."""
    if asked > _MOST_PAGES:
        raise OwnerMustAct(
            f"GitHub lists more than {_MOST_PAGES} pages of threads. Leave them out of `parts`."
        )


def _is_within(path: str, folder: str) -> bool:
    """Whether the path is the folder or lies below it. All lie below the root, which is empty."""
    return not folder or path == folder or path.startswith(f"{folder}/")
