"""What `footnote bench` compares its own embedding with."""

import time
from collections.abc import Sequence

from footnote_shared.embedding.model_files import BUNDLED, find_model

_BATCH = 32


def sentence_transformers_rate(texts: Sequence[str]) -> float:
    """Texts per second of sentence-transformers with the bundled model as frameworks call it: 32 at a time, in arrival order."""
    # torch takes seconds and half a gigabyte: only this measurement pays for it.
    from footnote_shared.embedding.sentence_model import load_sentence_model  # noqa: PLC0415

    files = find_model(BUNDLED)
    model = load_sentence_model(files.folder, files.max_tokens)
    model.encode(list(texts[:2]), show_progress_bar=False)
    begun = time.perf_counter()
    for start in range(0, len(texts), _BATCH):
        model.encode(list(texts[start : start + _BATCH]), batch_size=_BATCH, show_progress_bar=False)
    return len(texts) / (time.perf_counter() - begun)
