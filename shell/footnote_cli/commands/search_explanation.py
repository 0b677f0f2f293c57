"""The explanation of a search for people: the funnel, and what became of each candidate."""

from collections.abc import Mapping, Sequence
from typing import Any

from footnote_cli.html_page import html_page, svg, words
from footnote_cli.render import console, neutral, outside, print_wrapped, shorten, table

_NOTES_WIDTH = 100
_TITLE_WIDTH = 60
_WIDTH, _ROW, _LABEL = 720, 24, 110
_COLUMNS = (
    "returned",
    "title",
    "dense",
    "sparse",
    "fused",
    "reranked",
    "similarity",
    "left at",
    "because of",
)

WHY = {
    "same_text": "the same text came before it",
    "near_duplicate": "nearly the same text came before it (near_duplicates)",
    "per_document": "enough of its document came before it (per_document)",
    "min_similarity": "it is not near enough to the query (min_similarity)",
    "top_k": "enough passages came before it (top_k)",
    "context_tokens": "there was no room for it (context_tokens)",
    "neighbours": "it is shown together with a better one beside it (neighbours)",
    "parent": "it is shown in the section of a better one (parent)",
}
"""What a candidate left by, in words; the name of the setting is in brackets."""


def print_explanation(result: Mapping[str, Any]) -> None:
    """Who decided the settings, what each step took and gave, and each candidate's way through them."""
    rows = table("Settings that are flags", "flag", "value", "decided by")
    for name, flag in result.get("flags", {}).items():
        rows.add_row(*map(outside, (name, str(flag["value"]), flag["source"])))
    console.print(rows)
    rows = table("Steps", "step", "in", "out", "ms", "notes")
    for step in result["explanation"]:
        counts = (str(step["taken"]), str(step["given"]), f"{step['ms']:.2f}")
        rows.add_row(outside(step["stage"]), *counts, outside(shorten(_notes(step), _NOTES_WIDTH)))
    console.print(rows)
    if candidates := result.get("candidates"):
        rows = table("Candidates: their ranks, and where they left", *_COLUMNS)
        for row in _rows(candidates):
            rows.add_row(*map(outside, row))
        console.print(rows)


def print_expected(expected: Mapping[str, Any]) -> None:
    """What became of the document that should be found."""
    print_wrapped(f"[bold]{outside(_verdict(expected))}[/bold] {outside(expected['detail'])}")


def search_page(query: str, result: Mapping[str, Any]) -> str:
    """The same as a page."""
    parts = [
        f"<h1>{words(query)}</h1>",
        f"<p class=note>preset {words(result['preset'])}, fusion {words(result['settings']['fusion'])}, "
        f"{result['timings_ms']['total']:.1f} ms"
        + (f", degraded: {words(', '.join(result['degraded']))}" if result["degraded"] else "")
        + "</p>",
    ]
    if expected := result.get("expected"):
        parts.append(f"<p><b>{words(_verdict(expected))}</b> {words(expected['detail'])}</p>")
    parts += ["<h2>The funnel</h2>", _funnel(result["explanation"]), "<h2>Candidates</h2>"]
    head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    lines = []
    for candidate, row in zip(
        result.get("candidates") or (), _rows(result.get("candidates") or ()), strict=True
    ):
        gone = ' class="gone"' if candidate.get("left_at") else ""
        lines.append(f"<tr{gone}>{''.join(f'<td>{words(cell)}</td>' for cell in row)}</tr>")
    parts.append(f"<table><tr>{head}</tr>{''.join(lines)}</table>")
    return html_page(f"footnote search: {query}", parts)


def _notes(step: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in step["notes"].items())


def _verdict(expected: Mapping[str, Any]) -> str:
    outcome = str(expected["outcome"]).replace("_", " ")
    why = WHY.get(str(expected.get("why")))
    similarity = expected.get("similarity")
    known = "" if similarity is None else f", similarity {similarity:.2f}"
    return f"{outcome}{f': {why}' if why else ''}{known}."


def _rows(candidates: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    found, returned = [], 0
    for one in candidates:
        left = one.get("left_at")
        returned += not left
        ranks = one["ranks"]
        numbers = (str(ranks.get(name) or "") for name in ("dense", "sparse", "fused", "reranked"))
        similarity = "" if one.get("similarity") is None else f"{one['similarity']:.3f}"
        why = WHY.get(str(one.get("why")), "") if left else ""
        place = "" if left else str(returned)
        found.append(
            (place, shorten(neutral(one["title"]), _TITLE_WIDTH), *numbers, similarity, left or "", why)
        )
    return found


def _funnel(steps: Sequence[Mapping[str, Any]]) -> str:
    """A bar for each step, as wide as what it gave on."""
    most = max((max(step["taken"], step["given"]) for step in steps), default=0) or 1
    marks = []
    for place, step in enumerate(steps):
        top, span = place * _ROW, _WIDTH - _LABEL - 190
        into, out = (span * step[name] / most for name in ("taken", "given"))
        marks.append(
            f'<text x="{_LABEL - 8}" y="{top + 16}" text-anchor="end">{words(step["stage"])}</text>'
            f'<rect x="{_LABEL}" y="{top + 3}" width="{into:.1f}" height="{_ROW - 6}" fill="#cbd5e0"></rect>'
            f'<rect x="{_LABEL}" y="{top + 3}" width="{out:.1f}" height="{_ROW - 6}" fill="#2b6cb0">'
            f"<title>{words(_notes(step))}</title></rect>"
            f'<text x="{_LABEL + max(into, out) + 8:.1f}" y="{top + 16}">{step["taken"]} to {step["given"]}, '
            f"{step['ms']:.2f} ms</text>"
        )
    return svg(_WIDTH, len(steps) * _ROW, marks)
