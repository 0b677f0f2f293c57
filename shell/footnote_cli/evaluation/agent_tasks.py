"""Tasks for an agent over a small corpus of their own, with known answers. Read from `agent_tasks.toml`."""

import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TaskDocument(_Given):
    """A document of the corpus."""

    title: str
    folder: str
    text: str


class PlannedUse(_Given):
    """A call that the model of the task makes. `{Title}` in an argument stands for a document's handle."""

    tool: str
    arguments: dict[str, Any]


class KnownFact(_Given):
    """A sentence that belongs into the answer, and the document that it stands in."""

    document: str
    sentence: str


class AgentTask(_Given):
    """A question, what the model does about it, and what has to come out.

    The calls are made in order, `repeat` times over. `listed` and `not_listed` are titles that the tools have
    to name, or must not. A task without facts and titles is one that the corpus does not answer.
    """

    kind: str
    question: str
    calls: list[PlannedUse]
    repeat: int = 1
    facts: list[KnownFact] = Field(default_factory=list)
    listed: list[str] = Field(default_factory=list)
    not_listed: list[str] = Field(default_factory=list)


class TaskSet(_Given):
    """The corpus and the tasks."""

    documents: list[TaskDocument]
    tasks: list[AgentTask]


def read_tasks() -> TaskSet:
    """The tasks that come with Footnote."""
    file = Path(__file__).with_name("agent_tasks.toml")
    return TaskSet.model_validate(tomllib.loads(file.read_text("utf-8")))
