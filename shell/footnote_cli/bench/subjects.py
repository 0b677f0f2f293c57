"""The subjects of a benchmark in the runs that they need: those that share a run are measured in one."""

import os
import tempfile
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from footnote_cli.bench.embedding import measure_embedding
from footnote_cli.bench.floor import measure_floor
from footnote_cli.bench.ingest import measure_ingest
from footnote_cli.bench.measured import measured_run, upload
from footnote_cli.bench.numbering import measure_numbering
from footnote_cli.bench.peers.compare import measure_peers
from footnote_cli.bench.search import measure_search
from footnote_cli.bench.texts import abstracts, articles
from footnote_cli.bench.turn import measure_turn
from footnote_cli.embedded.trial_run import trial_run

_DOCUMENTS_FOR_TURNS = 50
_TEXTS_TO_EMBED = 200
_STARTS = 3
_ARTICLES = 60


class Subject(StrEnum):
    """What to measure."""

    START = "start"
    EMBEDDING = "embedding"
    INGEST = "ingest"
    ARTICLES = "articles"
    SEARCH = "search"
    TURN = "turn"
    REGISTER = "register"
    FLOOR = "floor"
    PEERS = "peers"


def measure(
    subjects: Collection[Subject], sizes: Sequence[int], documents: int, say: Callable[[str], None]
) -> dict[str, Any]:
    """The figures by subject, with the date and the cores of this machine."""
    figures: dict[str, Any] = {"date": datetime.now(UTC).date().isoformat(), "cores": os.cpu_count()}
    if Subject.EMBEDDING in subjects:
        figures["embedding"] = measure_embedding(abstracts(_TEXTS_TO_EMBED), say)
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as folder:
        if Subject.START in subjects:
            figures["start"] = _measure_start(Path(folder) / "start", say)
        if {Subject.INGEST, Subject.TURN, Subject.REGISTER} & set(subjects):
            with measured_run(Path(folder) / "main") as run:
                if Subject.INGEST in subjects:
                    figures["ingest"] = measure_ingest(run, abstracts(documents), say)
                else:
                    upload(run.server, abstracts(_DOCUMENTS_FOR_TURNS))
                if Subject.TURN in subjects:
                    figures["turn"] = measure_turn(run.server)
                if Subject.REGISTER in subjects:
                    figures["register"] = measure_numbering(run.server)
        if Subject.ARTICLES in subjects:
            with measured_run(Path(folder) / "articles") as run:
                figures["articles"] = measure_ingest(run, articles(_ARTICLES), say)
        if Subject.PEERS in subjects:
            figures["peers"] = measure_peers(Path(folder), documents, say)
        if Subject.SEARCH in subjects:
            with trial_run(Path(folder) / "search") as server:
                figures["search"] = measure_search(server, sizes, say)
        if Subject.FLOOR in subjects:
            with trial_run(Path(folder) / "floor") as server:
                figures["floor"] = measure_floor(server, figures)
    return figures


def _measure_start(data: Path, say: Callable[[str], None]) -> dict[str, float]:
    """Seconds from `footnote up` to ready: with an empty folder, then with data."""
    seconds: list[float] = []
    for _ in range(_STARTS):
        with trial_run(data, on_ready=seconds.append):
            say(f"start: {seconds[-1]:.1f} s")
    return {"first_s": seconds[0], "warm_s": min(seconds[1:])}
