"""The scripted model of an agent's tasks: it makes the planned calls, and says what it was shown. Pure.

It sees what an endpoint is sent and nothing else, so what it cannot say was not shown to it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from footnote_cli.evaluation.agent_tasks import AgentTask
from footnote_shared.kernel.citation_tokens import NUMBER

NOTHING_FOUND = "Your documents do not say."
_NUMBERED = re.compile(rf"^\[({NUMBER})\] ", re.MULTILINE)
_HANDLE = re.compile(r"\b(D[0-9]{1,6})(?: =|:) ")


@dataclass(frozen=True, slots=True)
class TaskReply:
    """What the model says next: calls as name and arguments, or else text."""

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()


def task_reply(task: AgentTask, request: Mapping[str, Any]) -> TaskReply:
    """The next reply to a request of OpenAI's chat completions, within a task."""
    results = _results(request["messages"])
    planned = list(task.calls) * task.repeat
    if request.get("tools") and len(results) < len(planned) and request.get("tool_choice") != "none":
        use = planned[len(results)]
        return TaskReply(calls=((use.tool, _filled(use.arguments, results)),))
    return TaskReply(_answer(task, results))


def offered_tools(request: Mapping[str, Any]) -> set[str]:
    """The names of the tools that a request offers."""
    return {tool["function"]["name"] for tool in request.get("tools") or ()}


def _results(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What tools have answered since the last message of the user."""
    last = max(at for at, message in enumerate(messages) if message["role"] == "user")
    return [str(message["content"]) for message in messages[last:] if message["role"] == "tool"]


def _filled(arguments: Mapping[str, Any], results: Sequence[str]) -> str:
    """The arguments as a model writes them, with handles for titles."""
    named = {
        name: _handle_of(value[1:-1], results)
        for name, value in arguments.items()
        if isinstance(value, str) and value.startswith("{")
    }
    return json.dumps({**arguments, **named})


def _handle_of(title: str, results: Sequence[str]) -> str:
    """The handle under which a document was shown; one that stands for nothing if it was not."""
    for result in results:
        for found in _HANDLE.finditer(result):
            if result.startswith(title, found.end()):
                return found[1]
    return "D999"


def _answer(task: AgentTask, results: Sequence[str]) -> str:
    """Each fact behind the number of a passage that holds it, each title that a tool named."""
    passages = [passage for result in results for passage in _passages(result)]
    said = []
    for fact in task.facts:
        number = next((n for n, text in passages if fact.sentence in text), None)
        if number is not None:
            said.append(f"{fact.sentence.rstrip('.')} [{number}].")
    named = [title for title in [*task.listed, *task.not_listed] if any(title in r for r in results)]
    if named:
        said.append(f"There are {', '.join(named)}.")
    return " ".join(said) or NOTHING_FOUND


def _passages(result: str) -> list[tuple[int, str]]:
    pieces = _NUMBERED.split(result)[1:]
    texts = (" ".join(text.partition("</document>")[0].split()) for text in pieces[1::2])
    return list(zip(map(int, pieces[::2]), texts, strict=True))
