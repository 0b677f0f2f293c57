"""What this machine allows at most: arithmetic, the disk and round trips, and what share of it we reach."""

import json
import math
import os
import secrets
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import redis
from sqlalchemy import text

from footnote_cli.bench.measured import p50_ms
from footnote_cli.embedded.ports import accepts_connections, free_port
from footnote_cli.embedded.redis_server import configured_redis, find_redis_server
from footnote_shared.db.engine import Database
from footnote_shared.embedding.load import load_embedder
from footnote_shared.embedding.model_files import BUNDLED, find_model
from footnote_shared.kernel.errors import OurFault
from footnote_shared.settings.base import load_settings

_SIZES = (512, 1024)
_PEAK_S = 1.0
_TRIPS = 300
_FSYNCS = 50
_PAGE = 4096
_CHUNK_TOKENS = 200
_REDIS_STARTS_WITHIN_S = 30.0
_HOPS = 2
"""HTTP round trips of a search: to the server, and from there to the vector store."""

_READS = 2
"""What a search reads from SQL, one after the other: the key, and what is live."""


def measure_floor(server: httpx.Client, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Peaks, round trips, and the shares of them that the `figures` of ingest and search reach, if any.

    `server` is a run; its `/healthz` is what an HTTP request takes that does nothing.
    """
    peaks = _peaks_gflops()
    floor: dict[str, Any] = {
        "peak_gflops": peaks,
        "chunk_gflop": operations_of_chunk(_config_of_model(), _CHUNK_TOKENS) / 1e9,
        "query_p50_ms": _query_ms(),
        "http_p50_ms": _p50_of(lambda: server.get("/healthz").raise_for_status()),
    }
    with tempfile.TemporaryDirectory(prefix="footnote-floor-") as folder:
        floor["fsync_p50_ms"] = _fsync_ms(Path(folder))
        floor["sql_p50_ms"] = _sql_ms(Path(folder))
        floor["redis_p50_ms"] = _redis_ms(Path(folder))
    return {**floor, **shares(floor, figures)}


def operations_of_chunk(config: Mapping[str, int], tokens: int) -> float:
    """Floating-point operations of an encoder for a text of this many tokens (a product and a sum are two).

    Each token meets the four matrices of attention and the two of the feed-forward part of each layer, and
    each pair of tokens meets twice in attention (Kaplan and others 2020, appendix B).
    """
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    per_token = 2 * (4 * hidden**2 + 2 * hidden * inner)
    pairs = 4 * tokens**2 * hidden
    return float(config["num_hidden_layers"] * (per_token * tokens + pairs))


def shares(floor: Mapping[str, Any], figures: Mapping[str, Any]) -> dict[str, Any]:
    """The share of each peak that an ingest computes, and of a search's time the share that it must take.

    A search must embed its query, read SQL twice, and make two round trips.
    """
    found: dict[str, Any] = {}
    if "ingest" in figures:
        gflops = figures["ingest"]["chunks_per_s"] * floor["chunk_gflop"]
        found["ingest_share_of_peak"] = {name: gflops / peak for name, peak in floor["peak_gflops"].items()}
    must_ms = floor["query_p50_ms"] + _READS * floor["sql_p50_ms"] + _HOPS * floor["http_p50_ms"]
    found["search_floor_ms"] = must_ms
    if "search" in figures:
        found["search_share_of_floor"] = {
            size: must_ms / one["p50_ms"] for size, one in figures["search"].items()
        }
    return found


def _config_of_model() -> Mapping[str, int]:
    config: Mapping[str, int] = json.loads((find_model(BUNDLED).transformer / "config.json").read_text())
    return config


def _peaks_gflops() -> dict[str, float]:
    """The best of many products of square matrices, by data type, on all cores.

    Small ones as well: on a busy machine all cores are seldom ours for as long as a large one takes.
    """
    # torch takes seconds and half a gigabyte: only this measurement pays for it.
    import torch  # noqa: PLC0415

    found = {"float32": 0.0, "bfloat16": 0.0}
    for size in _SIZES:
        single = np.random.default_rng(1).standard_normal((size, size)).astype(np.float32)
        tensor = torch.from_numpy(single)
        for name, matrix in (("float32", single), ("float32", tensor), ("bfloat16", tensor.bfloat16())):
            found[name] = max(found[name], _gflops(matrix, size))
    return found


def _gflops(matrix: Any, size: int) -> float:
    best = math.inf
    ends = time.monotonic() + _PEAK_S
    while time.monotonic() < ends:
        best = min(best, _seconds(lambda: matrix @ matrix))
    return 2 * size**3 / best / 1e9


def _query_ms() -> float:
    embedder = load_embedder(load_settings())
    return _p50_of(lambda: embedder.embed_query("what is known about the old harbour"))


def _fsync_ms(folder: Path) -> float:
    with (folder / "synced").open("wb") as file:

        def append() -> None:
            file.write(b"x" * _PAGE)
            file.flush()
            os.fsync(file.fileno())

        return _p50_of(append, _FSYNCS)


def _sql_ms(folder: Path) -> float:
    with closing(Database(f"sqlite:///{folder / 'floor.db'}")) as database:

        def read() -> None:
            with database.read() as session:
                session.execute(text("SELECT 1"))

        return _p50_of(read)


def _redis_ms(folder: Path) -> float:
    port, password = free_port(), secrets.token_urlsafe(16)
    command = configured_redis(find_redis_server(), port, folder, password)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        ends = time.monotonic() + _REDIS_STARTS_WITHIN_S
        while not accepts_connections(port):
            if process.poll() is not None or time.monotonic() > ends:
                raise OurFault("The Redis of the measurement did not start.")
            time.sleep(0.01)
        with closing(redis.Redis(port=port, password=password)) as client:
            return _p50_of(client.ping)
    finally:
        process.terminate()
        process.wait()


def _p50_of(work: Callable[[], object], times: int = _TRIPS) -> float:
    work()
    return p50_ms([_seconds(work) for _ in range(times)])


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun
