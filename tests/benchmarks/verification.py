"""How often do the rules say "supported" rightly and wrongly, and how fast? On pairs of claim and passage.

    .venv/bin/python -m tests.benchmarks.verification [--set development held_out] [--list] [--write]

A verdict is that of the resolver's own code with the bundled model. For injection, the passages of one field
are the evidence of one turn; a true claim must get the number of its passage, and a false one none. `--list`
prints the pairs that came out wrong; leave it off for the set that nobody tunes by. `--write` stores the
cosines that the unit tests use.
"""

import argparse
import asyncio
import json
import time
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from footnote_resolver.injection.match import SentenceMatcher
from footnote_resolver.sentences.vectors import SentenceVectors, comparable
from footnote_resolver.store.entries import ShownPassage
from footnote_resolver.verification.judge import Claim, Premise, hold
from footnote_shared.embedding.load import load_embedder
from footnote_shared.settings.base import load_settings
from tests.unit.resolver.pairs import FOLDER, SETS, Pair, key_of, labelled, pairs


async def similarities(chosen: Sequence[Pair], vectors: SentenceVectors) -> list[float]:
    found = []
    for pair in chosen:
        claim, *pieces = await vectors.of([pair.claim, *comparable(pair.passage)])
        found.append(max(float(piece @ claim) for piece in pieces))
    return found


async def injected(chosen: Sequence[Pair], matcher: SentenceMatcher) -> list[str]:
    """For each pair `right`, `wrong` or `none`."""
    turns: dict[str, list[str]] = defaultdict(list)
    for pair in chosen:
        if pair.passage not in turns[pair.field]:
            turns[pair.field].append(pair.passage)
    found = []
    for pair in chosen:
        shown = [ShownPassage(n, text) for n, text in enumerate(turns[pair.field], start=1)]
        n = await matcher.best(pair.claim, shown)
        right = n is not None and pair.mistake is None and shown[n - 1].text == pair.passage
        found.append("none" if n is None else "right" if right else "wrong")
    return found


async def measure(options: argparse.Namespace) -> None:
    embedder = load_embedder(load_settings())
    vectors = SentenceVectors(lambda: embedder)
    matcher = SentenceMatcher(vectors, options.least, 1.0)
    written = {}
    for name in options.set:
        chosen = pairs(name)
        cosines = await similarities(chosen, vectors)
        seconds: list[float] = []
        verdicts = []
        for pair, cosine in zip(chosen, cosines, strict=True):
            begun = time.perf_counter()
            verdicts.append(hold(Claim(pair.claim), [Premise(pair.passage)], round(cosine, 3)).support)
            seconds.append(time.perf_counter() - begun)
        placed = await injected(chosen, matcher)
        show(name, chosen, verdicts, placed)
        times = 1000 * np.array(seconds)
        Console().print(
            f"rules for one claim: p50 {np.median(times):.2f} ms, p95 {np.percentile(times, 95):.2f} ms"
        )
        if options.list:
            for pair, cosine, verdict, place in zip(chosen, cosines, verdicts, placed, strict=True):
                good = (verdict == "supported") == (pair.mistake is None)
                if not good or (place == "wrong") or (place == "none" and pair.mistake is None):
                    print(
                        pair.mistake or "true",
                        verdict,
                        place,
                        f"{cosine:.2f}",
                        pair.claim,
                        pair.passage,
                        sep=" | ",
                    )
        rows = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]
        keys = [key_of(number, claim) for number, row in enumerate(rows) for _, claim in labelled(row)]
        written[name] = dict(zip(keys, (round(cosine, 3) for cosine in cosines), strict=True))
    vectors.close()
    if options.write:
        (FOLDER / "cosines.json").write_text(json.dumps(written, indent=0) + "\n", "utf-8")


def show(name: str, chosen: Sequence[Pair], verdicts: Sequence[str], placed: Sequence[str]) -> None:
    table = Table(title=name)
    for heading in ("pairs", "count", "supported", "weak", "unsupported", "inj. right", "wrong", "none"):
        table.add_column(heading)
    kinds = list(dict.fromkeys(pair.mistake for pair in chosen if pair.mistake))
    for kind in ("true", *kinds, "all false"):
        at = [
            i
            for i, pair in enumerate(chosen)
            if (pair.mistake or "true") == kind or (kind == "all false" and pair.mistake)
        ]
        held, put = Counter(verdicts[i] for i in at), Counter(placed[i] for i in at)
        cells = [
            *(held[v] for v in ("supported", "weak", "unsupported")),
            *(put[p] for p in ("right", "wrong", "none")),
        ]
        table.add_row(kind, str(len(at)), *map(str, cells))
    Console(width=120).print(table)


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--set", nargs="+", default=list(SETS), choices=SETS)
    arguments.add_argument("--least", type=float, default=load_settings().injection_similarity)
    arguments.add_argument("--list", action="store_true")
    arguments.add_argument("--write", action="store_true")
    asyncio.run(measure(arguments.parse_args()))


if __name__ == "__main__":
    main()
