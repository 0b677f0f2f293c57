"""A tool: a typed function with the schema of its arguments, its time limit and its line for people."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, create_model

from footnote_agent.tools.tool_context import ToolAnswer
from footnote_shared.models.protocol import ToolSpec

WebMeans = Literal["search", "pages"]
ASKED_CHARS = 2000
"""Characters of each argument that are shown to the person who is asked about a call."""

ToolFunction = Callable[..., Awaitable[ToolAnswer]]


@dataclass(frozen=True, slots=True)
class Tool:
    """`run` takes a ToolContext and the fields of `arguments`. `label` says to people what it does.

    `patience` stretches the time limit of the settings, for tools that take longer than others. `web`: what
    of the web it needs, for tools that are there only where an operator has opened it. `changes`: it leaves
    something behind. `asks_first`: it asks a person unless the workspace has said otherwise. `only_for`: the
    one subagent that has it. `told`: what a model is told of a tool that is no function of ours. `fault`
    says what is wrong with its arguments, and `counted_as` names it in metrics.
    """

    name: str
    run: ToolFunction
    arguments: type[BaseModel]
    doing: str
    label: str
    patience: float = 1.0
    web: WebMeans | None = None
    changes: bool = False
    asks_first: bool = False
    only_for: str = ""
    told: ToolSpec | None = None
    fault: Callable[[BaseModel], str | None] | None = None
    counted_as: str = ""

    @property
    def spec(self) -> ToolSpec:
        """The tool as a model is told of it."""
        return self.told or _spec(self.name, self.run, self.arguments)

    @property
    def takes(self) -> list[str]:
        """The names of its arguments."""
        if self.told is not None:
            return [str(name) for name in self.told.parameters.get("properties") or ()]
        return list(self.arguments.model_fields)


@cache
def _spec(name: str, run: ToolFunction, arguments: type[BaseModel]) -> ToolSpec:
    """Each step of a turn tells a model of all tools, and their schemas take some milliseconds to write."""
    schema: dict[str, Any] = arguments.model_json_schema()
    schema.pop("title", None)
    return ToolSpec(name, inspect.cleandoc(run.__doc__ or "").replace("\n", " "), schema)


def tool(
    run: ToolFunction,
    *,
    doing: str,
    label: str,
    patience: float = 1.0,
    web: WebMeans | None = None,
    changes: bool = False,
    asks_first: bool = False,
    only_for: str = "",
) -> Tool:
    """The tool that a function is. Its name, docstring and signature are what models are told."""
    fields: dict[str, Any] = {
        name: (
            parameter.annotation,
            ... if parameter.default is inspect.Parameter.empty else parameter.default,
        )
        for name, parameter in list(inspect.signature(run).parameters.items())[1:]
    }
    name: str = run.__name__
    arguments = create_model(f"{name}_arguments", __config__=ConfigDict(extra="forbid"), **fields)
    return Tool(name, run, arguments, doing, label, patience, web, changes, asks_first, only_for)
