"""The figures of several systems as one picture: a panel of bars for each figure, in SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH = 760
_PANEL_WIDTH, _NAMES_WIDTH = 370, 88
_VALUES_WIDTH = 62
_ROW, _BAR = 20, 13
_HEAD, _GAP = 48, 18
_STYLE = (
    ".bar{fill:#b8bdd6}.ours{fill:#4f5bd5}text{fill:#222}.small{font-size:12px;fill:#555}"
    "@media (prefers-color-scheme:dark)"
    "{.bar{fill:#50547a}.ours{fill:#9aa4ff}text{fill:#eee}.small{fill:#bbb}}"
)


@dataclass(frozen=True, slots=True)
class Panel:
    """One figure of all systems: its name in the measured figures, its title, and how a value is told."""

    figure: str
    title: str
    told: str


PANELS = (
    Panel("chunks_per_s", "Chunks a second, to searchable (more is better)", "{:.1f}"),
    Panel("query_p50_ms", "A query, p50 in ms (less is better)", "{:.1f}"),
    Panel("ndcg_at_10", "nDCG@10 (more is better)", "{:.3f}"),
    Panel("memory_mb", "Memory in MB (less is better)", "{:,.0f}"),
)


def peers_picture(figures: Mapping[str, Mapping[str, float]], ours: str, title: str) -> str:
    """An SVG with the figures by system, as `measure_peers` gives them. The bars of `ours` stand out.

    A bar is as long as its share of the longest one of its panel, and begins at zero.
    """
    height = _HEAD + len(figures) * _ROW
    whole = 30 + 2 * height + _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {whole}" '
        'font-family="system-ui, sans-serif" font-size="14" role="img" aria-labelledby="t">',
        f'<title id="t">{escape(title)}</title><style>{_STYLE}</style>',
        f'<text x="0" y="18">{escape(title)}</text>',
    ]
    for number, panel in enumerate(PANELS):
        left = (number % 2) * (_PANEL_WIDTH + _WIDTH - 2 * _PANEL_WIDTH)
        top = 30 + (number // 2) * (height + _GAP)
        parts += _bars(panel, figures, ours, left, top)
    return "\n".join([*parts, "</svg>", ""])


def _bars(
    panel: Panel, figures: Mapping[str, Mapping[str, float]], ours: str, left: int, top: int
) -> Sequence[str]:
    longest = max((values[panel.figure] for values in figures.values()), default=0.0)
    room = _PANEL_WIDTH - _NAMES_WIDTH - _VALUES_WIDTH
    lines = [f'<text x="{left}" y="{top + 26}">{escape(panel.title)}</text>']
    for row, (name, values) in enumerate(figures.items()):
        value = values[panel.figure]
        long = room * value / longest if longest > 0 else 0.0
        start, line = left + _NAMES_WIDTH, top + _HEAD + row * _ROW
        kind = "bar ours" if name == ours else "bar"
        lines += [
            f'<text class="small" x="{start - 6}" y="{line}" text-anchor="end">{escape(name)}</text>',
            f'<rect class="{kind}" x="{start}" y="{line - _BAR + 2}" width="{long:.1f}" height="{_BAR}"/>',
            f'<text class="small" x="{start + long + 5:.1f}" y="{line}">{panel.told.format(value)}</text>',
        ]
    return lines
