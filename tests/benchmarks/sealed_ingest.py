"""What does encryption at rest cost of ingest? Processor time with it and without (spec 7.3).

    .venv/bin/python -m tests.benchmarks.sealed_ingest [--documents 40] [--rounds 4]

Starts the processes of ingest twice, on SQLite and with the real embedder, and hands the same documents in to
both, a round here and a round there. Each document has some ten chunks of its own. Processor time does not
depend on what else the machine does as much as the clock does; the last line is the share.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from footnote_shared.security.master_key import make_key_text
from footnote_testing.workspace import make_database
from tests.integration.ingest.deployment import ENDED, Deployment

_PARAGRAPHS = 12
_WAITED_FOR = 10
_SENTENCE = "The pump of line {n} was looked at on day {m}, and its pressure was {n} bar. "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=40, help="documents of one round")
    parser.add_argument("--rounds", type=int, default=4)
    asked = parser.parse_args()
    with running("") as plain, running(make_key_text()) as sealed:
        spent = {"plain": 0.0, "sealed": 0.0}
        for turn in range(asked.rounds):
            for name, deployment in (("plain", plain), ("sealed", sealed)):
                took = ingest(deployment, turn, asked.documents)
                spent[name] += took
                print(
                    f"round {turn + 1}, {name}: {1000 * took / asked.documents:.1f} ms a document", flush=True
                )
    share = 100 * (spent["sealed"] / spent["plain"] - 1)
    print(f"encryption: {share:+.1f} % of the processor time of ingest (goal: 15 % at most)")


@contextmanager
def running(key: str) -> Iterator[Deployment]:
    """The processes of ingest, with this key of encryption, or none."""
    with tempfile.TemporaryDirectory() as folder:
        database = make_database(f"sqlite:///{folder}/footnote.db")
        deployment = Deployment(
            Path(folder),
            database,
            encryption=bool(key),
            master_key=key,
            requests_per_workspace=1_000_000,
            requests_per_key=1_000_000,
        )
        try:
            deployment.start_all()
            first = deployment.upload("first.txt", b"The first document of all loads the model.")
            deployment.wait_until([first["id"]], ENDED)
            yield deployment
        finally:
            deployment.stop()
            database.close()


def ingest(deployment: Deployment, turn: int, count: int) -> float:
    """Seconds of processor time until the last document is indexed: handing in and all workers."""
    texts = [text_of(turn * count + n).encode() for n in range(count)]
    before, began = used_s(deployment), time.process_time()
    ids = [deployment.upload(f"{turn}-{n}.txt", text)["id"] for n, text in enumerate(texts)]
    handed_in = time.process_time() - began
    # Each wait has a limit of time, so a round is waited for in parts.
    parts = [ids[start : start + _WAITED_FOR] for start in range(0, count, _WAITED_FOR)]
    found = [document for part in parts for document in deployment.wait_until(part, ENDED)]
    assert all(document["status"] == "indexed" for document in found)
    return used_s(deployment) - before + handed_in


def text_of(number: int) -> str:
    """A document that says nothing that another one says."""
    return "\n\n".join(
        "".join(_SENTENCE.format(n=number * 1000 + part, m=line) for line in range(16))
        for part in range(_PARAGRAPHS)
    )


def used_s(deployment: Deployment) -> float:
    """Processor time of all workers and of the vector server so far."""
    processes = [one for worker in deployment.workers.values() for one in worker.family()]
    processes.append(psutil.Process(deployment.bridge.process.pid))
    return float(sum(sum(one.cpu_times()[:2]) for one in processes))


if __name__ == "__main__":
    main()
