"""The gateway library's models, with what they make of the schema of a tool remembered.

A library rewrites the schema of each tool for each request as its provider wants it. The tools are the same
in every step of every turn, so that was a fifth of what a request costs.
"""

from dataclasses import dataclass, replace

from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

_MOST_TOOLS = 256


@dataclass(frozen=True, slots=True)
class _Rewritten:
    """A tool as it was given, which keeps its schema alive, and as the provider wants it."""

    given: ToolDefinition
    made: ToolDefinition


class RemembersTools(Model):
    """Stands before a model's class. A tool is known by the object that is its schema, and compared."""

    def customize_request_parameters(
        self, model_request_parameters: ModelRequestParameters
    ) -> ModelRequestParameters:
        """See Model.customize_request_parameters."""
        tools = model_request_parameters.function_tools
        known: dict[int, _Rewritten] = self.__dict__.setdefault("_remembered_tools", {})
        fresh = [tool for tool in tools if not _is_of(known.get(id(tool.parameters_json_schema)), tool)]
        answer = super().customize_request_parameters(replace(model_request_parameters, function_tools=fresh))
        if len(known) + len(fresh) > _MOST_TOOLS:
            known.clear()
            return super().customize_request_parameters(model_request_parameters)
        for tool, made in zip(fresh, answer.function_tools, strict=True):
            known[id(tool.parameters_json_schema)] = _Rewritten(tool, made)
        return replace(answer, function_tools=[known[id(tool.parameters_json_schema)].made for tool in tools])


def _is_of(rewritten: _Rewritten | None, tool: ToolDefinition) -> bool:
    return rewritten is not None and rewritten.given == tool
