"""How an outgoing fetch fails, and who must act."""

from footnote_shared.kernel.errors import CallerError, NoAnswer, Unavailable

PART = "web"
"""The name of the outside world in results, logs and metrics."""


class FetchRefused(CallerError):
    """The guard does not go there (spec 7.2). Whoever chose the address has to choose another.

    An operator can allow an address of the own network by `FOOTNOTE_EGRESS_ALLOW`.
    """

    status = 422
    code = "fetch_refused"
    title = "This address is not fetched"


class FetchedTooMuch(CallerError):
    """The site sends more than the limit. The same address gives no less the next time."""

    status = 422
    code = "fetched_too_much"
    title = "What the address holds is too large"


class SiteFailed(Unavailable):
    """The site cannot be reached, breaks off, or sends what is no HTTP. It may be well again later."""

    code = "site_failed"
    title = "The site does not answer as it should"

    def __init__(self, detail: str) -> None:
        super().__init__(PART, detail, retry_after=30.0)


class SiteTooSlow(NoAnswer):
    """The site did not send everything in time."""

    code = "site_too_slow"
    title = "The site is too slow"

    def __init__(self, detail: str) -> None:
        super().__init__(PART, detail, retry_after=60.0)
