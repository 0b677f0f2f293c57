"""What a provider makes of a tool is remembered, and changes where the tool does."""

from dataclasses import replace
from typing import Any, get_args

import pytest
from openai._models import construct_type
from openai.types.chat import ChatCompletionChunk
from pydantic import SecretStr
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from footnote_shared.models.plain_openai import PlainOpenAI
from footnote_shared.models.providers import http_for, provider_model
from footnote_shared.settings.models import ModelEndpoint, Provider


def schema(**fields: str) -> dict[str, Any]:
    properties = {name: {"type": kind, "title": name.title()} for name, kind in fields.items()}
    return {"type": "object", "properties": properties, "required": list(fields), "title": "Arguments"}


def model_of(provider: Provider) -> Model:
    endpoint = ModelEndpoint(
        model="scripted", base_url="http://127.0.0.1:9", api_key=SecretStr("k"), provider=provider
    )
    return provider_model(endpoint, http_for(1.0))


def made_of(model: Model, *tools: ToolDefinition) -> list[ToolDefinition]:
    return model.customize_request_parameters(ModelRequestParameters(function_tools=[*tools])).function_tools


@pytest.mark.parametrize("provider", get_args(Provider))
def test_a_tool_is_told_as_its_provider_wants_it_each_time(provider: Provider) -> None:
    model, fresh = model_of(provider), model_of(provider)
    search = ToolDefinition(
        name="search", parameters_json_schema=schema(query="string"), description="Looks."
    )
    read = ToolDefinition(name="read", parameters_json_schema=schema(page="integer"))
    first = made_of(model, search)
    assert first == made_of(fresh, search)
    both = made_of(model, read, search)
    assert both == made_of(fresh, read, search)
    assert both[1].parameters_json_schema is first[0].parameters_json_schema


@pytest.mark.parametrize("provider", get_args(Provider))
def test_a_tool_that_is_told_otherwise_is_no_longer_the_one_from_before(provider: Provider) -> None:
    model = model_of(provider)
    tool = ToolDefinition(name="search", parameters_json_schema=schema(query="string"), description="Looks.")
    made_of(model, tool)
    (made,) = made_of(model, replace(tool, description="Looks closely."))
    assert made.description == "Looks closely."
    (other,) = made_of(model, replace(tool, parameters_json_schema=schema(query="integer")))
    assert other.parameters_json_schema["properties"]["query"]["type"] == "integer"


def test_thousands_of_tools_are_all_told_and_few_are_remembered() -> None:
    model = model_of("openai")
    for at in range(30):
        tools = [
            ToolDefinition(name=f"tool_{at}_{number}", parameters_json_schema=schema(a="string"))
            for number in range(100)
        ]
        assert [tool.name for tool in made_of(model, *tools)] == [tool.name for tool in tools]
    assert sum(len(held) for held in vars(model).values() if isinstance(held, dict)) <= 300


PIECE = {
    "id": "c1",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "delta": {"content": "Gulls", "reasoning": "Hm."}, "finish_reason": None}],
    "usage": None,
}


@pytest.mark.parametrize(
    "piece",
    [
        PIECE,
        {**PIECE, "choices": [{"index": 0, "delta": None, "finish_reason": "eos"}]},
        {**PIECE, "choices": None, "usage": {"prompt_tokens": 3}},
        {"choices": [{"delta": {"content": "x"}}]},
    ],
)
def test_a_piece_of_an_answer_is_read_as_the_client_reads_it(piece: dict[str, Any]) -> None:
    client = PlainOpenAI("http://127.0.0.1:9", "k", http_for(1.0))
    read = client._process_response_data(data=piece, cast_to=ChatCompletionChunk, response=None)  # type: ignore[arg-type]
    as_before = construct_type(type_=ChatCompletionChunk, value=piece)
    assert read == as_before
    assert read.model_fields_set == as_before.model_fields_set  # type: ignore[attr-defined]
