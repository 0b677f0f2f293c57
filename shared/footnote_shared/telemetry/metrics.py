"""Every metric of Footnote, declared once (spec 7.4).

Labels have few values: routes, stages, reasons, never ids.
"""

from prometheus_client import Counter, Gauge, Histogram

_FAST = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_SLOW = (0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)

# Every service
REQUESTS = Counter(
    "footnote_http_requests_total",
    "Requests by service, route, method and status.",
    ["service", "route", "method", "status"],
)
REQUEST_SECONDS = Histogram(
    "footnote_http_request_duration_seconds",
    "Time to the end of an answer. Streams are not counted.",
    ["service", "route"],
    buckets=_FAST,
)
REQUESTS_IN_PROGRESS = Gauge(
    "footnote_http_requests_in_progress",
    "Requests that are being answered, open streams included.",
    ["service"],
    multiprocess_mode="livesum",
)
DEPENDENCY_UP = Gauge(
    "footnote_dependency_up",
    "Whether a dependency of a service answered when readiness was last asked for: 1 or 0.",
    ["service", "dependency"],
    multiprocess_mode="mostrecent",
)
CALLS = Counter(
    "footnote_client_calls_total", "Calls to a neighbouring service by outcome.", ["service", "outcome"]
)
CALL_SECONDS = Histogram(
    "footnote_client_call_duration_seconds",
    "Time of one call to a neighbouring service.",
    ["service"],
    buckets=_FAST,
)
FETCHES = Counter(
    "footnote_fetches_total",
    "Fetches from outside by outcome: ok, or the code of what went wrong.",
    ["outcome"],
)
ISSUER_FETCHES = Counter(
    "footnote_issuer_fetches_total",
    "Fetches of the keys that sign users' tokens, by outcome: ok, failed.",
    ["outcome"],
)
DENIALS = Counter(
    "footnote_denials_total",
    "Requests refused for want of a scope, by what became of their entry in the audit log: written, "
    "too_many, not_written.",
    ["entry"],
)
REFUSED = Counter(
    "footnote_refused_total",
    "Requests answered with 429 or 408, by limit: requests, failed_keys, slow, streams.",
    ["limit"],
)
RATES_LOCAL = Counter(
    "footnote_rates_counted_locally_total",
    "Requests that one process counted for itself against the limits because Redis did not answer.",
)
TASKS_LEFT = Counter(
    "footnote_tasks_left_running_total",
    "Cancelled tasks that did not end in time and were left alone, by kind: engine, turn, model_call, relay.",
    ["kind"],
)

# Ingest
ACCEPTED = Counter(
    "footnote_documents_accepted_total",
    "Documents accepted, by outcome: new, version, unchanged.",
    ["outcome"],
)
SPANS = Counter(
    "footnote_spans_total",
    "Spans that were sent to the traces' backend, and those that it did not take: sent, lost.",
    ["outcome"],
)
HINTS_LOST = Counter(
    "footnote_hints_lost_total",
    "Hints of work that were not sent, so that the sweep sends them: unreachable (the broker), full (too "
    "many waited).",
    ["reason"],
)
STAGE_SECONDS = Histogram(
    "footnote_document_stage_duration_seconds",
    "Time that a document was in work in one stage.",
    ["stage"],
    buckets=_SLOW,
)
DOCUMENTS_ENDED = Counter(
    "footnote_documents_ended_total", "Documents that ended, by status and reason code.", ["status", "reason"]
)
DOCUMENTS_BY_STAGE = Gauge(
    "footnote_documents", "Documents by status, read from SQL.", ["status"], multiprocess_mode="mostrecent"
)
OLDEST_WAITING = Gauge(
    "footnote_documents_oldest_waiting_seconds",
    "Age of the oldest document that has not ended.",
    multiprocess_mode="mostrecent",
)
OLDEST_DELETION = Gauge(
    "footnote_deletions_oldest_waiting_seconds",
    "Time since the oldest deletion whose document or workspace is not yet gone from every store.",
    multiprocess_mode="mostrecent",
)
CENSUS_AT = Gauge(
    "footnote_census_timestamp_seconds",
    "When this worker last counted documents and messages, in seconds since 1970. Any worker may sweep.",
    multiprocess_mode="mostrecent",
)
RETRIES = Counter("footnote_document_retries_total", "Stages that were tried again, by stage.", ["stage"])
REDISPATCHED = Counter("footnote_documents_redispatched_total", "Documents that the sweep sent again.")
EMBEDDED = Counter("footnote_embedded_texts_total", "Texts embedded: computed, reused or kept.", ["how"])
EMBED_SECONDS = Histogram(
    "footnote_embedding_duration_seconds", "Time of one call of the embedder, by use.", ["use"], buckets=_SLOW
)
SYNCS = Counter(
    "footnote_connector_runs_total",
    "Runs of connectors that ended, by kind of connector and status.",
    ["kind", "status"],
)
HOOKS = Counter(
    "footnote_hooks_total",
    "Web hooks by outcome: accepted, duplicate, stale (a later word was there), refused (its signature), "
    "offered (a token by which its system will sign).",
    ["outcome"],
)

TASKS = Counter("footnote_tasks_total", "Tasks that workers ran, by name and outcome.", ["task", "outcome"])
TASK_SECONDS = Histogram(
    "footnote_task_duration_seconds", "Time of one task, by name.", ["task"], buckets=_SLOW
)
QUEUE_DEPTH = Gauge(
    "footnote_queue_messages", "Messages that wait in a queue.", ["queue"], multiprocess_mode="mostrecent"
)
LANE_CHUNKS = Gauge(
    "footnote_lane_build_chunks",
    "Chunks of the next version of the lane: those that are in it (done), and all (total).",
    ["what"],
    multiprocess_mode="mostrecent",
)
LANE_RATE = Gauge(
    "footnote_lane_build_chunks_per_second",
    "Chunks per second that go into the next version of the lane; 0 while none is being built.",
    multiprocess_mode="mostrecent",
)
LANE_CHANGES = Gauge(
    "footnote_lane_changes_waiting",
    "Changes of documents that a kept version of the lane does not have yet.",
    multiprocess_mode="mostrecent",
)
LANE_SWITCHES = Counter("footnote_lane_switches_total", "Switches of the lane to another version.")
LANE_BEHIND = Gauge(
    "footnote_lane_behind",
    "Processes that search a version of the lane that is no longer live, mostly while its model is loaded.",
    multiprocess_mode="livesum",
)
FACT_EXTRACTIONS = Counter(
    "footnote_fact_extractions_total",
    "Documents that a model was asked about for facts: completed, tried_again, or failed (given up).",
    ["outcome"],
)
FACTS_READ = Counter(
    "footnote_facts_read_total",
    "Facts in the replies of models: kept, or dropped because the passage does not say so.",
    ["what"],
)
WORKER_IDLE_BESIDE_WORK = Gauge(
    "footnote_worker_idle_beside_work_seconds",
    "For how long messages have waited in the queues of a worker that had nothing in hand and took none.",
    multiprocess_mode="mostrecent",
)
ORPHANS = Counter(
    "footnote_reconciled_total",
    "Differences that reconciliation repaired: orphan points, missing points, orphan blobs.",
    ["what"],
)

# Retriever
SEARCHES = Counter(
    "footnote_searches_total", "Searches by outcome: sufficient, insufficient, failed.", ["outcome"]
)
SEARCH_STEP_SECONDS = Histogram(
    "footnote_search_stage_duration_seconds", "Time of one step of the funnel.", ["stage"], buckets=_FAST
)
SEARCH_RESULTS = Histogram(
    "footnote_search_passages", "Passages returned.", buckets=(0, 1, 2, 5, 10, 20, 50, 100)
)
DEGRADED = Counter(
    "footnote_degraded_total", "Answers that lack something, by the part that was missing.", ["part"]
)
QUERY_CACHE = Counter(
    "footnote_query_vector_cache_total", "Look-ups in the cache of query vectors, by outcome.", ["outcome"]
)

# Agent
TURNS = Counter("footnote_turns_total", "Turns by engine and how they ended.", ["engine", "status"])
TURN_SECONDS = Histogram(
    "footnote_turn_duration_seconds", "Time of one turn, by engine.", ["engine"], buckets=_SLOW
)
FIRST_EVENT_SECONDS = Histogram(
    "footnote_turn_first_event_seconds", "Time from the request to the first raw event.", buckets=_FAST
)
FIRST_TEXT_SECONDS = Histogram(
    "footnote_turn_first_text_seconds",
    "Time from the request to the first text of the answer.",
    ["engine"],
    buckets=_SLOW,
)
TURNS_TAKEN_OVER = Counter(
    "footnote_turns_taken_over_total", "Turns that a replica took over from one that died."
)
TURNS_AT_WORK = Gauge(
    "footnote_turns_at_work",
    "Turns that have a place at work in a process of the agent (working), and those that wait for one "
    "(waiting). Turns that wait for a model are neither.",
    ["state"],
    multiprocess_mode="livesum",
)
AUTOMATION_RUNS = Counter(
    "footnote_automation_runs_total",
    "Runs of automations that ended, by what began them (schedule, missed, call) and how they ended.",
    ["trigger", "status"],
)
TOOL_CALLS = Counter(
    "footnote_tool_calls_total",
    "Calls of tools by models: ok, refused (the model was told why). `unknown`: there is no such tool.",
    ["tool", "outcome"],
)
TOOL_SECONDS = Histogram(
    "footnote_tool_duration_seconds", "Time of one call of a tool, by name.", ["tool"], buckets=_SLOW
)
MODEL_TOKENS = Counter("footnote_model_tokens_total", "Tokens of chat models by direction.", ["direction"])
MODEL_COST = Counter(
    "footnote_model_cost_total",
    "Cost of chat models in the operator's currency, by model. Only of models whose prices are set.",
    ["model"],
)
MODEL_FAILURES = Counter(
    "footnote_model_failures_total", "Failed calls of chat models by reason.", ["reason"]
)
MODEL_SWITCHES = Counter(
    "footnote_model_switches_total",
    "Times that another model of the chain was asked, by the reason why the one before failed.",
    ["reason"],
)

ANSWERS_CUT = Counter(
    "footnote_answers_cut_total",
    "Answers that the model did not bring to their end, by reason: length, tool_call, content_filter, error.",
    ["reason"],
)

# Resolver
REGISTERED = Counter(
    "footnote_citations_registered_total",
    "Units registered, by whether their number was new or known.",
    ["how"],
)
REGISTER_SECONDS = Histogram(
    "footnote_register_duration_seconds", "Time to register and render one batch.", buckets=_FAST
)
CITATIONS = Counter(
    "footnote_citations_total",
    "Citation markers of models by what became of them: resolved, dropped, repaired, injected; and claims "
    "left uncited.",
    ["outcome"],
)
INJECTION_SECONDS = Histogram(
    "footnote_injection_duration_seconds",
    "Time that the search for the source of one sentence adds to its stream.",
    buckets=(0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1),
)
VERIFIED = Counter("footnote_citations_verified_total", "Cited sentences by verdict.", ["verdict"])
STREAMS_ENDED = Counter("footnote_streams_ended_total", "Turn streams by terminal event.", ["type"])
STREAM_TAKEOVERS = Counter(
    "footnote_stream_takeovers_total", "Streams that a resolver took over from one that died."
)
STREAM_READERS = Gauge(
    "footnote_stream_readers", "Readers connected to turn streams.", multiprocess_mode="livesum"
)
STREAM_LAG_SECONDS = Histogram(
    "footnote_stream_lag_seconds", "Time from a raw event to its normalised event.", buckets=_FAST
)
