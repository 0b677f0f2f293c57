"""What a server says of its tools: bounds, names before models, and the digest of what was allowed. Pure."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from footnote_agent.tool_servers.told_schema import unsayable

MOST_LISTED = 200
"""Tools of one server that are looked at."""

LONGEST_NAME = 128
LONGEST_DESCRIPTION = 4000
LONGEST_SCHEMA = 12_000
"""Characters of a schema as JSON."""

DEEPEST_SCHEMA = 16
MOST_TOLD = 60_000
"""Characters of all that the allowed tools of a workspace tell a model with every call of it."""

MOST_ALLOWED = 96
"""Tools of all servers of a workspace. OpenAI takes 128 in a request, and up to 30 of them are ours."""

SEPARATOR = "__"
"""Between a server and its tool. No tool of ours has it in its name."""

_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,40}", re.ASCII)
_ODD = re.compile(r"[^A-Za-z0-9_-]+", re.ASCII)
_KEPT_OF_ODD = 32


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as a server describes it. `problem`: why it cannot be allowed."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    says_reads_only: bool = False
    problem: str | None = None

    @property
    def digest(self) -> str:
        """SHA-256 over name, description and schema: what an administrator has looked at."""
        said = [self.name, self.description, self.parameters]
        return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ToolListing:
    """The tools of a server. `more`: it has others that were not looked at."""

    tools: Sequence[ListedTool]
    more: bool = False

    @property
    def digests(self) -> dict[str, str]:
        """The digests of those that could be called, by name."""
        return {tool.name: tool.digest for tool in self.tools if self.named(tool.name) is not None}

    def named(self, name: str) -> ListedTool | None:
        """The tool of this name. None where there is none that could be called, or more than one."""
        found = [tool for tool in self.tools if tool.name == name]
        return found[0] if len(found) == 1 and found[0].problem is None else None


def listing_of(described: Iterable[ListedTool], *, more: bool) -> ToolListing:
    """The listing, with what is wrong about its tools."""
    tools = list(described)
    names = Counter(tool.name for tool in tools)
    return ToolListing([_judged(tool, names[tool.name]) for tool in tools[:MOST_LISTED]], more)


def _judged(tool: ListedTool, times: int) -> ListedTool:
    problem = _problem(tool, times)
    if problem is None:
        return tool
    # What is refused is shown as far as it can be shown.
    return ListedTool(
        tool.name[:LONGEST_NAME], tool.description[:LONGEST_DESCRIPTION], {}, tool.says_reads_only, problem
    )


def _problem(tool: ListedTool, times: int) -> str | None:
    if not tool.name or len(tool.name) > LONGEST_NAME or not tool.name.isprintable():
        return f"Its name is empty, longer than {LONGEST_NAME} characters, or holds what cannot be seen."
    if times > 1:
        return "The server lists it more than once."
    if len(tool.description) > LONGEST_DESCRIPTION:
        return f"Its description is longer than {LONGEST_DESCRIPTION} characters."
    if nested_deeper(tool.parameters, DEEPEST_SCHEMA):
        return f"The schema of its arguments nests deeper than {DEEPEST_SCHEMA} levels."
    if len(json.dumps(tool.parameters)) > LONGEST_SCHEMA:
        return f"The schema of its arguments is longer than {LONGEST_SCHEMA} characters."
    if tool.parameters.get("type") != "object":
        return "Its arguments are no object."
    if unsayable(tool.parameters):
        return "It needs an argument whose name no model can say."
    return None


def nested_deeper(value: Any, most: int) -> bool:
    """Whether objects and lists nest deeper than this. Without recursion, however deep they do."""
    level = [value]
    for _ in range(most):
        containers = [one for one in level if isinstance(one, Mapping | list)]
        if not containers:
            return False
        level = [inner for one in containers for inner in (one.values() if isinstance(one, Mapping) else one)]
    return any(isinstance(one, Mapping | list) for one in level)


def called_as(server: str, tool: str) -> str:
    """The name before models: of letters, digits, `_` and `-`, 64 at most, and no other tool's.

    A tool whose own name cannot stand there as it is gets the first digits of its SHA-256 behind it.
    """
    if _PLAIN.fullmatch(tool):
        return f"{server}{SEPARATOR}{tool}"
    kept = _ODD.sub("_", tool)[:_KEPT_OF_ODD].strip("_") or "tool"
    return f"{server}{SEPARATOR}{kept}_{hashlib.sha256(tool.encode()).hexdigest()[:8]}"
