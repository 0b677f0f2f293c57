"""What became of a scripted model's citations in the message that a reader gets. Pure.

Counted over answers:

statements           sentences that the model wrote; lost: those that the message does not hold any more
cited                statements with a citation
citations            tokens behind statements; right_citations: those whose passage supports the statement
supported            statements that a passage shown supports; rightly_cited: those with a right citation
meant                numbers shown that the model wrote behind a statement; arrived: those in the message
strange              tokens behind a statement that the model cited with other numbers
invented             numbers that were never shown; dropped, repaired: as the normaliser reports
injectable           supported statements without a number, in answers whose first paragraph has none either
injected_right, injected_wrong, not_injected
                     what injection made of those
unsupported          statements in such answers that nothing shown supports; left_uncited: without a citation
verdict.*            claims by the verdict of verification
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from footnote_cli.evaluation.statements import letters
from footnote_cli.evaluation.writing import WrittenAnswer, WrittenStatement
from footnote_shared.contracts.answers import Verdict
from footnote_shared.kernel.citation_tokens import TOKEN

_VERDICTS: tuple[str, ...] = get_args(Verdict)


def grade(answer: WrittenAnswer, message: Mapping[str, Any]) -> Counter[str]:
    """The counts of one answer; `message` as the API gave it."""
    report = message.get("compliance", {}).get("report", {})
    counts: Counter[str] = Counter(
        answers=1, dropped=len(report.get("dropped", ())), repaired=int(report.get("repaired", 0))
    )
    summary = message.get("verification") or {}
    for verdict in _VERDICTS:
        counts[f"verdict.{verdict}"] += int(summary.get(verdict, 0))
    # By default injection leaves a model alone that has cited something in its first paragraph. The first
    # paragraph of a scripted answer is its first statement.
    left_alone = bool(answer.statements[0].marker.numbers)
    for written, found in zip(answer.statements, behind(message["text"], answer.statements), strict=True):
        counts["statements"] += 1
        counts["invented"] += written.marker.invented
        if found is None:
            counts["lost"] += 1
        else:
            counts.update(_graded(written, found, left_alone=left_alone))
    return counts


def behind(text: str, statements: Sequence[WrittenStatement]) -> list[tuple[int, ...] | None]:
    """The numbers behind each statement in the text, in order; None for one that the text does not have."""
    written, tokens = _without_tokens(text)
    places: list[int | None] = []
    done = 0
    for one in statements:
        wanted = letters(one.statement.text)
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
        ("cited", "cited", "statements"),
        ("precision", "right_citations", "citations"),
        ("recall", "rightly_cited", "supported"),
        ("arrived", "arrived", "meant"),
        ("strange", "strange", "citations"),
        ("lost", "lost", "statements"),
        ("dropped", "dropped", "invented"),
        ("injected_right", "injected_right", "injectable"),
        ("injected_wrong", "injected_wrong", "injectable"),
        ("not_injected", "not_injected", "injectable"),
        ("left_uncited", "left_uncited", "unsupported"),
    )
    verdicts = sum(counts.get(f"verdict.{verdict}", 0) for verdict in _VERDICTS)
    found = {name: counts.get(part, 0) / counts[whole] for name, part, whole in pairs if counts.get(whole)}
    if verdicts:
        found |= {verdict: counts.get(f"verdict.{verdict}", 0) / verdicts for verdict in _VERDICTS}
    return found


def _graded(written: WrittenStatement, found: tuple[int, ...], *, left_alone: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    meant = set(written.marker.numbers)
    right = [n for n in found if n in written.right]
    counts["cited"] = int(bool(found))
    counts["citations"] = len(found)
    counts["right_citations"] = len(right)
    if written.right:
        counts["supported"] = 1
        counts["rightly_cited"] = int(bool(right))
    if meant:
        counts["meant"] = len(meant)
        counts["arrived"] = len(meant & set(found))
        counts["strange"] = len(set(found) - meant)
    elif written.right and not left_alone:
        counts["injectable"] = 1
        counts["injected_right"] = int(bool(right))
        counts["injected_wrong"] = int(bool(found) and not right)
        counts["not_injected"] = int(not found)
    elif not left_alone:
        counts["unsupported"] = 1
        counts["left_uncited"] = int(not found)
    return counts


def _without_tokens(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Letters and digits of the text without its tokens, and each token's number with its place there."""
    written, tokens, done = "", [], 0
    for match in TOKEN.finditer(text):
        written += letters(text[done : match.start()])
        tokens.append((int(match[1]), len(written)))
        done = match.end()
    return written + letters(text[done:]), tokens
