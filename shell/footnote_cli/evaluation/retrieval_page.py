"""The figures of `footnote eval retrieval` as one HTML page with pictures, which needs no server. Pure.

Queries and titles come from outside: each goes through `words`.
"""

from collections.abc import Mapping, Sequence
from html import escape

from footnote_cli.evaluation.retrieval import RetrievalResult, VariantDifference
from footnote_cli.evaluation.retrieval_grade import GradedQuestion
from footnote_cli.html_page import html_page, svg, words

_WIDTH, _ROW, _LABEL = 720, 22, 190
_HEIGHT = 180
_BINS = 10
_WORST = 30
_CHANGED = 15
_COLOURS = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b83280", "#4a5568")


def retrieval_page(result: RetrievalResult) -> str:
    """The whole page."""
    first = next(iter(result.graded))
    graded = result.graded[first]
    parts = [
        f"<h1>{words(result.name)}</h1>",
        f"<p class=note>{len(graded)} questions. Questions are told apart by {_figure(result.main)}.</p>",
        "<h2>Figures</h2>",
        _figures_table(result.figures(), result.comparisons()),
        _bars(result.figures()),
        f"<h2>How {_figure(result.main)} is spread: {words(first)}</h2>",
        _histogram([one.figures[result.main] for one in graded]),
        f"<h2>Where it fails: {words(first)}</h2>",
        _worst(graded, result.main),
    ]
    for variant in list(result.graded)[1:]:
        changes = result.changes(variant)
        parts += [
            f"<h2>{words(variant)} beside {words(first)}</h2>",
            f"<p class=note>{sum(one[0] > 0 for one in changes)} questions gain, "
            f"{sum(one[0] < 0 for one in changes)} lose, {len(graded) - len(changes)} stay.</p>",
            _differences([one[0] for one in changes]),
            _changed("Greatest losses", [one for one in changes if one[0] < 0][:_CHANGED]),
            _changed("Greatest gains", [one for one in reversed(changes) if one[0] > 0][:_CHANGED]),
        ]
    return html_page(f"footnote eval retrieval: {result.name}", parts)


def _figure(name: str) -> str:
    return escape(name.replace("_at_", "@").replace("_", " "))


def _figures_table(
    figures: Mapping[str, Mapping[str, float]], comparisons: Sequence[VariantDifference]
) -> str:
    """A row for each variant. What differs from the first one by more than chance stands in bold."""
    found = {(one.variant, one.figure): one for one in comparisons}
    first = next(iter(figures))
    head = "".join(f"<th class=n>{_figure(name)}</th>" for name in figures[first])
    rows = []
    for variant, own in figures.items():
        cells = []
        for name in figures[first]:
            text, mark = f"{own[name]:.3f}" if name in own else "", ""
            if (one := found.get((variant, name))) is not None:
                text += f"<br><small>{one.difference:+.3f}, p {one.corrected:.3f}</small>"
                mark = " sure" if one.corrected < 0.05 else ""
            cells.append(f'<td class="n{mark}">{text}</td>')
        rows.append(f"<tr><td>{words(variant)}</td>{''.join(cells)}</tr>")
    note = (
        "<p class=note>Below each figure: the difference from the first row, and p by paired randomisation, "
        "corrected for all comparisons (Holm). Bold: p below 0.05.</p>"
    )
    return f"<table><tr><th>variant</th>{head}</tr>{''.join(rows)}</table>{note if comparisons else ''}"


def _bars(figures: Mapping[str, Mapping[str, float]]) -> str:
    """A bar for each figure of each variant, the variants of a figure together."""
    names = next(iter(figures.values()))
    lines, top = [], 0
    for name in names:
        for place, (variant, own) in enumerate(figures.items()):
            colour = _COLOURS[place % len(_COLOURS)]
            label = _figure(name) if not place else ""
            width = (_WIDTH - _LABEL - 60) * max(0.0, min(1.0, own.get(name, 0.0)))
            lines.append(
                f'<text x="{_LABEL - 8}" y="{top + 15}" text-anchor="end">{label}</text>'
                f'<rect x="{_LABEL}" y="{top + 3}" width="{width:.1f}" height="{_ROW - 6}" fill="{colour}">'
                f"<title>{words(variant)}: {own.get(name, 0.0):.3f}</title></rect>"
                f'<text x="{_LABEL + width + 6:.1f}" y="{top + 15}">{own.get(name, 0.0):.3f}</text>'
            )
            top += _ROW
        top += 8
    legend = " ".join(
        f'<span style="color:{_COLOURS[place % len(_COLOURS)]}">&#9632; {words(variant)}</span>'
        for place, variant in enumerate(figures)
    )
    return f"<p>{legend}</p>{svg(_WIDTH, top, lines)}"


def _histogram(values: Sequence[float]) -> str:
    """How many questions have a figure in each tenth from 0 to 1."""
    counts = [0] * _BINS
    for value in values:
        counts[min(_BINS - 1, int(max(0.0, value) * _BINS))] += 1
    highest = max(counts)
    step = _WIDTH / _BINS
    lines = []
    for place, count in enumerate(counts):
        height = (_HEIGHT - 50) * count / highest if highest else 0
        x, middle = place * step, (place + 0.5) * step
        lines.append(
            f'<rect x="{x + 4:.0f}" y="{_HEIGHT - 25 - height:.1f}" width="{step - 8:.0f}" '
            f'height="{height:.1f}" fill="{_COLOURS[0]}"></rect>'
            f'<text x="{middle:.0f}" y="{_HEIGHT - 30 - height:.1f}" text-anchor="middle">{count}</text>'
            f'<text x="{middle:.0f}" y="{_HEIGHT - 8}" text-anchor="middle">{place / _BINS:.1f}</text>'
        )
    return svg(_WIDTH, _HEIGHT, lines)


def _differences(values: Sequence[float]) -> str:
    """A line for each question that differs, from the greatest loss to the greatest gain."""
    middle, step = _HEIGHT / 2, _WIDTH / max(1, len(values))
    lines = [f'<line x1="0" x2="{_WIDTH}" y1="{middle}" y2="{middle}" stroke="#a0aec0"></line>']
    for place, value in enumerate(values):
        height = abs(value) * (middle - 5)
        y = middle - height if value > 0 else middle
        colour = _COLOURS[2] if value > 0 else "#9b2c2c"
        lines.append(
            f'<rect x="{place * step:.2f}" y="{y:.1f}" width="{max(step - 0.5, 0.5):.2f}" '
            f'height="{height:.1f}" fill="{colour}"></rect>'
        )
    return svg(_WIDTH, _HEIGHT, lines)


def _worst(graded: Sequence[GradedQuestion], figure: str) -> str:
    worst = sorted(graded, key=lambda one: one.figures[figure])[:_WORST]
    rows = "".join(
        f"<tr><td>{words(one.question.text)}</td><td class=n>{one.figures[figure]:.3f}</td>"
        f"<td>{_ranks(one)}</td><td>{'<br>'.join(map(words, one.shown)) or 'nothing'}</td></tr>"
        for one in worst
        if one.figures[figure] < 1
    )
    return (
        f"<table><tr><th>question</th><th class=n>{_figure(figure)}</th><th>asked for, and its rank</th>"
        f"<th>came first</th></tr>{rows}</table>"
    )


def _ranks(one: GradedQuestion) -> str:
    best = sorted(one.ranks.items(), key=lambda item: (item[1] is None, item[1]))[:_BINS]
    lines = [
        f"{words(name)}: {rank}" if rank else f"<span class=miss>{words(name)}: not found</span>"
        for name, rank in best
    ]
    more = len(one.ranks) - len(best)
    return "<br>".join([*lines, *([f"and {more} more"] if more else [])])


def _changed(title: str, changes: Sequence[tuple[float, GradedQuestion, GradedQuestion]]) -> str:
    if not changes:
        return ""
    rows = "".join(
        f"<tr><td>{words(after.question.text)}</td><td class=n>{difference:+.3f}</td>"
        f"<td>{_ranks(before)}</td><td>{_ranks(after)}</td></tr>"
        for difference, before, after in changes
    )
    return (
        f"<h3>{title}</h3><table><tr><th>question</th><th class=n>difference</th><th>ranks before</th>"
        f"<th>ranks after</th></tr>{rows}</table>"
    )
