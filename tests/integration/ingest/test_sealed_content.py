"""Documents of a deployment that encrypts: nothing of them shows, and they read as before (spec 7.3)."""

import asyncio
import signal
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import func, inspect, text
from sqlalchemy.engine import make_url
from sqlmodel import col, select

from footnote_ingest.maintenance.sealed_points import PointStep
from footnote_ingest.store.sealed_blob_step import BlobStep
from footnote_ingest.store.sealed_blobs import SealedBlobs
from footnote_ingest.store.tables import CHUNK_TEXTS, ChunkRow
from footnote_ingest.store.text_search import chunks_with
from footnote_shared.contracts.documents import ChunkRef
from footnote_shared.db.engine import Database
from footnote_shared.db.key_tables import SealingRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Misconfigured, OurFault
from footnote_shared.security.keyring import KeyDestroyed, Keyring, destroy
from footnote_shared.security.master_key import GivenMasterKey, make_key_text
from footnote_shared.security.sealing_work import SealingWork, Step
from footnote_shared.vectors.filters import EVERYTHING
from footnote_shared.vectors.protocol import HybridQuery
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import eventually
from footnote_testing.memory_blobs import MemoryBlobs
from tests.integration.ingest.workshop import LANE, Workshop

MASTER = make_key_text()
WORDS = ("zanzibar", "quicksilver", "marmalade")
DOCUMENT = (
    "# Zanzibar protocol\n\nThe quicksilver valve opens at nine.\n\n"
    "# Second part\n\nMarmalade stops the pump for two days.\n"
)


def switch_on(workshop: Workshop, master: str = MASTER, *, seals: bool = True) -> Keyring:
    """As if every process had started anew with encryption."""
    keyring = workshop.database.sealer = Keyring(GivenMasterKey(master), seals=seals)
    inner = workshop.blobs.inner if isinstance(workshop.blobs, SealedBlobs) else workshop.blobs
    workshop.blobs = SealedBlobs(inner, workshop.database, keyring)
    return keyring


def shown(workshop: Workshop) -> str:
    """All that somebody sees who holds the database and the blobs and no key."""
    found = []
    database = workshop.database
    if database.is_sqlite:
        file = Path(str(make_url(database.url).database))
        found += [part.read_bytes().decode("latin-1") for part in file.parent.glob(f"{file.name}*")]
    else:
        with database.engine.connect() as connection:
            for name in inspect(database.engine).get_table_names():
                rows = connection.execute(text(f'SELECT * FROM "{name}"')).all()
                found += [str([bytes(v) if isinstance(v, memoryview) else v for v in row]) for row in rows]
    inner = workshop.blobs.inner if isinstance(workshop.blobs, SealedBlobs) else workshop.blobs
    assert isinstance(inner, MemoryBlobs)
    found += [inner.get(entry.key).decode("latin-1") for entry in inner.list("")]
    return "\n".join(found).lower()


def ingest(workshop: Workshop, name: str = "a.md", content: str = DOCUMENT) -> str:
    document = workshop.accept(name, content, title="A plain title", external_id=name)
    workshop.run_all()
    return document.id


def texts(workshop: Workshop, document_id: str) -> list[tuple[str, list[str]]]:
    return [(row.text, row.heading_path) for row in workshop.live(document_id)]


def beside_vectors(workshop: Workshop) -> set[tuple[str | None, tuple[str, ...]]]:
    """The texts and headings in the payloads of all points."""
    dense = np.ones(workshop.embedder.fingerprint.dimension, dtype=np.float32)
    hits = asyncio.run(workshop.index.search(LANE, HybridQuery(dense, None, 100, EVERYTHING)))
    return {(hit.payload.text, hit.payload.heading_path) for hit in hits.dense}


def worker_of(workshop: Workshop, keyring: Keyring) -> SealingWork:
    assert isinstance(workshop.blobs, SealedBlobs)
    steps: list[Step] = [
        BlobStep(workshop.blobs),
        PointStep(workshop.database, keyring, lambda: workshop.lane, closes=False),
    ]
    return SealingWork(workshop.database, keyring, [CHUNK_TEXTS], steps, rows=2)


def finish(work: SealingWork) -> None:
    while work.once():
        pass


def sealed_rows(database: Database) -> tuple[int, int]:
    """How many rows of chunks there are, and how many of them are encrypted."""
    with database.read() as session:
        return session.exec(
            select(func.count(col(ChunkRow.chunk_id)), func.count(col(ChunkRow.sealed)))
        ).one()


def _portions(log: Path) -> int:
    return log.read_text().count("portion")


def test_what_is_taken_in_shows_nothing_and_reads_as_before(workshop: Workshop) -> None:
    switch_on(workshop)
    document_id = ingest(workshop)
    found = shown(workshop)
    assert "a plain title" in found
    assert not [word for word in WORDS if word in found]
    expected = texts(workshop, document_id)
    assert "quicksilver" in expected[0][0] + expected[1][0]
    assert ["Zanzibar protocol"] in [path for _, path in expected]
    refs = [
        ChunkRef(document_id=row.document_id, chunk_id=row.chunk_id, text_hash=row.embed_hash)
        for row in workshop.live(document_id)
    ]
    assert [(c.text, list(c.heading_path)) for c in workshop.lookup(refs)] == expected
    assert beside_vectors(workshop) == {(None, ())}


def test_with_a_wrong_key_and_after_its_destruction_nothing_is_readable(workshop: Workshop) -> None:
    switch_on(workshop)
    document_id = ingest(workshop)
    switch_on(workshop, make_key_text())
    with pytest.raises(Misconfigured, match="does not give"):
        workshop.live(document_id)
    with pytest.raises(Misconfigured, match="does not give"):
        workshop.blobs.get(next(iter(workshop.blobs.list("originals"))).key)
    switch_on(workshop)
    assert len(texts(workshop, document_id)) >= 2
    with workshop.database.write() as session:
        destroy(session.connection(), workshop.caller.workspace_id)
    switch_on(workshop)
    with pytest.raises(KeyDestroyed):
        workshop.live(document_id)
    with pytest.raises(KeyDestroyed):
        workshop.blobs.get(next(iter(workshop.blobs.list("originals"))).key)


def test_a_search_for_words_says_where_it_did_not_look(workshop: Workshop) -> None:
    switch_on(workshop)
    for n in range(3):
        ingest(workshop, f"{n}.md", f"# Part {n}\n\nThe quicksilver valve number {n}.\n")

    def search(words: str, looked_at: int) -> tuple[int, bool]:
        with workshop.database.read() as session:
            found = chunks_with(session, workshop.caller, words, "/", None, 10, looked_at)
        return len(found.chunks), found.partial

    assert search("QUICKSILVER", 3) == (3, False)
    assert search("quicksilver", 2) == (2, True)
    assert search("number 0", 2) == (0, True)
    assert search("number 0", 3) == (1, False)


def test_chunks_of_another_document_do_not_open(workshop: Workshop) -> None:
    switch_on(workshop)
    first, second = ingest(workshop, "a.md"), ingest(workshop, "b.md", "# Other\n\nSomething else.\n")
    with workshop.database.engine.begin() as connection:
        taken = f"(SELECT sealed FROM chunks WHERE document_id = '{first}' AND ordinal = 0)"
        connection.execute(text(f"UPDATE chunks SET sealed = {taken} WHERE document_id = '{second}'"))
    with pytest.raises(OurFault, match="moved"):
        workshop.live(second)
    assert workshop.live(first)


def test_what_was_there_before_is_encrypted_in_the_background(workshop: Workshop) -> None:
    ids = [ingest(workshop, f"{n}.md", DOCUMENT.replace("nine", str(n))) for n in range(3)]
    before = [texts(workshop, one) for one in ids]
    names = [[row.chunk_id for row in workshop.live(one)] for one in ids]
    keyring = switch_on(workshop)
    work = worker_of(workshop, keyring)
    work.once()
    rows, done = sealed_rows(workshop.database)
    assert 0 < done < rows
    assert [texts(workshop, one) for one in ids] == before
    workshop.accept("0.md", DOCUMENT.replace("nine", "ten"), title="A plain title", external_id="0.md")
    workshop.run_all()
    finish(work)
    assert [texts(workshop, one) for one in ids[1:]] == before[1:]
    assert not [word for word in WORDS if word in shown(workshop)]
    assert beside_vectors(workshop) == {(None, ())}
    # Where a text stayed its chunk did too, whatever form its hash had.
    assert set(names[0]) & {row.chunk_id for row in workshop.live(ids[0])}
    assert not work.once()


@pytest.mark.parametrize(("ahead", "done"), [(timedelta(days=1), True), (timedelta(minutes=1), False)])
def test_what_is_no_table_is_left_to_nobody_whose_clock_is_ahead(
    sqlite_workshop: Workshop, ahead: timedelta, done: bool
) -> None:
    ingest(sqlite_workshop)
    work = worker_of(sqlite_workshop, switch_on(sqlite_workshop))
    with sqlite_workshop.database.write() as session:
        session.add_all([SealingRow(name=name, lease_until=now() + ahead) for name in ("blobs", "points")])
    for _ in range(20):
        work.once()
    with sqlite_workshop.database.read() as session:
        found = session.exec(select(SealingRow).where(col(SealingRow.name).in_(("blobs", "points")))).all()
    assert [bool(row.done_for) for row in found] == [done, done]


def test_a_new_key_and_back_to_plain(workshop: Workshop) -> None:
    keyring = switch_on(workshop)
    ids = [ingest(workshop, f"{n}.md", DOCUMENT.replace("nine", str(n))) for n in range(2)]
    before = [texts(workshop, one) for one in ids]
    work = worker_of(workshop, keyring)
    finish(work)
    with workshop.database.write() as session:
        old = keyring.sealing_key(session.connection(), workshop.caller.workspace_id).id
        new = keyring.rotate(session.connection(), workshop.caller.workspace_id)
    assert old != new
    work.once()
    assert [texts(workshop, one) for one in ids] == before
    ids.append(ingest(workshop, "9.md", DOCUMENT))
    finish(work)
    assert [texts(workshop, one) for one in ids[:2]] == before
    with workshop.database.engine.begin() as connection:
        connection.execute(text(f"DELETE FROM workspace_keys WHERE id = '{old}'"))
    switch_on(workshop)
    assert [texts(workshop, one) for one in ids[:2]] == before
    assert workshop.blobs.get(next(iter(workshop.blobs.list("originals"))).key)
    keyring = switch_on(workshop, seals=False)
    finish(worker_of(workshop, keyring))
    assert sealed_rows(workshop.database)[1] == 0
    workshop.database.sealer = None
    assert [texts(workshop, one) for one in ids[:2]] == before


def test_the_work_goes_on_where_it_was_killed(workshop: Workshop, tmp_path: Path) -> None:
    ids = [ingest(workshop, f"{n}.md", DOCUMENT.replace("nine", str(n))) for n in range(8)]
    before = [texts(workshop, one) for one in ids]
    command = [sys.executable, "-m", "tests.integration.ingest.sealing_worker", workshop.database.url, MASTER]
    keyring = switch_on(workshop)
    for run in range(2):
        worker = ChildProcess(command, tmp_path / f"{run}.log")
        eventually(partial(_portions, worker.log), "it works", until=lambda count: count >= 2)
        worker.signal_group(signal.SIGKILL)
        worker.process.wait()
        assert [texts(workshop, one) for one in ids] == before
        assert sealed_rows(workshop.database)[1] > 0
    finish(SealingWork(workshop.database, keyring, [CHUNK_TEXTS]))
    rows, done = sealed_rows(workshop.database)
    assert rows == done
    assert [texts(workshop, one) for one in ids] == before
