"""The metrics as one table, in the order in which they are declared."""

from prometheus_client.metrics import MetricWrapperBase

from footnote_cli.reference.markdown import code, table
from footnote_shared.telemetry import metrics


def metric_tables() -> dict[str, str]:
    """`metrics`: name, type, labels and meaning of each."""
    declared = [metric for metric in vars(metrics).values() if isinstance(metric, MetricWrapperBase)]
    return {"metrics": table(("metric", "type", "labels", "meaning"), map(_row, declared))}


def _row(metric: MetricWrapperBase) -> tuple[str, ...]:
    (about,) = metric.describe()
    name = about.name + ("_total" if about.type == "counter" else "")
    labels = ", ".join(map(code, metric._labelnames))
    return code(name), about.type, labels, about.documentation
