"""What Footnote promises its users, as shares of good events or of good time (spec 7.4, 8.2).

Each objective becomes recording rules, an alert with two severities, and a runbook. The windows and factors
are those of the Site Reliability Workbook, chapter 5, "multiwindow, multi-burn-rate alerts".
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """An alert fires while the budget burns this many times too fast over both windows."""

    severity: str
    long: str
    short: str
    factor: float


WINDOWS = (
    Window("page", "1h", "5m", 14.4),
    Window("page", "6h", "30m", 6),
    Window("ticket", "1d", "2h", 3),
    Window("ticket", "3d", "6h", 1),
)
"""With 30 days as the period: 2 % of the budget in an hour, 5 % in six, 10 % in a day, 10 % in three."""


@dataclass(frozen=True, slots=True)
class Objective:
    """A promise.

    `bad` and `all` are PromQL with `{window}` for the range. Where `all` is empty, `bad` is the share of bad
    time itself. `least` is how many events the long window must hold: one bad event of two says nothing.
    """

    name: str
    alert: str
    title: str
    share: float
    bad: str
    dashboard: str
    all: str = ""
    least: int = 0

    @property
    def runbook(self) -> str:
        return f"{self.name}.md"


CENSUS = "and on (job, instance) topk(1, footnote_census_timestamp_seconds)"
"""Chooses the gauges of the worker that did the last sweep; those of the others are old."""

_REQUESTS = "footnote_http_requests_total{route!~`/(healthz|readyz|acceptz|metrics)`}"
_SEARCHES = "footnote_http_request_duration_seconds_%s{service=`retriever`,route=`/v1/search`%s}"
_SEARCH_COUNT = _SEARCHES % ("count", "")
_SEARCH_FAST = _SEARCHES % ("bucket", ",le=`0.5`")


def _slow(total: str, fast: str) -> str:
    return f"sum(rate({total}[{{window}}])) - sum(rate({fast}[{{window}}]))"


OBJECTIVES = (
    Objective(
        "availability",
        "FootnoteErrors",
        "99.9 % of requests are answered without a fault of ours",
        0.999,
        f"sum(rate({_REQUESTS.replace('}', ',status=~`5..`}')}[{{window}}]))",
        "overview",
        f"sum(rate({_REQUESTS}[{{window}}]))",
        least=100,
    ),
    Objective(
        "first-signal",
        "FootnoteFirstSignalSlow",
        "99 % of turns show a first sign within 1 s",
        0.99,
        _slow(
            "footnote_turn_first_event_seconds_count", 'footnote_turn_first_event_seconds_bucket{le="1.0"}'
        ),
        "answers",
        "sum(rate(footnote_turn_first_event_seconds_count[{window}]))",
        least=20,
    ),
    Objective(
        "search-latency",
        "FootnoteSearchSlow",
        "99 % of searches are answered within 0.5 s",
        0.99,
        _slow(_SEARCH_COUNT, _SEARCH_FAST),
        "retrieval",
        f"sum(rate({_SEARCH_COUNT}[{{window}}]))",
        least=20,
    ),
    Objective(
        "freshness",
        "FootnoteDocumentsLate",
        "99 % of the time no accepted document has waited for more than 5 minutes to become searchable",
        0.99,
        "avg_over_time(footnote:documents_late[{window}])",
        "ingest",
    ),
    Objective(
        "deletion-lag",
        "FootnoteDeletionsLate",
        "99.5 % of the time no deleted document has been in a store for more than 5 minutes",
        0.995,
        "avg_over_time(footnote:deletions_late[{window}])",
        "ingest",
    ),
    Objective(
        "turns-failed",
        "FootnoteTurnsFail",
        "99 % of turns end without a failure",
        0.99,
        'sum(rate(footnote_turns_total{status="failed"}[{window}]))',
        "answers",
        "sum(rate(footnote_turns_total[{window}]))",
        least=20,
    ),
    Objective(
        "citations-dropped",
        "FootnoteCitationsDropped",
        "95 % of the citation markers that models write are resolved",
        0.95,
        'sum(rate(footnote_citations_total{outcome="dropped"}[{window}]))',
        "answers",
        'sum(rate(footnote_citations_total{outcome=~"resolved|dropped"}[{window}]))',
        least=50,
    ),
)
