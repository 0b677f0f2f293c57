"""A query that somebody has searched for, kept to compare versions of a lane by (spec 3.8)."""

from pydantic import Field

from footnote_shared.contracts.base import Request, WireModel

LONGEST_RECORDED = 2000
"""Characters of a query that is kept, as of one that is given. A longer one is not kept."""


class AskedQuery(Request):
    """Body of `POST /v1/lanes:asked`."""

    query: str = Field(min_length=1, max_length=LONGEST_RECORDED)


class RecordedQuery(WireModel):
    """Whether the query is kept: not where the workspace does not allow it."""

    kept: bool
