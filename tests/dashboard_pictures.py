"""Pictures of the dashboards for the documentation: python -m tests.dashboard_pictures [--seconds 120]

Starts a run of its own and a Prometheus over it, works with it for a while, asks for what each panel shows,
and draws that. It is not Grafana that draws: these are our lines, with the titles, questions and expressions
of the panels.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import httpx
from deploy.monitoring.dashboards import DASHBOARDS
from deploy.monitoring.panels import BoardPlan, PanelPlan

from footnote_testing.ports import ports_in_a_row
from tests.system.prometheus import PROMETHEUS, prometheus_over
from tests.system.stacks import Client, EmbeddedStack
from tests.system.test_dashboards import use

PICTURES = Path(__file__).parents[1] / "docs" / "pictures" / "dashboards"
_WIDE, _HIGH, _LOW, _GAP = 590, 230, 96, 12
_PLOT_TOP, _PLOT_BOTTOM = 56, 44
_LINES, _LETTERS = 6, 34
_COLOURS = ("#4f5bd5", "#d5604f", "#3f9d5c", "#b8860b", "#7a4fd5", "#2b8a9e")
_STYLE = (
    ".panel{fill:#fafafa;stroke:#d0d0d8}text{fill:#222}.q{font-size:12px;fill:#555}.n{font-size:30px}"
    ".l{fill:none;stroke-width:1.6}.g{stroke:#e4e4ea}"
    "@media (prefers-color-scheme:dark){.panel{fill:#17181d;stroke:#3a3b44}text{fill:#eee}.q{fill:#aaa}"
    ".g{stroke:#2b2c34}}"
)


@dataclass(frozen=True)
class Line:
    """One line of a panel: what it is called, and its values with their Unix times."""

    name: str
    values: list[tuple[float, float]]


def lines_of(ask: httpx.Client, panel: PanelPlan, begun: float, ended: float) -> list[Line]:
    """What the panel shows between two moments."""
    found = []
    for legend, expression in panel.lines.items():
        asked = expression.replace("$__rate_interval", "30s")
        query: dict[str, str | float] = {"query": asked, "start": begun, "end": ended, "step": 2}
        answer = ask.get("/api/v1/query_range", params=query)
        answer.raise_for_status()
        for series in answer.json()["data"]["result"]:
            values = [(float(at), float(value)) for at, value in series["values"]]
            found.append(Line(_named(legend, series["metric"]), [v for v in values if v[1] == v[1]]))
    return [line for line in found if line.values]


def _named(legend: str, labels: dict[str, Any]) -> str:
    for label, value in labels.items():
        legend = legend.replace("{{" + label + "}}", str(value))
    return legend


def told(value: float, unit: str) -> str:
    """A value with its unit, short."""
    match unit:
        case "percentunit":
            return f"{100 * value:.1f} %"
        case "s":
            return f"{value:.1f} s" if value >= 1 else f"{1000 * value:.0f} ms"
        case "bytes":
            return f"{value / 2**20:.0f} MiB"
        case "reqps" | "ops":
            return f"{value:.2f}/s"
    return f"{value:.3g}"


def picture(board: BoardPlan, shown: Callable[[PanelPlan], list[Line]], begun: float, ended: float) -> str:
    """The whole board as an SVG: numbers first, then two panels in a row."""
    numbers = [panel for panel in board.panels if panel.number]
    plots = [panel for panel in board.panels if not panel.number]
    width = 2 * _WIDE + 3 * _GAP
    parts: list[str] = []
    top = 44
    for place, panel in enumerate(numbers):
        wide = (width - _GAP) / max(1, len(numbers)) - _GAP
        parts += _frame(panel, _GAP + place * (wide + _GAP), top, wide, _LOW)
        lines = shown(panel)
        value = told(lines[0].values[-1][1], panel.unit) if lines else "no data"
        parts.append(
            f'<text class="n" x="{_GAP + place * (wide + _GAP) + 14:.0f}" y="{top + 84}">{value}</text>'
        )
    top += (_LOW + _GAP) if numbers else 0
    for place, panel in enumerate(plots):
        x, y = _GAP + (place % 2) * (_WIDE + _GAP), top + (place // 2) * (_HIGH + _GAP)
        parts += _frame(panel, x, y, _WIDE, _HIGH)
        parts += _drawn(panel, shown(panel), x, y, begun, ended)
    height = top + (len(plots) + 1) // 2 * (_HIGH + _GAP)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="system-ui, sans-serif" font-size="14" role="img" aria-labelledby="t">',
            f'<title id="t">Dashboard: {escape(board.title)}</title><style>{_STYLE}</style>',
            f'<text x="{_GAP}" y="28" font-size="18">{escape(board.title)}</text>',
            *parts,
            "</svg>",
            "",
        ]
    )


def _frame(panel: PanelPlan, x: float, y: float, wide: float, high: float) -> Iterator[str]:
    yield f'<rect class="panel" x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{high:.0f}" rx="6"/>'
    yield f'<text x="{x + 14:.0f}" y="{y + 22:.0f}">{escape(panel.title)}</text>'
    if not panel.number:
        yield f'<text class="q" x="{x + 14:.0f}" y="{y + 40:.0f}">{escape(panel.question)}</text>'


def _drawn(
    panel: PanelPlan, lines: list[Line], x: float, y: float, begun: float, ended: float
) -> Iterator[str]:
    if not lines:
        yield f'<text class="q" x="{x + 14:.0f}" y="{y + 110:.0f}">nothing of it in this run</text>'
        return
    left, right = x + 80, x + _WIDE - 14
    floor, roof = y + _HIGH - _PLOT_BOTTOM, y + _PLOT_TOP
    most = max(value for line in lines for _, value in line.values) or 1.0
    for share in (0.0, 0.5, 1.0):
        at = floor - share * (floor - roof)
        yield f'<path class="g" d="M{left:.0f} {at:.0f}H{right:.0f}"/>'
        label = told(share * most, panel.unit)
        yield f'<text class="q" x="{left - 8:.0f}" y="{at + 4:.0f}" text-anchor="end">{label}</text>'
    for number, line in enumerate(lines[:_LINES]):
        colour = _COLOURS[number % len(_COLOURS)]
        points = " ".join(
            f"{left + (at - begun) / (ended - begun) * (right - left):.1f},"
            f"{floor - max(0.0, value) / most * (floor - roof):.1f}"
            for at, value in line.values
        )
        yield f'<polyline class="l" stroke="{colour}" points="{points}"/>'
        place = x + 14 + (number % 3) * 190
        row = y + _HIGH - 24 + (number // 3) * 16
        name = escape(line.name[:_LETTERS])
        yield f'<text class="q" x="{place:.0f}" y="{row:.0f}"><tspan fill="{colour}">■</tspan> {name}</text>'


def work(user: Client, seconds: float) -> None:
    """What people do, again and again."""
    over = time.monotonic() + seconds
    number = 0
    while time.monotonic() < over:
        if number % 5 == 0:
            use(user)
        number += 1
        user.search(f"Where does the grey heron nest in year {number}?")
        user.ask(f"Where does the grey heron nest, seen {number} times?")


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--seconds", type=float, default=120.0, help="how long the run is worked with")
    chosen = arguments.parse_args()
    if PROMETHEUS is None:
        print("Prometheus is not installed, so there is nothing to draw.")
        return 1
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="footnote-") as place:
        folder = Path(place) / "prometheus"
        folder.mkdir()
        stack = EmbeddedStack(Path(place) / "data", metrics_port=ports_in_a_row(3)).start()
        with prometheus_over(stack, folder) as ask:
            begun = time.time()
            work(stack.client(), chosen.seconds)
            ended = time.time()
            for board in DASHBOARDS:
                drawn = picture(board, lambda panel: lines_of(ask, panel, begun, ended), begun, ended)
                (PICTURES / f"{board.name}.svg").write_text(drawn, encoding="utf-8")
                print(f"{board.name}: {len(board.panels)} panels")
        stack.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
