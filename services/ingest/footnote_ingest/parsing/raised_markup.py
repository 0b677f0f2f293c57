"""Raised and lowered text in a tree of markup: it is written so that it joins no number beside it."""

from collections.abc import Callable, Container

from lxml import etree

from footnote_ingest.parsing.raised_text import written_runs

UpOf = Callable[[etree._Element], int]
"""For an element: 1 if it is raised, -1 if it is lowered, 0 if it is as what it stands in."""


def write_raised(
    root: etree._Element, up_of: UpOf, breaks: Container[str], said: Container[str] | None = None
) -> None:
    """Write the raised and lowered text of a tree into it (`raised_text.py`).

    No number goes across an element of `breaks`. `said` are the elements that hold text; without it all do.
    """
    if not any(isinstance(node.tag, str) and up_of(node) for node in root.iter()):
        return
    places: list[tuple[etree._Element, bool]] = []
    runs: list[tuple[str, int]] = []
    ups = [0]
    for event, node in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(node.tag, str):
            text = (node.tail or "") if event == "end" else ""
            up, is_tail = ups[-1], True
        elif event == "start":
            ups.append(up_of(node) or ups[-1])
            text, up, is_tail = node.text or "", ups[-1], False
        else:
            ups.pop()
            text, up, is_tail = node.tail or "", ups[-1], True
        if isinstance(node.tag, str) and node.tag in breaks:
            places.append((root, False))
            runs.append(("\n", 0))
        if text and (said is None or (node.tag in said and not is_tail)):
            places.append((node, is_tail))
            runs.append((text, up))
    for (node, is_tail), (text, _), written in zip(places, runs, written_runs(runs), strict=True):
        if written == text:
            continue
        if is_tail:
            node.tail = written
        else:
            node.text = written
