"""What does a search cost over HTTP, with everything that stands behind it in `footnote up`?

.venv/bin/python -m tests.benchmarks.whole_search [--sizes 12000 50000] [--searches 300] [--clients 8]
[--preset fast] [--cache FOLDER]

Starts Redis, the vector bridge and the web process of an embedded run, and writes documents straight to the
vectors and to SQL: passages of random words, random vectors. So 50,000 chunks take a minute, and no worker
runs. Then `--clients` ask questions that are all different, each embedded by the real model. Prints the
times, searches a second, and the processor time that one search takes of each process and of the event loop
of the web process: these figures change little when the machine has other work.
"""

import argparse
import asyncio
import json
import socket
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
from rich.console import Console
from rich.table import Table
from sqlalchemy import insert

from footnote_ingest.store.tables import ChunkRow, DocumentRow, GenerationRow, VersionRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.embedding import sparse
from footnote_shared.embedding.load import load_embedder
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id, point_id
from footnote_shared.kernel.text import text_hash
from footnote_shared.settings.base import Settings
from footnote_shared.vectors.protocol import PointPayload, VectorPoint
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_shared.vectors.visibility import groups_of
from footnote_testing.bridge_process import start_bridge
from footnote_testing.child_process import ChildProcess
from footnote_testing.ports import free_port
from footnote_testing.redis_process import start_redis
from footnote_testing.workspace import make_caller, make_database
from tests.benchmarks.search_latency import PASSAGE_WORDS, PASSAGES_PER_BOOK, RandomEmbedder, Words, cpu_ms

WARMING = 40
BOOKS_AT_ONCE = 20
Rows = dict[str, Any]
Figures = dict[str, list[float]]


class Corpus:
    """Documents as they are after their ingest, in SQL and among the vectors."""

    def __init__(self, database: Database, owner: Principal, embedder: RandomEmbedder) -> None:
        self._database = database
        self._owner = owner
        self._embedder = embedder
        self._words = Words(embedder.real)

    async def fill(self, index: QdrantVectorIndex, lane: str, chunks: int) -> None:
        await index.open_lane(lane, self._embedder.fingerprint)
        # The texts of one book stand in every book, each time with words of its own: terms take long to make.
        texts = [f"{self._words.text(PASSAGE_WORDS)}." for _ in range(PASSAGES_PER_BOOK)]
        terms = [sparse.embed_document(text) for text in texts]
        books = chunks // PASSAGES_PER_BOOK
        for start in range(0, books, BOOKS_AT_ONCE):
            rows: list[Rows] = []
            points = []
            for number in range(start, min(start + BOOKS_AT_ONCE, books)):
                document_id = new_id()
                rows += [self._document(document_id, number), self._version(document_id, number)]
                vectors = self._embedder.embed_documents(texts)
                for place, text in enumerate(texts):
                    row = self._chunk(document_id, place, f"{number} {place} {text} {self._words.text(6)}.")
                    rows.append(row)
                    points.append(
                        VectorPoint(
                            point_id(document_id, row["chunk_id"], row["embed_hash"]),
                            vectors[place],
                            terms[place],
                            self._payload(row),
                        )
                    )
            self._write(rows)
            await index.upsert(lane, points)
        with self._database.write() as session:
            session.add(GenerationRow(workspace_id=self._owner.workspace_id, value=1))

    def _write(self, rows: list[Rows]) -> None:
        with self._database.write() as session:
            for table, field in (
                (DocumentRow, "identity"),
                (VersionRow, "declared_mime"),
                (ChunkRow, "text"),
            ):
                session.execute(insert(table), [row for row in rows if field in row])

    def _document(self, document_id: str, number: int) -> Rows:
        return DocumentRow(
            id=document_id,
            workspace_id=self._owner.workspace_id,
            avatar_id=self._owner.avatar_id,
            identity=document_id,
            title=f"book {number}",
            title_given=True,
            filename=f"{number}.txt",
            mime="text/plain",
            size=1,
            sha256="0" * 64,
            source_type="upload",
            version=1,
            live_version=1,
            chunk_count=PASSAGES_PER_BOOK,
            status="indexed",
        ).model_dump()

    def _version(self, document_id: str, number: int) -> Rows:
        return VersionRow(
            document_id=document_id,
            version=1,
            workspace_id=self._owner.workspace_id,
            title=f"book {number}",
            filename=f"{number}.txt",
            mime="text/plain",
            declared_mime="text/plain",
            size=1,
            sha256="0" * 64,
            live_at=now(),
        ).model_dump()

    def _chunk(self, document_id: str, place: int, text: str) -> Rows:
        return ChunkRow(
            chunk_id=new_id(),
            version=1,
            document_id=document_id,
            workspace_id=self._owner.workspace_id,
            ordinal=place,
            text=text,
            embed_prefix="",
            text_hash=text_hash(text),
            embed_hash=text_hash(text),
            kind="paragraph",
            language="en",
            heading_path=["chapter"],
            char_start=place * len(text),
            char_end=(place + 1) * len(text),
            policy="prose/1",
            tokens=200,
        ).model_dump()

    def _payload(self, row: Rows) -> PointPayload:
        return PointPayload(
            workspace_id=self._owner.workspace_id,
            avatar_id=self._owner.avatar_id,
            document_id=row["document_id"],
            chunk_id=row["chunk_id"],
            text_hash=row["embed_hash"],
            source_type="upload",
            kind="paragraph",
            document_type="text/plain",
            ordinal=row["ordinal"],
            created_at=now(),
            groups=groups_of("workspace", self._owner.avatar_id),
            version=1,
        )


class Load:
    """Clients that ask one question after the other."""

    def __init__(self, port: int, key: str, words: Words, extra: dict[str, Any]) -> None:
        self._port = port
        self._key = key
        self._words = words
        self._extra = extra
        self.figures: Figures = defaultdict(list)
        self.failed = 0

    def run(self, searches: int, clients: int) -> float:
        """Seconds that all of them took."""
        begun = time.perf_counter()
        asking = [threading.Thread(target=self._ask, args=(searches // clients,)) for _ in range(clients)]
        for client in asking:
            client.start()
        for client in asking:
            client.join()
        return time.perf_counter() - begun

    def _ask(self, searches: int) -> None:
        bodies = [
            json.dumps({"query": f"what is known about {self._words.text(6)} {new_id()[-4:]}", **self._extra})
            for _ in range(searches)
        ]
        answers = []
        with closing(LeanClient(self._port, self._key)) as client:
            for body in bodies:
                begun = time.perf_counter()
                status, answer = client.post("/v1/search", body.encode())
                answers.append((time.perf_counter() - begun, status, answer))
        for took, status, answer in answers:
            if status != httpx.codes.OK:
                self.failed += 1
                continue
            self.figures["over HTTP"].append(took * 1000)
            for step, ms in json.loads(answer)["timings_ms"].items():
                self.figures[step].append(ms)


class LeanClient:
    """Posts over one connection, and leaves the processor to what is measured."""

    def __init__(self, port: int, key: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._read = self._socket.makefile("rb")
        self._same = f"Host: 127.0.0.1\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n"

    def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Status and body. Raises OSError or ValueError if the answer ends early."""
        head = f"POST {path} HTTP/1.1\r\n{self._same}Content-Length: {len(body)}\r\n\r\n"
        self._socket.sendall(head.encode() + body)
        status = int(self._read.readline().split()[1])
        length = 0
        while line := self._read.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return status, self._read.read(length)

    def close(self) -> None:
        self._read.close()
        self._socket.close()


def run(folder: Path, chunks: int, options: argparse.Namespace) -> None:
    with ExitStack() as stack:
        bridge = start_bridge(folder / "vectors")
        stack.callback(bridge.stop)
        redis = start_redis(folder / "redis")
        stack.callback(redis.stop)
        database = make_database(f"sqlite:///{folder / 'bench.db'}")
        stack.callback(database.close)
        owner, key = make_caller(database)
        settings = Settings.model_validate({"cache": options.cache, "data": folder})
        embedder = load_embedder(settings)
        corpus = Corpus(database, owner, RandomEmbedder(embedder))

        async def fill() -> None:
            index = QdrantVectorIndex(bridge.url, api_key=bridge.key, timeout_s=60)
            await corpus.fill(index, settings.lane, chunks)
            await index.close()

        asyncio.run(fill())
        port = free_port()
        web = ChildProcess(
            ["footnote", "serve", "all", "--port", str(port)],
            folder / "web.log",
            environment={
                "FOOTNOTE_DATA": str(folder),
                "FOOTNOTE_CACHE": str(options.cache),
                "FOOTNOTE_DATABASE_URL": database.url,
                "FOOTNOTE_QDRANT_URL": bridge.url,
                "FOOTNOTE_QDRANT_API_KEY": bridge.key,
                "FOOTNOTE_REDIS_URL": redis.url,
                "FOOTNOTE_ANSWERS_ALONE": "true",
                "FOOTNOTE_REQUESTS_PER_KEY": "1000000",
                "FOOTNOTE_REQUESTS_PER_WORKSPACE": "1000000",
            },
        )
        stack.callback(web.stop)
        url = f"http://127.0.0.1:{port}"
        web.wait_until(lambda: _ready(url), "web", 300)
        processes = {
            "web": psutil.Process(web.process.pid),
            "vector bridge": psutil.Process(bridge.process.pid),
            "redis": psutil.Process(redis.process.pid),
        }
        extra = {"preset": options.preset} if options.preset else {}
        Load(port, key, Words(embedder), extra).run(WARMING, 1)
        print(f"web is process {web.process.pid}", flush=True)
        load = Load(port, key, Words(embedder), extra)
        before = {name: cpu_ms(process) for name, process in processes.items()}
        loop_before = loop_ms(processes["web"])
        took = load.run(options.searches, options.clients)
        for name, process in processes.items():
            load.figures[f"processor time: {name}"] = [(cpu_ms(process) - before[name]) / options.searches]
        on_loop = loop_ms(processes["web"]) - loop_before
        load.figures["processor time: event loop of web"] = [on_loop / options.searches]
        _print(chunks, options, load, took)


def loop_ms(process: psutil.Process) -> float:
    """Processor time of the first thread of a process, in which its event loop runs."""
    (first,) = (thread for thread in process.threads() if thread.id == process.pid)
    seconds: float = first.user_time + first.system_time
    return 1000.0 * seconds


def _print(chunks: int, options: argparse.Namespace, load: Load, took: float) -> None:
    title = f"{chunks} chunks, {options.searches} searches by {options.clients}, ms"
    table = Table("part", "p50", "p95", "p99", title=title)
    for part, values in load.figures.items():
        table.add_row(part, *(f"{np.percentile(values, share):.2f}" for share in (50, 95, 99)))
    Console().print(table)
    Console().print(f"{options.searches / took:.0f} searches a second, {load.failed} failed")


def _ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", trust_env=False).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--sizes", type=int, nargs="+", default=[12_000], help="chunks in the workspace")
    arguments.add_argument("--searches", type=int, default=300)
    arguments.add_argument("--clients", type=int, default=1)
    arguments.add_argument("--preset", default="")
    arguments.add_argument("--cache", type=Path, help="folder in which the export of the model is kept")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as root:
        options.cache = options.cache or Path(root) / "cache"
        for chunks in options.sizes:
            folder = Path(root) / str(chunks)
            folder.mkdir()
            run(folder, chunks, options)


if __name__ == "__main__":
    main()
