"""What an endpoint tells of its tokens, and what they cost, in the protocol of each provider."""

from collections.abc import Iterator
from contextlib import suppress

import pytest

from footnote_shared.contracts.events import Usage
from footnote_shared.models.endpoint_model import EndpointModel
from footnote_shared.models.protocol import ChatMessage, ModelFailed, Prompt
from footnote_shared.settings.models import ModelEndpoint, Provider, TokenPrices
from footnote_testing.scripted_model import Script, ScriptedModel

every_wire = pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])


@pytest.fixture(scope="module")
def running() -> Iterator[ScriptedModel]:
    model = ScriptedModel().start()
    yield model
    model.stop()


async def used(running: ScriptedModel, provider: Provider) -> list[Usage]:
    """What a model with prices tells to have used."""
    endpoint = ModelEndpoint(
        provider=provider,
        model="scripted",
        base_url=running.url if provider == "openai" else running.root,
        prices=TokenPrices(input=2, output=10),
    )
    model, told = EndpointModel(endpoint, 60.0), list[Usage]()
    with suppress(ModelFailed):
        async for piece in model.stream(Prompt("Be brief.", [ChatMessage("user", "Hello?")], 64)):
            if isinstance(piece, Usage):
                told.append(piece)
    await model.close()
    return told


@every_wire
async def test_tokens_have_a_cost_where_the_operator_has_set_prices(
    running: ScriptedModel, provider: Provider
) -> None:
    running.script = Script(tokens=["The", " sky", " [1]", "."])
    assert await used(running, provider) == [Usage(input_tokens=11, output_tokens=4, cost=0.000062)]


@every_wire
async def test_a_thought_without_an_answer_is_paid_for_all_the_same(
    running: ScriptedModel, provider: Provider
) -> None:
    running.script = Script(tokens=[], thinks="Gulls? No.")
    assert await used(running, provider) == [Usage(input_tokens=11, output_tokens=0, cost=0.000022)]


async def test_what_an_endpoint_does_not_count_is_unknown_and_not_free(running: ScriptedModel) -> None:
    running.script = Script(counts=False)
    assert await used(running, "openai") == [Usage(partial=True)]
