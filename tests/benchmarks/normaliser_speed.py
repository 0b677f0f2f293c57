"""Speed and growth of the normaliser, in processor time.

python -m tests.benchmarks.normaliser_speed

Prints what a delta costs, and that as a multiple of what sending the same delta costs: the event that the
relay makes of it and the frame that a reader gets, without the clock, Redis and the socket. `/ orjson` is to
the bare least of it, `/ json` to the same with the standard library. How the cost of hostile texts grows is
in `normaliser_growth.py`.
"""

import json
import time
from collections.abc import Callable, Sequence

import orjson

from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.stream import Normaliser
from footnote_shared.web.sse import encode_event

PROSE = (
    "The policy covers water damage to the insured building, provided that the leak was sudden and "
    "accidental. Claims must be filed within thirty days of the event, and the adjuster will confirm "
    "receipt in writing. "
    "Exclusions apply to gradual "
    "seepage, mould and wear; see the schedule for the limits that apply in each region.\n\n"
)
CITED = (
    PROSE.replace("accidental.", "accidental [1].")
    .replace("writing.", "writing [2][3].")
    .replace("region.", "region [9].")
)
CODE = (
    'Run `make up`, then:\n\n```sh\ncurl -s http://localhost:8000/v1/search -d \'{"query": "[1]"}\'\n```\n\n'
)


def known(n: int) -> bool:
    return n < 5


def live(deltas: Sequence[str]) -> None:
    normaliser = Normaliser(known, lambda: 5)
    for delta in deltas:
        normaliser.feed(delta)
    normaliser.close()


def with_json(deltas: Sequence[str]) -> None:
    for delta in deltas:
        event = json.dumps({"v": 1, "seq": 1, "data": {"text": delta}})
        f"id: 1\nevent: text.delta\ndata: {event}\n\n".encode()


def with_orjson(deltas: Sequence[str]) -> None:
    for delta in deltas:
        (
            b"id: 1\nevent: text.delta\ndata: "
            + orjson.dumps({"v": 1, "seq": 1, "data": {"text": delta}})
            + b"\n\n"
        )


def as_sent(deltas: Sequence[str]) -> None:
    """As `turns.relay` and `turns.readers` do it."""
    for delta in deltas:
        event = {
            "v": 1,
            "turn_id": "0195f3a0-1111-7000-8000-00000000000a",
            "seq": 1,
            "type": "text.delta",
            "at": "2026-03-02T10:00:00.000Z",
            "data": {"text": delta},
        }
        encode_event(orjson.dumps(event).decode(), event_id="1763730000000-0", event="text.delta")


def best(work: Callable[[], object], times: int = 5) -> float:
    """Seconds of processor time, the best of some."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def split(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def speed() -> None:
    print(
        f"{'text':8}{'delta':>6}{'us/delta':>10}{'MB/s':>8}"
        f"{'/ sent':>8}{'/ json':>8}{'/ orjson':>10}{'whole MB/s':>12}"
    )
    for name, text in (("prose", PROSE), ("cited", CITED), ("code", CODE)):
        text *= 400_000 // len(text)
        whole = best(lambda: finalize(text, known, lambda: 5), 3)  # noqa: B023
        for size in (1, 5, 20):
            deltas = split(text, size)
            took, sent = best(lambda: live(deltas)), best(lambda: as_sent(deltas))  # noqa: B023
            by_json, by_orjson = best(lambda: with_json(deltas)), best(lambda: with_orjson(deltas))  # noqa: B023
            print(
                f"{name:8}{size:6}{took / len(deltas) * 1e6:10.2f}{len(text) / took / 1e6:8.1f}"
                f"{took / sent:8.2f}"
                f"{took / by_json:8.2f}{took / by_orjson:10.2f}{len(text) / whole / 1e6:12.1f}"
            )


if __name__ == "__main__":
    speed()
