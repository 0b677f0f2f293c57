"""Speed and growth of the normaliser, in processor time.

python tests/benchmarks/normaliser_speed.py [--growth]

Prints what a delta costs beside what encoding the same delta as a server-sent event costs, and with `--growth` how the cost of
hostile texts grows when they get four times as long (1.0 is linear).
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence

import orjson

from footnote_resolver.normaliser.feed import Normaliser
from footnote_resolver.normaliser.finalize import finalize

PROSE = (
    "The policy covers water damage to the insured building, provided that the leak was sudden and accidental. Claims must be "
    "filed within thirty days of the event, and the adjuster will confirm receipt in writing. Exclusions apply to gradual "
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
HOSTILE = [
    "[", "[1", "[1]", " [9],", "([9]", "[[1] ", "[a [1] ", "[1](", '[9](a "', "[a](", "`", "`a", "$", "$x [1] ", "\\[", '<a x="', "<b ",
    "<code>", "[citation:", "【1†", "- ", "\n", " ", "[9]\n", "[1, ", "a ` [1]\n- ",
]  # fmt: skip


def known(n: int) -> bool:
    return n < 5


def live(deltas: Sequence[str]) -> None:
    normaliser = Normaliser(known, lambda: 5)
    for delta in deltas:
        normaliser.feed(delta)
    normaliser.close()


def with_json(deltas: Sequence[str]) -> None:
    for delta in deltas:
        f"id: 1\nevent: text.delta\ndata: {json.dumps({'v': 1, 'seq': 1, 'data': {'text': delta}})}\n\n".encode()


def with_orjson(deltas: Sequence[str]) -> None:
    for delta in deltas:
        (
            b"id: 1\nevent: text.delta\ndata: "
            + orjson.dumps({"v": 1, "seq": 1, "data": {"text": delta}})
            + b"\n\n"
        )


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
    print(f"{'text':8}{'delta':>6}{'us/delta':>10}{'MB/s':>8}{'/ json':>8}{'/ orjson':>10}{'whole MB/s':>12}")
    for name, text in (("prose", PROSE), ("cited", CITED), ("code", CODE)):
        text *= 400_000 // len(text)
        whole = best(lambda: finalize(text, known, lambda: 5), 3)  # noqa: B023
        for size in (1, 5, 20):
            deltas = split(text, size)
            took = best(lambda: live(deltas))  # noqa: B023
            by_json, by_orjson = best(lambda: with_json(deltas)), best(lambda: with_orjson(deltas))  # noqa: B023
            print(
                f"{name:8}{size:6}{took / len(deltas) * 1e6:10.2f}{len(text) / took / 1e6:8.1f}{took / by_json:8.2f}"
                f"{took / by_orjson:10.2f}{len(text) / whole / 1e6:12.1f}"
            )


def growth(length: int = 20_000) -> None:
    ways: list[tuple[str, Callable[[str], object]]] = [
        ("characters", lambda text: live(split(text, 1))),
        ("one delta", lambda text: live([text])),
        ("whole", lambda text: finalize(text, known, lambda: 5)),
    ]
    print(f"\n{'repeated':14}" + "".join(f"{name:>22}" for name, _ in ways) + "   (us per character, growth)")
    for unit in HOSTILE:
        short, long = (unit * (size // len(unit)) for size in (length, 4 * length))
        cells = []
        for _, work in ways:
            once, longer = best(lambda: work(short), 2), best(lambda: work(long), 2)  # noqa: B023
            cells.append(f"{once / len(short) * 1e6:14.2f} x{longer / 4 / max(once, 1e-4):5.2f} ")
        print(f"{unit!r:14}" + "".join(cells))


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--growth", action="store_true", help="also how the cost of hostile texts grows")
    speed()
    if arguments.parse_args().growth:
        growth()
