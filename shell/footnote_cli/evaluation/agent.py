"""`footnote eval agent`: a scripted model does tasks with known answers, through the whole system."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from footnote_cli.embedded.trial_run import fill, trial_run
from footnote_cli.evaluation.agent_tasks import AgentTask, TaskDocument, TaskSet
from footnote_cli.evaluation.chat_endpoint import MODEL
from footnote_cli.evaluation.task_endpoint import TaskEndpoint
from footnote_cli.evaluation.task_grade import grade_task, shares_of
from footnote_cli.evaluation.task_planner import TaskReply, offered_tools, task_reply
from footnote_shared.kernel.errors import OurFault

ALL = "all"


@dataclass(slots=True)
class TaskModel:
    """Plays the task that its question names. `impossible` collects kinds whose tools are not offered."""

    tasks: Mapping[str, AgentTask]
    impossible: set[str] = field(default_factory=set)

    def reply(self, request: Mapping[str, Any]) -> TaskReply:
        """The next reply to a request. Raises KeyError for a question of no task."""
        asked = [m["content"] for m in request["messages"] if m["role"] == "user"][-1]
        task = self.tasks[asked if isinstance(asked, str) else asked[0]["text"]]
        if request.get("tools") and not {use.tool for use in task.calls} <= offered_tools(request):
            self.impossible.add(task.kind)
            return TaskReply("There is no tool for this.")
        return task_reply(task, request)


@dataclass(slots=True)
class AgentResult:
    """Counts by kind of task. Kinds for which the system has no tools are `impossible` and count nowhere."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    impossible: tuple[str, ...] = ()

    def figures(self) -> dict[str, dict[str, float]]:
        """The figures by kind, and those over all kinds."""
        together: Counter[str] = Counter()
        for counts in self.counts.values():
            together.update(counts)
        return {kind: shares_of(counts) for kind, counts in {**self.counts, ALL: together}.items()}


def evaluate_agent(given: TaskSet, folder: Path, say: Callable[[str], None]) -> AgentResult:
    """Start a system in `folder` with the scripted model behind it, and do every task in a thread of its own.

    Raises OurFault where the system does not start, or a document fails.
    """
    model = TaskModel({task.question: task for task in given.tasks})
    endpoint = TaskEndpoint(model.reply).start()
    settings = {
        "FOOTNOTE_CHAT_BASE_URL": endpoint.url,
        "FOOTNOTE_CHAT_MODEL": MODEL,
        "FOOTNOTE_CHAT_TOOLS": "true",
    }
    try:
        with trial_run(folder / "run", settings) as server:
            say(f"{len(given.documents)} documents are ingested")
            fill(server, task_bodies(given.documents))
            say(f"{len(given.tasks)} tasks")
            return do_tasks(server, model, given.tasks)
    finally:
        endpoint.stop()


def do_tasks(server: httpx.Client, model: TaskModel, tasks: Sequence[AgentTask]) -> AgentResult:
    """Do the tasks on a system whose chat model is `model`, and whose documents are those of the set."""
    result = AgentResult()
    for task in tasks:
        message, record = _do(server, task)
        if task.kind not in model.impossible:
            result.counts.setdefault(task.kind, Counter()).update(grade_task(task, message, record))
    result.impossible = tuple(sorted(model.impossible))
    return result


def task_bodies(documents: Sequence[TaskDocument]) -> list[dict[str, str]]:
    """The documents as bodies of `POST /v1/documents`."""
    return [
        {
            "title": document.title,
            "text": document.text.strip(),
            "folder": document.folder,
            "external_id": document.title,
            "mime": "text/markdown",
        }
        for document in documents
    ]


def _do(server: httpx.Client, task: AgentTask) -> tuple[dict[str, Any], dict[str, Any]]:
    """The finished message of a task, and its answer record."""
    body = {"text": task.question, "stream": False, "settings": {"engine": "agentic"}}
    try:
        thread = server.post("/v1/threads", json={}).raise_for_status().json()["id"]
        turn = server.post(f"/v1/threads/{thread}/turns", json=body).raise_for_status().json()
        record = server.get(f"/v1/turns/{turn['turn_id']}/record").raise_for_status().json()
    except httpx.HTTPError as error:
        raise OurFault(f"A task failed: {error!r}. It was: {task.question}") from error
    return turn["message"], record
