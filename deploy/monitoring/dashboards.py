"""The dashboards: what an operator asks of Footnote, and the expression that answers it."""

from deploy.monitoring.panels import BoardPlan, PanelPlan

_EVERY = "$__rate_interval"
_ASKED = "{route!~`/(healthz|readyz|metrics)`}"
_SEARCH = "{service=`retriever`,route=`/v1/search`}"


def _rate(metric: str, by: str = "") -> str:
    return f"sum{f' by ({by})' if by else ''} (rate({metric}[{_EVERY}]))"


def _quantile(share: float, metric: str, by: str = "", labels: str = "") -> str:
    kept = f"le, {by}" if by else "le"
    return f"histogram_quantile({share}, sum by ({kept}) (rate({metric}_bucket{labels}[{_EVERY}])))"


def _quantiles(metric: str, labels: str = "") -> dict[str, str]:
    return {f"p{int(share * 100)}": _quantile(share, metric, labels=labels) for share in (0.5, 0.95, 0.99)}


_WAITING = PanelPlan(
    "Oldest document in work",
    "How long has the document waited that waits longest for being searchable?",
    "s",
    {"waiting": "footnote:documents_oldest_waiting_seconds"},
    alert="FootnoteDocumentsLate",
    limit=300,
    number=True,
)

OVERVIEW = BoardPlan(
    "overview",
    "overview",
    (
        PanelPlan(
            "Requests without a fault of ours",
            "Do we answer what we are asked?",
            "percentunit",
            {"share": '1 - footnote:bad_share:1h{objective="availability"}'},
            alert="FootnoteErrors",
            number=True,
        ),
        PanelPlan(
            "Searches within 0.5 s",
            "Is the search as fast as promised?",
            "percentunit",
            {"share": '1 - footnote:bad_share:1h{objective="search-latency"}'},
            alert="FootnoteSearchSlow",
            number=True,
        ),
        PanelPlan(
            "Turns that end well",
            "Do people get answers?",
            "percentunit",
            {"share": '1 - footnote:bad_share:1h{objective="turns-failed"}'},
            alert="FootnoteTurnsFail",
            number=True,
        ),
        _WAITING,
        PanelPlan(
            "Requests",
            "How much is asked of each service?",
            "reqps",
            {"{{service}}": _rate(f"footnote_http_requests_total{_ASKED}", "service")},
        ),
        PanelPlan(
            "Answers by kind",
            "Do answers with 4xx or 5xx grow?",
            "reqps",
            {
                "{{class}}": "sum by (class) (label_replace("
                f"rate(footnote_http_requests_total{_ASKED}[{_EVERY}])"
                ", `class`, `${1}xx`, `status`, `(.).*`))"
            },
            alert="FootnoteErrors",
        ),
        PanelPlan(
            "Budget of errors burnt, by promise",
            "Which promise is being broken? At 1 the budget of 30 days lasts for 30 days.",
            "short",
            {"{{objective}}": "footnote:bad_share:1h / on (objective) footnote:budget"},
        ),
        PanelPlan(
            "What answers lack",
            "Which part was missing while answers were given without it?",
            "ops",
            {"{{part}}": _rate("footnote_degraded_total", "part")},
        ),
    ),
)

INGEST = BoardPlan(
    "ingest",
    "ingest",
    (
        _WAITING,
        PanelPlan(
            "Oldest deletion",
            "How long has the deletion waited that waits longest for being done in every store?",
            "s",
            {"waiting": "footnote:deletions_oldest_waiting_seconds"},
            alert="FootnoteDeletionsLate",
            limit=300,
            number=True,
        ),
        PanelPlan(
            "Last sweep",
            "Does the clock run, and do workers take what it sends?",
            "s",
            {"ago": "time() - max(footnote_census_timestamp_seconds)"},
            alert="FootnoteSweepStopped",
            limit=120,
            number=True,
        ),
        PanelPlan(
            "Idle beside work",
            "Is there a worker that lives and takes nothing?",
            "s",
            {"longest": "max(footnote_worker_idle_beside_work_seconds)"},
            alert="FootnoteWorkerTakesNothing",
            limit=60,
            number=True,
        ),
        PanelPlan(
            "Accepted and ended",
            "Do as many documents end as come in?",
            "ops",
            {
                "accepted {{outcome}}": _rate("footnote_documents_accepted_total", "outcome"),
                "ended {{status}}": _rate("footnote_documents_ended_total", "status"),
            },
        ),
        PanelPlan(
            "Documents in work",
            "In which stage do documents pile up?",
            "short",
            {"{{status}}": 'footnote:documents{status!~"indexed|failed|deleted"}'},
        ),
        PanelPlan(
            "Messages that wait",
            "Which queue needs more workers?",
            "short",
            {"{{queue}}": "footnote:queue_messages"},
            alert="FootnoteWorkerTakesNothing",
        ),
        PanelPlan(
            "Time of a stage, p95",
            "Which stage is slow?",
            "s",
            {"{{stage}}": _quantile(0.95, "footnote_document_stage_duration_seconds", "stage")},
        ),
        PanelPlan(
            "Failures by reason",
            "Are the documents bad, or are we?",
            "ops",
            {"{{reason}}": _rate('footnote_documents_ended_total{status="failed"}', "reason")},
            alert="FootnoteDocumentsFail",
        ),
        PanelPlan(
            "Tries and second starts",
            "Is work repeated, because a store is away or workers die?",
            "ops",
            {
                "tried again {{stage}}": _rate("footnote_document_retries_total", "stage"),
                "sent again by the sweep": _rate("footnote_documents_redispatched_total"),
                "hints lost {{reason}}": _rate("footnote_hints_lost_total", "reason"),
            },
            alert="FootnoteHintsLost",
        ),
        PanelPlan(
            "Texts embedded",
            "How fast is embedded, and how much is reused?",
            "ops",
            {"{{how}}": _rate("footnote_embedded_texts_total", "how")},
        ),
        PanelPlan(
            "Differences repaired",
            "Did reconciliation find points or bytes without a document?",
            "ops",
            {"{{what}}": _rate("footnote_reconciled_total", "what")},
        ),
    ),
)

RETRIEVAL = BoardPlan(
    "retrieval",
    "retrieval",
    (
        PanelPlan(
            "Time of a search",
            "How long do people wait for passages?",
            "s",
            _quantiles("footnote_http_request_duration_seconds", _SEARCH),
            alert="FootnoteSearchSlow",
            limit=0.5,
        ),
        PanelPlan(
            "Time of a step, p95",
            "Which step of the funnel is slow?",
            "s",
            {"{{stage}}": _quantile(0.95, "footnote_search_stage_duration_seconds", "stage")},
            alert="FootnoteSearchSlow",
        ),
        PanelPlan(
            "Searches by outcome",
            "Do the documents answer what is asked?",
            "ops",
            {"{{outcome}}": _rate("footnote_searches_total", "outcome")},
        ),
        PanelPlan(
            "Passages returned",
            "How much evidence does a search find?",
            "short",
            {
                "mean": "sum(rate(footnote_search_passages_sum[$__rate_interval]))"
                " / sum(rate(footnote_search_passages_count[$__rate_interval]))",
                "p50": _quantile(0.5, "footnote_search_passages"),
            },
        ),
        PanelPlan(
            "Queries whose vector was known",
            "Does the cache of query vectors help?",
            "percentunit",
            {
                "hits": "(sum(rate(footnote_query_vector_cache_total{outcome=`hit`}[$__rate_interval]))"
                " or vector(0)) / sum(rate(footnote_query_vector_cache_total[$__rate_interval]))"
            },
        ),
        PanelPlan(
            "Time to embed, p95",
            "Is the embedding model the bottleneck?",
            "s",
            {"{{use}}": _quantile(0.95, "footnote_embedding_duration_seconds", "use")},
        ),
        PanelPlan(
            "What searches lack",
            "Was a leg or the reranker missing?",
            "ops",
            {"{{part}}": _rate('footnote_degraded_total{part=~"sparse|dense|rerank"}', "part")},
        ),
    ),
)

ANSWERS = BoardPlan(
    "answers",
    "answers and citations",
    (
        PanelPlan(
            "Turns by end",
            "Do turns end as they should?",
            "ops",
            {
                "{{engine}} {{status}}": _rate("footnote_turns_total", "engine, status"),
                "stream {{type}}": _rate("footnote_streams_ended_total", "type"),
            },
            alert="FootnoteTurnsFail",
        ),
        PanelPlan(
            "Time to the first sign",
            "How long does a person look at nothing?",
            "s",
            _quantiles("footnote_turn_first_event_seconds"),
            alert="FootnoteFirstSignalSlow",
            limit=1,
        ),
        PanelPlan(
            "Time to the first text, p95",
            "When does the answer begin?",
            "s",
            {"{{engine}}": _quantile(0.95, "footnote_turn_first_text_seconds", "engine")},
        ),
        PanelPlan(
            "Time of a turn, p95",
            "How long does a whole answer take?",
            "s",
            {"{{engine}}": _quantile(0.95, "footnote_turn_duration_seconds", "engine")},
        ),
        PanelPlan(
            "Citation markers",
            "What becomes of the numbers that models write?",
            "ops",
            {"{{outcome}}": _rate("footnote_citations_total", "outcome")},
            alert="FootnoteCitationsDropped",
        ),
        PanelPlan(
            "Cited sentences by verdict",
            "Do the passages say what the answers say?",
            "ops",
            {"{{verdict}}": _rate("footnote_citations_verified_total", "verdict")},
        ),
        PanelPlan(
            "Time to number evidence",
            "Is the registry fast?",
            "s",
            _quantiles("footnote_register_duration_seconds"),
        ),
        PanelPlan(
            "Lag of streams",
            "How long does the resolver hold what the agent wrote?",
            "s",
            _quantiles("footnote_stream_lag_seconds"),
        ),
        PanelPlan(
            "Readers of streams",
            "How many people read along?",
            "short",
            {"readers": "sum(footnote_stream_readers)"},
        ),
        PanelPlan(
            "Takeovers",
            "Do replicas die with turns in hand?",
            "ops",
            {
                "turns": _rate("footnote_turns_taken_over_total"),
                "streams": _rate("footnote_stream_takeovers_total"),
            },
            alert="FootnoteTakeovers",
        ),
        PanelPlan(
            "Tokens of chat models",
            "What do the models cost?",
            "ops",
            {"{{direction}}": _rate("footnote_model_tokens_total", "direction")},
        ),
        PanelPlan(
            "Failures of chat models",
            "Does the model answer, and to its end?",
            "ops",
            {
                "failed {{reason}}": _rate("footnote_model_failures_total", "reason"),
                "cut {{reason}}": _rate("footnote_answers_cut_total", "reason"),
            },
            alert="FootnoteModelFails",
        ),
    ),
)

INFRASTRUCTURE = BoardPlan(
    "infrastructure",
    "infrastructure",
    (
        PanelPlan(
            "Processes that answer",
            "Which processes does Prometheus reach?",
            "short",
            {"{{job}}": 'sum by (job) (up{job=~"footnote.*"})'},
            alert="FootnoteProcessDown",
        ),
        PanelPlan(
            "Dependencies",
            "Which store does not answer? 1 is up, 0 is down, as of the last question for readiness.",
            "short",
            {"{{service}} {{dependency}}": "min by (service, dependency) (footnote_dependency_up)"},
            alert="FootnoteDependencyDown",
        ),
        PanelPlan(
            "Requests in progress",
            "Is a service saturated? Open streams count.",
            "short",
            {"{{service}}": "sum by (service) (footnote_http_requests_in_progress)"},
        ),
        PanelPlan(
            "Time of a request, p95",
            "Which service is slow?",
            "s",
            {"{{service}}": _quantile(0.95, "footnote_http_request_duration_seconds", "service", _ASKED)},
        ),
        PanelPlan(
            "Calls between services",
            "Do neighbours answer each other?",
            "reqps",
            {"{{service}} {{outcome}}": _rate("footnote_client_calls_total", "service, outcome")},
        ),
        PanelPlan(
            "Time of a call between services, p95",
            "Which neighbour is slow?",
            "s",
            {"{{service}}": _quantile(0.95, "footnote_client_call_duration_seconds", "service")},
        ),
        PanelPlan(
            "Tasks of workers",
            "What do workers do, and do tasks fail?",
            "ops",
            {"{{task}} {{outcome}}": _rate("footnote_tasks_total", "task, outcome")},
        ),
        PanelPlan(
            "Requests refused",
            "Who runs into a limit?",
            "reqps",
            {
                "{{limit}}": _rate("footnote_refused_total", "limit"),
                "counted without Redis": _rate("footnote_rates_counted_locally_total"),
            },
        ),
        PanelPlan(
            "Memory of web processes",
            "Does a process grow?",
            "bytes",
            {"{{job}} {{instance}}": 'process_resident_memory_bytes{job=~"footnote.*"}'},
        ),
        PanelPlan(
            "Processor time of web processes",
            "Does a process compute all the time?",
            "short",
            {"{{job}} {{instance}}": f'rate(process_cpu_seconds_total{{job=~"footnote.*"}}[{_EVERY}])'},
        ),
        PanelPlan(
            "Open files of web processes",
            "Does a process lose descriptors?",
            "short",
            {"{{job}} {{instance}}": 'process_open_fds{job=~"footnote.*"}'},
        ),
        PanelPlan(
            "Work left running",
            "Did something not end when it was told to?",
            "ops",
            {"{{kind}}": _rate("footnote_tasks_left_running_total", "kind")},
        ),
    ),
)

DASHBOARDS = (OVERVIEW, INGEST, RETRIEVAL, ANSWERS, INFRASTRUCTURE)
