"""Pages of HTML that are nested deeper than anybody writes them are made flat."""

from collections.abc import Callable, Iterator

from lxml import etree

_MAX_DEPTH = 120


def flatten(root: etree._Element, is_dropped: Callable[[etree._Element], bool]) -> None:
    """Flatten what is nested too deep: each text that is shown there becomes a paragraph.

    The partitioner works by recursion, and the steps before it ask elements for what is in them, which costs
    the size of the page for each level. `is_dropped` tells the elements that no reader sees.
    """
    deep: list[etree._Element] = []
    level = -1
    for event, node in etree.iterwalk(root, events=("start", "end")):
        level += 1 if event == "start" else -1
        if event == "start" and level == _MAX_DEPTH:
            deep.append(node)
    for node in deep:
        texts = [] if is_dropped(node) else [piece for piece in _shown_in(node, is_dropped) if piece.strip()]
        for child in list(node):
            node.remove(child)
        node.text = None
        if is_dropped(node):
            continue
        node.tag = "div"
        for piece in texts:
            etree.SubElement(node, "p").text = piece


def _shown_in(node: etree._Element, is_dropped: Callable[[etree._Element], bool]) -> Iterator[str]:
    walk = etree.iterwalk(node, events=("start", "end"))
    for event, inner in walk:
        if event == "end":
            yield (inner.tail or "") if inner is not node else ""
        elif inner is not node and is_dropped(inner):
            walk.skip_subtree()
        else:
            yield inner.text or ""
