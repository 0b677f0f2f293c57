"""An embedded run to measure: started in an empty folder as a user starts it, filled, and gone afterwards."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from footnote_cli.embedded.ports import NO_CERTIFICATES, free_port, is_ready
from footnote_shared.contracts.documents import ENDED
from footnote_shared.kernel.errors import OurFault
from footnote_shared.settings.base import child_environment

# A run that cannot start ends by itself and says why. This ends one that hangs; on a busy machine the
# first start, which exports the embedding model, takes minutes.
_START_S = 600.0
# The supervisor gives each role 20 s, and there are six.
_STOP_S = 90.0
_LOG_LINES = 30
_UPLOADERS = 4
_LOOKUP = 200
_LOOK_EVERY_S = 0.25
"""One look after the other would take a quarter of two cores from what is measured."""

_PATIENCE = {"FOOTNOTE_VECTOR_TIMEOUT_S": "60", "FOOTNOTE_SEARCH_TIMEOUT_S": "60"}
"""A trial measures what is answered, and how fast. One late answer on a busy machine must not end it."""


@contextmanager
def trial_run(
    data: Path,
    environment: Mapping[str, str] | None = None,
    on_ready: Callable[[float], None] | None = None,
    on_start: Callable[[int], None] | None = None,
) -> Iterator[httpx.Client]:
    """`footnote up` with its data in `data`; yields a client with its admin key.

    `on_ready` gets the seconds from the start to ready, `on_start` the id of the process that all others are
    below. Raises OurFault, with the end of its log, when the run does not start.
    """
    port = free_port()
    options = ["--no-browser", "--port", str(port), "--data", str(data)]
    data.parent.mkdir(parents=True, exist_ok=True)
    log_file = data.parent / f"{data.name}.log"
    started = time.perf_counter()
    with log_file.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "footnote_cli", "up", *options],
            stdout=log,
            stderr=log,
            env=child_environment({**_PATIENCE, **(environment or {})}),
        )
    if on_start is not None:
        on_start(process.pid)
    try:
        while not is_ready(f"http://127.0.0.1:{port}"):
            if process.poll() is not None or time.perf_counter() - started > _START_S:
                end = "\n".join(log_file.read_text(errors="replace").splitlines()[-_LOG_LINES:])
                raise OurFault(f"The run did not start. The end of its log:\n{end}")
            time.sleep(0.02)
        if on_ready is not None:
            on_ready(time.perf_counter() - started)
        key = (data / "api_key").read_text().strip()
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}",
            headers={"Authorization": f"Bearer {key}"},
            timeout=120,
            trust_env=False,
            verify=NO_CERTIFICATES,
        ) as client:
            yield client
    finally:
        process.terminate()
        process.wait(_STOP_S)


def fill(server: httpx.Client, bodies: Sequence[Mapping[str, Any]]) -> list[float]:
    """Upload documents (bodies of `POST /v1/documents`) and wait until all are indexed.

    Returns the seconds of each upload. Raises OurFault when a document failed.
    """

    def upload(body: Mapping[str, Any]) -> tuple[str, float]:
        begun = time.perf_counter()
        answer = server.post("/v1/documents", json=dict(body))
        answer.raise_for_status()
        return answer.json()["id"], time.perf_counter() - begun

    with ThreadPoolExecutor(_UPLOADERS) as pool:
        uploads = list(pool.map(upload, bodies))
    _wait_until_indexed(server, [document for document, _ in uploads])
    return [seconds for _, seconds in uploads]


def _wait_until_indexed(server: httpx.Client, documents: Sequence[str]) -> None:
    waiting = list(documents)
    while waiting:
        answer = server.post("/v1/documents:lookup", json={"ids": waiting[:_LOOKUP]}).json()["items"]
        failed = [document for document in answer if document["status"] == "failed"]
        if failed:
            raise OurFault(f"A document failed: {failed[0]['error']}")
        ended = {document["id"] for document in answer if document["status"] in ENDED}
        waiting = [document for document in waiting if document not in ended]
        if waiting:
            time.sleep(_LOOK_EVERY_S)
