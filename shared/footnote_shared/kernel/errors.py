"""The kinds of errors. Each says who must act. The web edge renders all of them as problem documents.

FootnoteError
|- CallerError         the request is at fault: change it
|  |- InvalidRequest   422, with the fields
|  |- Unauthenticated  401
|  |- Forbidden        403, a scope is missing
|  |- NotFound         404, also for what is not yours
|  |- Conflict         409
|  |- TooLarge         413
|  `- UnsupportedType  415
|- TryLater            408, 429 or 503: the same request can succeed later
|  |- TooSlow
|  |- TooMany
|  `- Unavailable
|     |- NoAnswer      it was reached and said nothing: to ask again is to wait as long again
|     `- Contended     other changes of the same rows were in the way
`- OurFault            500: an operator must look
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldError:
    """One thing that is wrong with one field. `field` is a dotted path into the request."""

    field: str
    message: str


class FootnoteError(Exception):
    """Base of every error that Footnote raises on purpose. `detail` is safe to show to the caller."""

    status = 500
    code = "internal"
    title = "Something went wrong on our side"

    def __init__(
        self, detail: str, *, retry_after: float | None = None, errors: Sequence[FieldError] = ()
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.retry_after = retry_after
        self.errors = tuple(errors)


class CallerError(FootnoteError):
    """The request is at fault. Sending it again unchanged cannot help."""

    status = 400
    code = "bad_request"
    title = "The request cannot be understood"


class InvalidRequest(CallerError):
    status = 422
    code = "invalid"
    title = "The request holds something that is not valid"


class Unauthenticated(CallerError):
    status = 401
    code = "unauthenticated"
    title = "A valid API key is needed"


class Forbidden(CallerError):
    status = 403
    code = "forbidden"
    title = "The key lacks a scope for this"


class NotFound(CallerError):
    """There is nothing here for the caller. What belongs to another gives the very same body (spec 1.4)."""

    status = 404
    code = "not_found"
    title = "Not found"

    def __init__(self) -> None:
        super().__init__("There is nothing here that you can see.")


class Conflict(CallerError):
    status = 409
    code = "conflict"
    title = "The request conflicts with what is there"


class TooLarge(CallerError):
    status = 413
    code = "too_large"
    title = "The request is too large"


class UnsupportedType(CallerError):
    status = 415
    code = "unsupported_type"
    title = "This type of file is not supported"


class TryLater(FootnoteError):
    """Nothing is wrong with the request. `retry_after` is in seconds."""

    status = 503
    code = "try_later"
    title = "Not possible right now"


class TooSlow(TryLater):
    """The client did not send its request in time. Its connection ends with the answer."""

    status = 408
    code = "request_timeout"
    title = "The request came too slowly"


class TooMany(TryLater):
    status = 429
    code = "too_many_requests"
    title = "Too many requests"


class Unavailable(TryLater):
    """A part on which we depend does not answer. `part` names it in results, logs and metrics."""

    code = "unavailable"
    title = "A part of the system is not reachable"

    def __init__(self, part: str, detail: str, *, retry_after: float = 2.0) -> None:
        super().__init__(detail, retry_after=retry_after)
        self.part = part


class NoAnswer(Unavailable):
    """A part was reached and said nothing in time. Whoever serves a request does not ask it a second time."""

    code = "no_answer"
    title = "A part of the system does not answer in time"


class Contended(Unavailable):
    """Another transaction wanted the same rows, and the database let it win. Nothing of ours was done."""

    code = "contended"
    title = "Another change was in the way"

    def __init__(self, detail: str) -> None:
        super().__init__("sql", detail, retry_after=1.0)


class OurFault(FootnoteError):
    """A state that cannot be right. An operator must look."""


class Misconfigured(OurFault):
    """The configuration cannot work. The detail says what to change."""

    code = "misconfigured"
    title = "The configuration cannot work"
