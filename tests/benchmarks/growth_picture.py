"""How a cost grows with a size: its exponent, and a picture of both on logarithmic scales."""

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np

_WIDTH, _HEIGHT = 560, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 46, 50
_STYLE = (
    ".axis{stroke:#777;stroke-width:1}.grid{stroke:#ddd;stroke-width:1}.fit{stroke:#4f5bd5;stroke-width:1.5;"
    "stroke-dasharray:5 4;fill:none}.dot{fill:#4f5bd5}text{fill:#222}.small{font-size:12px;fill:#555}"
    "@media (prefers-color-scheme:dark){.grid{stroke:#333}.fit{stroke:#9aa4ff}.dot{fill:#9aa4ff}"
    "text{fill:#eee}.small{fill:#bbb}}"
)


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The slope of the line that fits the logarithms best: 0 does not grow, 1 grows with the size."""
    slope, _ = np.polyfit(np.log(sizes), np.log(costs), 1)
    return float(slope)


def picture(title: str, x: str, y: str, sizes: Sequence[float], costs: Sequence[float]) -> str:
    """An SVG. `x` and `y` name what was varied and what was measured, with its unit."""
    slope, lift = (float(one) for one in np.polyfit(np.log(sizes), np.log(costs), 1))
    across = _Scale(sizes, _LEFT, _WIDTH - _RIGHT)
    up = _Scale(costs, _HEIGHT - _BOTTOM, _TOP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="system-ui, sans-serif" font-size="14" role="img" aria-labelledby="t">',
        f'<title id="t">{escape(title)}: exponent {slope:.2f}</title><style>{_STYLE}</style>',
        f'<text x="{_LEFT}" y="22">{escape(title)}</text>'
        f'<text class="small" x="{_LEFT}" y="39">exponent {slope:.2f}</text>',
    ]
    for value in across.ticks:
        place = across.place(value)
        lines.append(f'<path class="grid" d="M{place:.1f} {_TOP}V{_HEIGHT - _BOTTOM}"/>')
        told = f'<text class="small" x="{place:.1f}" y="{_HEIGHT - _BOTTOM + 17}" text-anchor="middle">'
        lines.append(f"{told}{value:g}</text>")
    for value in up.ticks:
        place = up.place(value)
        lines.append(f'<path class="grid" d="M{_LEFT} {place:.1f}H{_WIDTH - _RIGHT}"/>')
        told = f'<text class="small" x="{_LEFT - 8}" y="{place + 4:.1f}" text-anchor="end">'
        lines.append(f"{told}{value:g}</text>")
    ends = [
        (across.place(s), up.place(math.exp(lift + slope * math.log(s)))) for s in (min(sizes), max(sizes))
    ]
    (x1, y1), (x2, y2) = ends
    lines.append(f'<path class="fit" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>')
    for size, cost in zip(sizes, costs, strict=True):
        lines.append(f'<circle class="dot" cx="{across.place(size):.1f}" cy="{up.place(cost):.1f}" r="4"/>')
    lines.append(
        f'<text class="small" x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 12}" text-anchor="end">{escape(x)}</text>'
    )
    lines.append(f'<text class="small" x="{_WIDTH - _RIGHT}" y="39" text-anchor="end">{escape(y)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def write_picture(path: Path, title: str, x: str, y: str, points: Sequence[tuple[float, float]]) -> float:
    """Write the picture; returns the exponent."""
    sizes, costs = zip(*points, strict=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(picture(title, x, y, sizes, costs), encoding="utf-8")
    return exponent(sizes, costs)


class _Scale:
    """A logarithmic scale from the first to the last place, with a little room on both sides."""

    def __init__(self, values: Sequence[float], first: float, last: float) -> None:
        low, high = math.log10(min(values)), math.log10(max(values))
        room = max(0.15, (high - low) * 0.1)
        self._low, self._high = low - room, high + room
        self._first, self._last = first, last

    def place(self, value: float) -> float:
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return self._first + share * (self._last - self._first)

    @property
    def ticks(self) -> list[float]:
        """1, 2 and 5 times each power of ten that has its place."""
        powers = range(math.floor(self._low), math.ceil(self._high) + 1)
        steps = (1, 2, 5) if self._high - self._low < 2 else (1,)
        found = [float(f"{step}e{power}") for power in powers for step in steps]
        return [value for value in found if self._low <= math.log10(value) <= self._high]
