"""What became of a scripted model's citations in the message that a reader gets. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from footnote_cli.evaluation.claims import letters
from footnote_cli.evaluation.tempers import Answer, Part

_TOKEN = re.compile(r"\[citation:(\d+)\]")
Verdict = Literal["supported", "weak", "unsupported", "misattributed"]
Count = Literal[
    "answers",
    "claims",
    "lost",
    "cited",
    "citations",
    "right_citations",
    "supported",
    "rightly_cited",
    "meant",
    "arrived",
    "strange",
    "invented",
    "dropped",
    "repaired",
    "injectable",
    "injected_right",
    "injected_wrong",
    "not_injected",
    "unsupported",
    "left_uncited",
]
"""What is counted over answers.

claims: sentences that the model wrote; lost: those that the message does not hold any more. cited: with a citation.
citations: tokens behind them; right_citations: whose passage supports its claim. supported: claims that a passage shown
supports; rightly_cited: those with such a passage among their citations. meant: known numbers that the model wrote behind
a claim; arrived: those of them that the message has there; strange: tokens behind a claim that the model cited with other
numbers. invented: numbers never shown; dropped, repaired: as the normaliser reports. injectable: supported claims behind
which the model put no known number, in answers whose first paragraph has none, and of them injected_right,
injected_wrong, not_injected. unsupported: claims in such answers that nothing shown supports; left_uncited: those of them
that have no citation in the message.
"""


def grade(answer: Answer, message: Mapping[str, Any]) -> Counter[str]:
    """Counts (`Count`, and `verdict.*` of the verification) of one answer; `message` as the API gave it."""
    report = message.get("compliance", {}).get("report", {})
    counts: Counter[str] = Counter(
        answers=1, dropped=len(report.get("dropped", ())), repaired=int(report.get("repaired", 0))
    )
    summary = message.get("verification") or {}
    for verdict in get_args(Verdict):
        counts[f"verdict.{verdict}"] += int(summary.get(verdict, 0))
    # By default injection leaves a model alone that has cited something in its first paragraph, which is the first claim.
    left_alone = bool(answer.parts[0].meant)
    for part, found in zip(answer.parts, behind(message["text"], answer.parts), strict=True):
        counts["claims"] += 1
        counts["invented"] += part.dropped
        if found is None:
            counts["lost"] += 1
        else:
            counts.update(_graded(part, found, left_alone=left_alone))
    return counts


def behind(text: str, parts: Sequence[Part]) -> list[tuple[int, ...] | None]:
    """The numbers behind each claim in the text, the claims being there in order; None for a claim that is not there."""
    written, tokens = _without_tokens(text)
    places: list[int | None] = []
    done = 0
    for part in parts:
        wanted = letters(part.claim.text)
        start = written.find(wanted, done)
        places.append(start if start >= 0 else None)
        done = start + len(wanted) if start >= 0 else done
    found: list[tuple[int, ...] | None] = []
    for position, begun in enumerate(places):
        if begun is None:
            found.append(None)
            continue
        end = next((place for place in places[position + 1 :] if place is not None), len(written))
        found.append(tuple(dict.fromkeys(n for n, place in tokens if begun < place <= end)))
    return found


def shares(counts: Mapping[str, int]) -> dict[str, float]:
    """The figures of docs/evaluation.md, each between 0 and 1; one without a single case is left out."""
    pairs: Iterable[tuple[str, str, str]] = (
        ("cited", "cited", "claims"),
        ("precision", "right_citations", "citations"),
        ("recall", "rightly_cited", "supported"),
        ("arrived", "arrived", "meant"),
        ("strange", "strange", "citations"),
        ("lost", "lost", "claims"),
        ("dropped", "dropped", "invented"),
        ("injected_right", "injected_right", "injectable"),
        ("injected_wrong", "injected_wrong", "injectable"),
        ("not_injected", "not_injected", "injectable"),
        ("left_uncited", "left_uncited", "unsupported"),
    )
    verdicts = sum(counts.get(f"verdict.{verdict}", 0) for verdict in get_args(Verdict))
    found = {name: counts.get(part, 0) / counts[whole] for name, part, whole in pairs if counts.get(whole)}
    if verdicts:
        found |= {v: counts.get(f"verdict.{v}", 0) / verdicts for v in get_args(Verdict)}
    return found


def _graded(part: Part, found: tuple[int, ...], *, left_alone: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    right = [n for n in found if n in part.right]
    counts["cited"] = int(bool(found))
    counts["citations"] = len(found)
    counts["right_citations"] = len(right)
    if part.right:
        counts["supported"] = 1
        counts["rightly_cited"] = int(bool(right))
    if part.meant:
        counts["meant"] = len(set(part.meant))
        counts["arrived"] = len(set(part.meant) & set(found))
        counts["strange"] = len(set(found) - set(part.meant))
    elif part.right and not left_alone:
        counts["injectable"] = 1
        counts["injected_right"] = int(bool(right))
        counts["injected_wrong"] = int(bool(found) and not right)
        counts["not_injected"] = int(not found)
    elif not left_alone:
        counts["unsupported"] = 1
        counts["left_uncited"] = int(not found)
    return counts


def _without_tokens(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Letters and digits of the text without its tokens, and each token's number with its place among them."""
    written, tokens, done = "", [], 0
    for match in _TOKEN.finditer(text):
        written += letters(text[done : match.start()])
        tokens.append((int(match[1]), len(written)))
        done = match.end()
    return written + letters(text[done:]), tokens
