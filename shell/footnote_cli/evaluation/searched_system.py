"""The system that `footnote eval retrieval` searches: the one that runs, or a run of its own."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from footnote_cli.api_client import connect
from footnote_cli.embedded.trial_run import fill, trial_run
from footnote_cli.evaluation.retrieval import Post
from footnote_cli.evaluation.retrieval_set import RetrievalSet
from footnote_shared.clients.base import error_of
from footnote_shared.kernel.errors import OurFault

_LONGEST_TITLE = 500


@contextmanager
def searched_system(
    given: RetrievalSet,
    keep: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[Post]:
    """For a set without documents, the Footnote that this person works with. Else one that has just these.

    Its data stay in the folder `keep`. What is there already is ingested no second time. Raises OurFault when
    the run does not start or a document fails.
    """
    if given.documents is None:
        yield connect().post
        return
    with (
        tempfile.TemporaryDirectory(prefix="footnote-eval-") as folder,
        trial_run(keep if keep is not None else Path(folder) / "run") as server,
    ):
        yield searched(server, given.documents, say)


def searched(
    server: httpx.Client,
    documents: Mapping[str, tuple[str, str]],
    say: Callable[[str], None] = lambda _: None,
) -> Post:
    """How a workspace is searched that had no documents, and has these now."""
    bodies = [
        {"title": title[:_LONGEST_TITLE], "text": text, "external_id": name, "mime": "text/plain"}
        for name, (title, text) in documents.items()
    ]
    say(f"{len(bodies)} documents are ingested")
    fill(server, bodies)
    return _posts(server)


def _posts(server: httpx.Client) -> Post:
    def post(path: str, body: Any) -> Any:
        try:
            answer = server.post(path, json=body)
        except httpx.HTTPError as error:
            raise OurFault(f"A search failed: {error!r}.") from error
        if not answer.is_success:
            raise error_of("server", answer)
        return answer.json()

    return post
