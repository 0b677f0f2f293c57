"""What went wrong with a document, in the words of its timeline, and whether another try can help."""

from dataclasses import dataclass

from footnote_ingest.parsing.errors import ParseFailed
from footnote_shared.blobs.protocol import BlobMissing
from footnote_shared.kernel.errors import Misconfigured, TryLater, Unavailable


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed try. `counts` says whether it uses up one of the tries of the stage."""

    code: str
    reason: str
    retryable: bool
    counts: bool = True


def failure_of(error: BaseException) -> Failure:
    """The failure that an exception stands for.

    If a part does not answer (`TryLater`), the document is not to blame. It waits with a back-off and keeps
    its tries, so that an outage of an hour fails nothing.
    """
    if isinstance(error, ParseFailed):
        return Failure(error.code, error.reason, error.retryable)
    if isinstance(error, BlobMissing):
        return Failure(
            error.code,
            "The file's bytes are no longer in the object store. Upload it again.",
            retryable=False,
        )
    if isinstance(error, Unavailable):
        return Failure(f"{error.part}_unavailable", error.detail, retryable=True, counts=False)
    if isinstance(error, TryLater):
        return Failure(error.code, error.detail, retryable=True, counts=False)
    if isinstance(error, Misconfigured):
        return Failure(
            error.code,
            "The system is misconfigured; its operator finds the reason in the log.",
            retryable=True,
            counts=False,
        )
    return Failure("internal", "An unexpected error; its operator finds it in the log.", retryable=True)
