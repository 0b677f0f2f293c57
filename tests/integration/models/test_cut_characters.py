"""Endpoints that cut a character in two, in the protocol of each provider."""

from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from footnote_shared.models.endpoint_model import EndpointModel
from footnote_shared.models.protocol import ChatMessage, Prompt, ToolCall, ToolSpec
from footnote_shared.settings.models import ModelEndpoint, Provider
from footnote_testing.planners import PlannedCall, PlannedReply
from footnote_testing.scripted_model import Script, ScriptedModel

PROMPT = Prompt("Be brief.", [ChatMessage("user", "Hello?")], 64)
LOOK = ToolSpec("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})


@pytest.fixture(params=["openai", "anthropic", "google"])
async def served(request: pytest.FixtureRequest) -> AsyncIterator[tuple[EndpointModel, ScriptedModel]]:
    provider: Provider = request.param
    server = ScriptedModel().start()
    url = server.url if provider == "openai" else server.root
    endpoint = ModelEndpoint(provider=provider, model="scripted", base_url=url, api_key=SecretStr("k"))
    model = EndpointModel(endpoint, 60.0)
    yield model, server
    await model.close()
    server.stop()


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (["a gull \ud83d", "\udc26 flies"], "a gull \U0001f426 flies"),
        (["it is cut \ud83d"], "it is cut \ufffd"),
        (["one \ud83d half", " and \udc26 the other"], "one \ufffd half and \ufffd the other"),
    ],
)
async def test_halves_in_the_text_are_put_together_or_replaced(
    served: tuple[EndpointModel, ScriptedModel], tokens: list[str], text: str
) -> None:
    model, server = served
    server.script = Script(tokens=tokens)
    assert "".join([piece async for piece in model.stream(PROMPT) if isinstance(piece, str)]) == text


async def test_halves_in_arguments_can_be_stored(served: tuple[EndpointModel, ScriptedModel]) -> None:
    model, server = served
    call = PlannedCall("look", '{"at": "\ud83d"}')
    server.script = Script(planner=lambda request: PlannedReply("", (call,)))
    (called,) = [piece async for piece in model.converse(PROMPT, [LOOK]) if isinstance(piece, ToolCall)]
    assert called.arguments.encode()
