"""The kinds of error as a table: status, code, and who must act."""

from collections.abc import Iterator
from http import HTTPStatus

from footnote_cli.reference.markdown import code, table
from footnote_shared.egress.errors import FetchedTooMuch, FetchRefused, SiteFailed, SiteTooSlow
from footnote_shared.kernel.errors import CallerError, FootnoteError, TryLater

_OF_FETCHES: tuple[type[FootnoteError], ...] = (FetchRefused, FetchedTooMuch, SiteFailed, SiteTooSlow)
_LATER = (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT)


def error_tables() -> dict[str, str]:
    """`errors`: every code that a kind of error has, of the modules that are loaded and of fetches."""
    found = {(kind.status, kind.code): kind for kind in (*_kinds(FootnoteError), *_OF_FETCHES)}
    rows = [
        (str(status), code(name), kind.title, who_must_act(kind))
        for (status, name), kind in sorted(found.items())
    ]
    return {"errors": table(("status", "code", "title", "who must act"), rows)}


def who_must_act(kind: type[FootnoteError]) -> str:
    """What the hierarchy of errors says of it."""
    if issubclass(kind, CallerError):
        return "the caller: change the request"
    if issubclass(kind, TryLater) or kind.status in _LATER:
        return "nobody: the same request can succeed later"
    return "the operator: look into the log"


def _kinds(base: type[FootnoteError]) -> Iterator[type[FootnoteError]]:
    for kind in base.__subclasses__():
        yield from _kinds(kind)
    # Tests have kinds of their own, which are nobody else's business.
    if base.__module__.startswith("footnote_"):
        yield base
