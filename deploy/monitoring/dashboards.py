"""The dashboards: what an operator asks of Footnote, and the expression that answers it."""

from deploy.monitoring.expressions import ANSWERED_AT_ONCE, ASKED, EVERY, quantile, rate
from deploy.monitoring.panels import BoardPlan, PanelPlan
from deploy.monitoring.service_boards import ANSWERS, INGEST, OLDEST_WAITING, RETRIEVAL

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
        OLDEST_WAITING,
        PanelPlan(
            "Requests",
            "How much is asked of each service?",
            "reqps",
            {"{{service}}": rate(f"footnote_http_requests_total{ASKED}", "service")},
        ),
        PanelPlan(
            "Answers by kind",
            "Do answers with 4xx or 5xx grow?",
            "reqps",
            {
                "{{class}}": "sum by (class) (label_replace("
                f"rate(footnote_http_requests_total{ASKED}[{EVERY}])"
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
            {"{{part}}": rate("footnote_degraded_total", "part")},
        ),
        PanelPlan(
            "Connectors and their hooks",
            "Do syncs end well, and what becomes of the hooks that come in?",
            "ops",
            {
                "run {{kind}} {{status}}": rate("footnote_connector_runs_total", "kind, status"),
                "hook {{outcome}}": rate("footnote_hooks_total", "outcome"),
            },
        ),
        PanelPlan(
            "Cost of chat models in an hour",
            "What do the models cost, where their prices are set?",
            "short",
            {"{{model}}": "sum by (model) (increase(footnote_model_cost_total[1h]))"},
        ),
        PanelPlan(
            "Runs of automations",
            "Do the questions that come by a schedule get their answers?",
            "ops",
            {"{{trigger}} {{status}}": rate("footnote_automation_runs_total", "trigger, status")},
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
            {
                "{{service}}": quantile(
                    0.95, "footnote_http_request_duration_seconds", "service", ANSWERED_AT_ONCE
                )
            },
        ),
        PanelPlan(
            "Calls between services, and fetches from outside",
            "Do neighbours answer each other, and web sites us?",
            "reqps",
            {
                "{{service}} {{outcome}}": rate("footnote_client_calls_total", "service, outcome"),
                "outside {{outcome}}": rate("footnote_fetches_total", "outcome"),
            },
        ),
        PanelPlan(
            "Time of a call between services, p95",
            "Which neighbour is slow?",
            "s",
            {"{{service}}": quantile(0.95, "footnote_client_call_duration_seconds", "service")},
        ),
        PanelPlan(
            "Tasks of workers",
            "What do workers do, and do tasks fail?",
            "ops",
            {"{{task}} {{outcome}}": rate("footnote_tasks_total", "task, outcome")},
        ),
        PanelPlan(
            "Requests refused",
            "Who runs into a limit?",
            "reqps",
            {
                "{{limit}}": rate("footnote_refused_total", "limit"),
                "counted without Redis": rate("footnote_rates_counted_locally_total"),
                "no scope, entry {{entry}}": rate("footnote_denials_total", "entry"),
                "keys of the issuer {{outcome}}": rate("footnote_issuer_fetches_total", "outcome"),
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
            {"{{job}} {{instance}}": f'rate(process_cpu_seconds_total{{job=~"footnote.*"}}[{EVERY}])'},
        ),
        PanelPlan(
            "Open files of web processes",
            "Does a process lose descriptors?",
            "short",
            {"{{job}} {{instance}}": 'process_open_fds{job=~"footnote.*"}'},
        ),
        PanelPlan(
            "Work left running, traces",
            "Did something not end when it was told to? Does the backend take our spans?",
            "ops",
            {
                "{{kind}}": rate("footnote_tasks_left_running_total", "kind"),
                "spans {{outcome}}": rate("footnote_spans_total", "outcome"),
            },
        ),
    ),
)

DASHBOARDS = (OVERVIEW, INGEST, RETRIEVAL, ANSWERS, INFRASTRUCTURE)
