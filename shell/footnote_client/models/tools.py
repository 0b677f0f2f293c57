"""Answers about tools. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime
from typing import Any

from pydantic import Field

from footnote_client.answer_model import AnswerModel


class DescribedTool(AnswerModel):
    """A tool as the server describes it now. `says_reads_only` is its own word, which proves nothing.

    `problem` says why it cannot be allowed.
    """

    name: str
    called_as: str
    description: str
    parameters: dict[str, Any]
    says_reads_only: bool
    digest: str
    state: str
    """One of `new`, `allowed`, `changed`."""
    problem: str | None = None


class ServerTool(AnswerModel):
    """A tool that is allowed. `called_as` is its name before models.

    `changed`: the server describes it otherwise than when it was allowed, or has it no more. It is off until
    it is allowed anew.
    """

    name: str
    called_as: str
    description: str
    reads_only: bool
    asks_first: bool
    digest: str
    state: str
    """One of `allowed`, `changed`."""


class ToolCard(AnswerModel):
    """A tool as the operator has it: `label` is the line that people see while it works.

    One that `changes` something can be told to ask whoever asks the question first.
    """

    name: str
    label: str
    description: str
    allowed: bool
    changes: bool
    ask_first: bool


class ToolServerLook(AnswerModel):
    """What the server said: its tools, or a problem and who must act. `more`: it has tools beyond these."""

    tools: list[DescribedTool] = Field(default_factory=list)
    more: bool = False
    problem: str | None = None
    who_acts: str | None = None
    """One of `administrator`, `operator`, `server`."""


class ToolServer(AnswerModel):
    """A server of tools, without its credential. `permitted`: the operator permits its address."""

    name: str
    url: str
    enabled: bool
    has_credential: bool
    permitted: bool
    tools: list[ServerTool]
    created_at: datetime
    updated_at: datetime


class ToolList(AnswerModel):
    """The tools, in the order in which models are told of them."""

    items: list[ToolCard]


class ToolServerList(AnswerModel):
    """The servers of the workspace, by name."""

    items: list[ToolServer]
