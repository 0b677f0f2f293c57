"""Reads files with `unstructured`: a path on each line of standard input, its elements as a line of JSON.

It is a process of its own, so that a file on which `unstructured` fails ends this process and nothing else.
"""

import json
import sys
from importlib import import_module
from typing import Any


def main() -> None:
    """Answer each line until the input ends."""
    # Ingest's module stands in for the language model that `unstructured` would download and install.
    import_module("footnote_ingest.parsing.partitioners")
    partition = import_module("unstructured.partition.auto").partition
    for line in sys.stdin:
        elements = partition(line.rstrip("\n"), strategy="fast")
        by_id = {element.id: element for element in elements}
        print(json.dumps([_told(element, by_id) for element in elements]), flush=True)


def _told(element: Any, by_id: dict[str, Any]) -> dict[str, Any]:
    """An element in plain data. `headings` are the titles among its parents, outermost first."""
    headings: list[str] = []
    above = by_id.get(element.metadata.parent_id)
    while above is not None and len(headings) < len(by_id):
        if above.category in ("Title", "Header"):
            headings.insert(0, above.text)
        above = by_id.get(above.metadata.parent_id)
    return {
        "category": element.category,
        "text": element.text,
        "page": element.metadata.page_number,
        "html": element.metadata.text_as_html,
        "headings": headings,
    }


if __name__ == "__main__":
    main()
