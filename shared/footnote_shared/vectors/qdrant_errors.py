"""What goes wrong between us and Qdrant, and each of it as an error that says who must act."""

from collections.abc import Iterator
from contextlib import contextmanager

from footnote_shared.kernel.errors import FootnoteError, Misconfigured, NoAnswer, OurFault, Unavailable
from footnote_shared.kernel.origin_client import Unreachable

PART = "qdrant"


class StoreRefused(Exception):
    """The store answered with a status that is no success. `retry_after`: the seconds it asks us to wait."""

    def __init__(self, status: int, retry_after: float | None = None) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.retry_after = retry_after


class StoreUnreadable(Exception):
    """The store answered something that is not of its API."""


FOREIGN = (StoreRefused, StoreUnreadable, Unreachable, TimeoutError)
StoreFailure = StoreRefused | StoreUnreadable | Unreachable | TimeoutError


@contextmanager
def readable() -> Iterator[None]:
    """Read an answer in this block: a member that is missing or of another type makes it unreadable."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise StoreUnreadable(repr(error)) from error


def translate(error: StoreFailure) -> FootnoteError:
    """Our error for one of `FOREIGN`. Its detail reveals nothing of the request."""
    match error:
        case StoreRefused(status=status, retry_after=wait) if wait is not None:
            return Unavailable(PART, f"The vector store answered with status {status}.", retry_after=wait)
        case StoreRefused(status=status):
            return _of_status(status)
        case StoreUnreadable():
            return OurFault("The vector store answered something that its client cannot read.")
        case Unreachable():
            return Unavailable(PART, "The vector store cannot be reached.")
        case TimeoutError():
            return NoAnswer(PART, "The vector store did not answer in time.")


def worth_retrying(error: StoreFailure) -> bool:
    """Whether the same call may succeed in a moment. A call that timed out is not worth another try."""
    return not isinstance(error, TimeoutError) and isinstance(translate(error), Unavailable)


def _of_status(status: int) -> FootnoteError:
    if status in (401, 403):
        return Misconfigured("Qdrant refuses the API key: check FOOTNOTE_QDRANT_API_KEY.")
    if status == 404:
        return Misconfigured(
            "Qdrant has no such lane: it was never opened, or its collection has been removed."
        )
    if status in (408, 429) or status >= 500:
        return Unavailable(PART, f"The vector store answered with status {status}.")
    return OurFault(f"The vector store refused a request of ours with status {status}.")
