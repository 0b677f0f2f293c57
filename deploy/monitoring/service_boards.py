"""The dashboards of documents, of searches and of answers."""

from deploy.monitoring.expressions import SEARCH, quantile, quantiles, rate
from deploy.monitoring.panels import BoardPlan, PanelPlan

OLDEST_WAITING = PanelPlan(
    "Oldest document in work",
    "How long has the document waited that waits longest for being searchable?",
    "s",
    {"waiting": "footnote:documents_oldest_waiting_seconds"},
    alert="FootnoteDocumentsLate",
    limit=300,
    number=True,
)

INGEST = BoardPlan(
    "ingest",
    "ingest",
    (
        OLDEST_WAITING,
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
                "accepted {{outcome}}": rate("footnote_documents_accepted_total", "outcome"),
                "ended {{status}}": rate("footnote_documents_ended_total", "status"),
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
            {"{{stage}}": quantile(0.95, "footnote_document_stage_duration_seconds", "stage")},
        ),
        PanelPlan(
            "Failures by reason",
            "Are the documents bad, or are we?",
            "ops",
            {"{{reason}}": rate('footnote_documents_ended_total{status="failed"}', "reason")},
            alert="FootnoteDocumentsFail",
        ),
        PanelPlan(
            "Tries and second starts",
            "Is work repeated, because a store is away or workers die?",
            "ops",
            {
                "tried again {{stage}}": rate("footnote_document_retries_total", "stage"),
                "sent again by the sweep": rate("footnote_documents_redispatched_total"),
                "hints lost {{reason}}": rate("footnote_hints_lost_total", "reason"),
            },
            alert="FootnoteHintsLost",
        ),
        PanelPlan(
            "Texts embedded",
            "How fast is embedded, and how much is reused?",
            "ops",
            {"{{how}}": rate("footnote_embedded_texts_total", "how")},
        ),
        PanelPlan(
            "Differences repaired",
            "Did reconciliation find points or bytes without a document?",
            "ops",
            {"{{what}}": rate("footnote_reconciled_total", "what")},
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
            quantiles("footnote_http_request_duration_seconds", SEARCH),
            alert="FootnoteSearchSlow",
            limit=0.5,
        ),
        PanelPlan(
            "Time of a step, p95",
            "Which step of the funnel is slow?",
            "s",
            {"{{stage}}": quantile(0.95, "footnote_search_stage_duration_seconds", "stage")},
            alert="FootnoteSearchSlow",
        ),
        PanelPlan(
            "Searches by outcome",
            "Do the documents answer what is asked?",
            "ops",
            {"{{outcome}}": rate("footnote_searches_total", "outcome")},
        ),
        PanelPlan(
            "Passages returned",
            "How much evidence does a search find?",
            "short",
            {
                "mean": "sum(rate(footnote_search_passages_sum[$__rate_interval]))"
                " / sum(rate(footnote_search_passages_count[$__rate_interval]))",
                "p50": quantile(0.5, "footnote_search_passages"),
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
            {"{{use}}": quantile(0.95, "footnote_embedding_duration_seconds", "use")},
        ),
        PanelPlan(
            "What searches lack",
            "Was a leg or the reranker missing?",
            "ops",
            {"{{part}}": rate('footnote_degraded_total{part=~"sparse|dense|rerank"}', "part")},
        ),
        PanelPlan(
            "Facts",
            "Does the model that reads facts answer, and how much of it can be kept?",
            "ops",
            {
                "{{outcome}}": rate("footnote_fact_extractions_total", "outcome"),
                "facts {{what}}": rate("footnote_facts_read_total", "what"),
            },
        ),
        PanelPlan(
            "The next version of the lane",
            "How many of all chunks are in it?",
            "short",
            {"{{what}}": "max by (what) (footnote_lane_build_chunks)"},
        ),
        PanelPlan(
            "Re-embedding",
            "How fast does the next version grow, and how many changes do kept versions wait for?",
            "short",
            {
                "chunks per second": "max(footnote_lane_build_chunks_per_second)",
                "changes waiting": "max(footnote_lane_changes_waiting)",
                "switches in 5 minutes": f"300 * {rate('footnote_lane_switches_total')}",
                "searching processes behind": "sum(footnote_lane_behind)",
            },
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
                "{{engine}} {{status}}": rate("footnote_turns_total", "engine, status"),
                "stream {{type}}": rate("footnote_streams_ended_total", "type"),
            },
            alert="FootnoteTurnsFail",
        ),
        PanelPlan(
            "Time to the first sign",
            "How long does a person look at nothing?",
            "s",
            quantiles("footnote_turn_first_event_seconds"),
            alert="FootnoteFirstSignalSlow",
            limit=1,
        ),
        PanelPlan(
            "Time of a turn, p95",
            "When does the answer begin, and how long does a whole one take?",
            "s",
            {
                "first text {{engine}}": quantile(0.95, "footnote_turn_first_text_seconds", "engine"),
                "whole {{engine}}": quantile(0.95, "footnote_turn_duration_seconds", "engine"),
            },
        ),
        PanelPlan(
            "Tools",
            "What do models call, does it work, and how long does it take?",
            "short",
            {
                "{{tool}} {{outcome}} per second": rate("footnote_tool_calls_total", "tool, outcome"),
                "{{tool}} seconds, p95": quantile(0.95, "footnote_tool_duration_seconds", "tool"),
            },
        ),
        PanelPlan(
            "Citation markers",
            "What becomes of the numbers that models write?",
            "ops",
            {"{{outcome}}": rate("footnote_citations_total", "outcome")},
            alert="FootnoteCitationsDropped",
        ),
        PanelPlan(
            "Cited sentences by verdict",
            "Do the passages say what the answers say?",
            "ops",
            {"{{verdict}}": rate("footnote_citations_verified_total", "verdict")},
        ),
        PanelPlan(
            "Time to number evidence",
            "Is the registry fast?",
            "s",
            quantiles("footnote_register_duration_seconds"),
        ),
        PanelPlan(
            "Lag of streams",
            "How long does the resolver hold what the agent wrote?",
            "s",
            quantiles("footnote_stream_lag_seconds"),
        ),
        PanelPlan(
            "Turns at work, readers of streams",
            "Do turns wait for the agent itself, and not for a model? How many people read along?",
            "short",
            {
                "turns {{state}}": "sum by (state) (footnote_turns_at_work)",
                "readers": "sum(footnote_stream_readers)",
            },
        ),
        PanelPlan(
            "Takeovers",
            "Do replicas die with turns in hand?",
            "ops",
            {
                "turns": rate("footnote_turns_taken_over_total"),
                "streams": rate("footnote_stream_takeovers_total"),
            },
            alert="FootnoteTakeovers",
        ),
        PanelPlan(
            "Tokens of chat models",
            "How much do the models read and write?",
            "ops",
            {"{{direction}}": rate("footnote_model_tokens_total", "direction")},
        ),
        PanelPlan(
            "Failures of chat models",
            "Does the model answer, and to its end?",
            "ops",
            {
                "failed {{reason}}": rate("footnote_model_failures_total", "reason"),
                "another asked {{reason}}": rate("footnote_model_switches_total", "reason"),
                "cut {{reason}}": rate("footnote_answers_cut_total", "reason"),
            },
            alert="FootnoteModelFails",
        ),
    ),
)
