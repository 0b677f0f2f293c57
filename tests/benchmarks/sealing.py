"""What does encryption at rest cost? Processor time of sealing and opening chunks (spec 7.3).

    .venv/bin/python -m tests.benchmarks.sealing [--chunks 2000]

Each chunk has 1,560 characters, as 256 tokens of English have, and goes through the product's own code. The
last line is what a search pays that reads 100 passages.
"""

import argparse
import secrets
import time

from footnote_ingest.store.tables import CHUNK_TEXTS
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.keyring import data_key

_TEXT = "The quick brown fox jumps over the lazy dog near the river bank. " * 24
_PASSAGES = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=2000)
    count: int = parser.parse_args().chunks
    key = data_key(new_id(), new_id(), secrets.token_bytes(32), secrets.token_bytes(32))
    heading = {"embed_prefix": "A handbook\nA part\n", "heading_path": ["A part"]}
    rows = [{"chunk_id": new_id(), "version": 1, "text": _TEXT, **heading} for _ in range(count)]
    began = time.process_time()
    sealed = [CHUNK_TEXTS.sealed_row(key, row) for row in rows]
    between = time.process_time()
    for row in sealed:
        CHUNK_TEXTS.content(key.open(CHUNK_TEXTS.place((row["chunk_id"], 1)), row["sealed"]))
    ended = time.process_time()
    print(f"seal a chunk: {(between - began) / count * 1e6:.1f} us")
    print(f"open a chunk: {(ended - between) / count * 1e6:.1f} us")
    of_search_ms = (ended - between) / count * _PASSAGES * 1e3
    print(f"open {_PASSAGES} chunks: {of_search_ms:.2f} ms (goal: 1 ms of a search)")


if __name__ == "__main__":
    main()
