"""Lanes and their versions: what is live, what is being built beside it, and how far that is (spec 3.8)."""

from typing import Literal

from pydantic import Field

from footnote_shared.contracts.base import Moment, Request, WireModel

LaneStatus = Literal[
    "building", "checking", "ready", "switching", "live", "previous", "cancelled", "failed", "retired"
]
"""What becomes of a version. `building`: all documents are embedded. `checking`: counts, a sample and the
results of queries are compared. `ready`: it waits for a person. `switching`: it becomes the live one.
`previous`: it was live, is kept up to date, and a rollback makes it live again. The other three have ended,
and their vectors go."""

MOST_QUERIES = 200


class JudgedQuery(Request):
    """A query to compare both versions by. `relevant`: the ids of the documents that answer it, if known."""

    query: str = Field(min_length=1, max_length=2000)
    relevant: list[str] = Field(default_factory=list, max_length=100)


class Reembed(Request):
    """What the next version is made with, and when it takes over.

    `model` is one of those that the operator has set; absent: that of the live version. An empty prefix is
    the model's own prompt, or that of the live version where `model` is absent. A model that is
    FOOTNOTE_EMBEDDING_MODEL alone has the prefixes of the settings, and others are refused. Without
    `queries`, those that were recorded are asked, and titles of documents where there are few.

    With `switch` the version takes over by itself if it stands the comparison: the live version's results are
    in it to a share of at least `min_overlap`, and by the judgements it is not worse. Else it waits.
    """

    model: str | None = Field(None, min_length=1, max_length=300)
    query_prefix: str = Field("", max_length=500)
    document_prefix: str = Field("", max_length=500)
    queries: list[JudgedQuery] = Field(default_factory=list, max_length=MOST_QUERIES)
    switch: bool = True
    min_overlap: float = Field(0.0, ge=0, le=1)


class LaneChecks(WireModel):
    """What was found before the switch. Absent: not looked at yet.

    `expected` and `found` are points by SQL and by the index. `lacking` were missing and made again, and
    `orphans` removed. `sampled` chunks were embedded once more, and `least_cosine` is the least likeness of
    what was stored. `cut` chunks are longer than the model reads.

    Of the queries, `recorded` were searched for by people whose workspaces allow that these are kept.
    `overlap` is the mean share of the live version's best ten that the next version has among its own,
    `first_kept` how often the first one is the same, and `rank_change` the mean number of places by which
    what both have moves. `ndcg_live` and `ndcg_next` are nDCG@10 over the judged queries.
    """

    expected: int | None = None
    found: int | None = None
    lacking: int = 0
    orphans: int = 0
    sampled: int = 0
    least_cosine: float | None = None
    cut: int = 0
    queries: int = 0
    recorded: int = 0
    overlap: float | None = None
    first_kept: float | None = None
    rank_change: float | None = None
    judged: int = 0
    ndcg_live: float | None = None
    ndcg_next: float | None = None


class LaneVersionView(WireModel):
    """One version of a lane. Counts are of the live documents; `changes` wait to be made in this version.

    `per_second` is the number of chunks per second at the moment, without pauses. `seconds_left` is what
    remains by the average since it was begun.
    `reason` says why it waits or has ended, and `takes_over` whether it becomes the live one by itself.
    """

    number: int
    status: LaneStatus
    model: str
    dimension: int | None = None
    terms: int | None = None
    documents: int = 0
    documents_total: int = 0
    chunks: int = 0
    chunks_total: int = 0
    embedded: int = 0
    changes: int = 0
    takes_over: bool = False
    per_second: float | None = None
    seconds_left: float | None = None
    checks: LaneChecks | None = None
    reason: str | None = None
    created_at: Moment
    live_at: Moment | None = None
    ended_at: Moment | None = None


class Lane(WireModel):
    """A lane of this deployment. `versions` are the latest, the newest first; `live` is what is searched.

    `follows` is the lane whose model this one takes by itself, as that of facts does. Nothing is asked of
    such a lane, its `chunks` are facts, and while it is `building` what is in it is searched already.
    """

    name: str
    live: int
    models: list[str]
    versions: list[LaneVersionView]
    follows: str | None = None


class LaneList(WireModel):
    """All lanes that have been embedded on."""

    items: list[Lane]
