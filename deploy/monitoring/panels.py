"""How a panel and a dashboard are drawn by Grafana, with the Grafana Foundation SDK."""

from collections.abc import Mapping
from dataclasses import dataclass

from deploy.monitoring.rules import RUNBOOKS, runbooks
from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import LegendDisplayMode, LegendPlacement
from grafana_foundation_sdk.models.dashboard import (
    DashboardCursorSync,
    DashboardLinkType,
    DataSourceRef,
    Threshold,
    ThresholdsMode,
)

_SOURCE = DataSourceRef(type_val="prometheus", uid="${source}")
_WIDE, _NARROW, _HIGH, _LOW = 12, 6, 8, 4


@dataclass(frozen=True, slots=True)
class PanelPlan:
    """One panel: the question that it answers, and the expressions with their legends.

    `alert` is the alert whose runbook the panel links to. With `limit` the panel turns red above it.
    """

    title: str
    question: str
    unit: str
    lines: Mapping[str, str]
    alert: str = ""
    limit: float | None = None
    number: bool = False


@dataclass(frozen=True, slots=True)
class BoardPlan:
    """One dashboard: five to twelve panels, the numbers first."""

    name: str
    title: str
    panels: tuple[PanelPlan, ...]


def drawn(board: BoardPlan) -> str:
    """The dashboard as Grafana's JSON."""
    page = (
        dashboard.Dashboard(f"Footnote: {board.title}")
        .uid(f"footnote-{board.name}")
        .tags(["footnote"])
        .refresh("30s")
        .time("now-6h", "now")
        .timezone("browser")
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .readonly()
        .with_variable(dashboard.DatasourceVariable("source").label("Prometheus").type("prometheus"))
        .link(
            dashboard.DashboardLink("Footnote")
            .type(DashboardLinkType.DASHBOARDS)
            .tags(["footnote"])
            .as_dropdown(True)
            .keep_time(True)
        )
    )
    for panel in board.panels:
        page.with_panel(_number(panel) if panel.number else _curves(panel))
    return JSONEncoder(sort_keys=True, indent=1).encode(page.build()) + "\n"


def _curves(plan: PanelPlan) -> timeseries.Panel:
    panel = timeseries.Panel().span(_WIDE).height(_HIGH).min(0).fill_opacity(10)
    panel.legend(
        common.VizLegendOptions()
        .display_mode(LegendDisplayMode.LIST)
        .placement(LegendPlacement.BOTTOM)
        .show_legend(True)
    )
    _fill(panel, plan)
    return panel


def _number(plan: PanelPlan) -> stat.Panel:
    panel = stat.Panel().span(_NARROW).height(_LOW)
    _fill(panel, plan)
    return panel


def _fill(panel: timeseries.Panel | stat.Panel, plan: PanelPlan) -> None:
    panel.title(plan.title).description(plan.question).unit(plan.unit).datasource(_SOURCE)
    for place, (legend, expr) in enumerate(plan.lines.items()):
        panel.with_target(
            prometheus.Dataquery().expr(expr).legend_format(legend).ref_id(chr(ord("A") + place)).range()
        )
    steps = [Threshold(value=None, color="green")]
    if plan.limit is not None:
        steps.append(Threshold(value=plan.limit, color="red"))
    panel.thresholds(dashboard.ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(steps))
    if plan.alert:
        runbook = f"{RUNBOOKS}/{runbooks()[plan.alert]}"
        panel.links(
            [dashboard.DashboardLink(f"Runbook of {plan.alert}").type(DashboardLinkType.LINK).url(runbook)]
        )
