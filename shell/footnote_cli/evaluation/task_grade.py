"""What became of one task: the facts of its answer, their numbers, and what its record says. Pure."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from footnote_cli.evaluation.agent_tasks import AgentTask
from footnote_cli.evaluation.task_planner import NOTHING_FOUND
from footnote_shared.kernel.citation_tokens import SPACED_TOKEN


def grade_task(task: AgentTask, message: Mapping[str, Any], record: Mapping[str, Any]) -> Counter[str]:
    """Counts of one task. `done`: all facts arrived behind numbers of the right documents, and no more.

    `numbers` are the citations that facts were given, `right_numbers` those that lead to the passage.
    """
    text = str(message["text"])
    entries = {entry["n"]: entry for entry in message.get("citations") or ()}
    counts: Counter[str] = Counter(
        tasks=1,
        facts=len(task.facts),
        calls=len(record.get("tools") or ()),
        failed_calls=sum(bool(tool["failed"]) for tool in record.get("tools") or ()),
        model_calls=int(record.get("steps") or 0),
        dropped=len((record.get("citations") or {}).get("dropped") or ()),
    )
    done = bool(record.get("status") == "completed")
    for fact in task.facts:
        _, said, behind = text.partition(fact.sentence.rstrip("."))
        entry = entries.get(_number(behind))
        right = entry is not None and _leads_to(entry, fact.document, fact.sentence)
        counts.update(arrived=int(bool(said)), numbers=int(entry is not None), right_numbers=int(right))
        done = done and right
    done = done and all(title in text for title in task.listed)
    done = done and not any(title in text for title in task.not_listed)
    if not task.facts and not task.listed:
        done = done and text.strip() == NOTHING_FOUND and not entries
    counts["done"] = int(done)
    return counts


def shares_of(counts: Mapping[str, int]) -> dict[str, float]:
    """The counts as figures: shares of tasks, facts and numbers, and calls per task."""
    figures: dict[str, float] = {}
    for name, of in (("done", "tasks"), ("arrived", "facts"), ("right_numbers", "numbers")):
        if counts.get(of):
            figures[name] = counts.get(name, 0) / counts[of]
    for name in ("calls", "failed_calls", "model_calls", "dropped"):
        if counts.get("tasks"):
            figures[name] = counts.get(name, 0) / counts["tasks"]
    return figures


def _number(behind: str) -> int:
    """The number of the token with which a text begins; 0 without one."""
    token = SPACED_TOKEN.match(behind)
    return int(token[1]) if token is not None else 0


def _leads_to(entry: Mapping[str, Any], document: str, sentence: str) -> bool:
    quote = " ".join(str(entry["quote"]).split())
    return entry["display"]["title"] == document and sentence in quote
