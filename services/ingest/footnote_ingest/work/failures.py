"""What went wrong with a document, in the words of its timeline, and whether another try can help."""

from dataclasses import dataclass

from footnote_ingest.parsing.errors import ParseFailed
from footnote_shared.blobs.protocol import BlobMissing
from footnote_shared.kernel.errors import Misconfigured, TryLater, Unavailable


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed try. `counts` says whether it uses up one of the tries of the stage.

    The next try waits for `wait_s` seconds at least: a part may ask for that.
    """

    code: str
    reason: str
    retryable: bool
    counts: bool = True
    wait_s: float = 0.0


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
        code = f"{error.part}_unavailable"
        return Failure(code, error.detail, retryable=True, counts=False, wait_s=error.retry_after or 0.0)
    if isinstance(error, TryLater):
        wait_s = error.retry_after or 0.0
        return Failure(error.code, error.detail, retryable=True, counts=False, wait_s=wait_s)
    if isinstance(error, Misconfigured):
        return Failure(
            error.code,
            "The system is misconfigured; its operator finds the reason in the log.",
            retryable=True,
            counts=False,
        )
    return Failure("internal", "An unexpected error; its operator finds it in the log.", retryable=True)
