"""A chain of models: who is asked next, who is not, and what is said of it."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

import pytest
from pydantic import ValidationError

from footnote_shared.contracts.events import Usage
from footnote_shared.models.endpoint_look import is_local, local_address
from footnote_shared.models.model_chain import ANOTHER_HELPS, ModelChain, told_apart
from footnote_shared.models.protocol import (
    NONE_AVOIDED,
    AnswerCut,
    Avoided,
    ChatMessage,
    ModelFailed,
    ModelSwitched,
    Prompt,
    Reason,
    ToolCall,
    ToolSpec,
)
from footnote_shared.settings.models import ModelEndpoint, ModelSettings

ASK = [ChatMessage("user", "When?")]


@dataclass
class Link:
    """A model that says its words and then fails, if it has a reason to."""

    name: str
    words: Sequence[str] = ("Well.",)
    fails: Reason | None = None
    asked: int = 0
    went_on: list[bool] = field(default_factory=list)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | AnswerCut | Usage, None]:
        self.asked += 1
        self.went_on.append(prompt.goes_on)
        for word in self.words:
            yield word
        if self.fails is not None:
            raise ModelFailed(self.fails, "It failed.", before_first_token=not self.words, model=self.name)
        yield Usage()

    async def converse(
        self, prompt: Prompt, tools: Sequence[ToolSpec], *, may_call: bool = True
    ) -> AsyncGenerator[str | ToolCall | AnswerCut | Usage, None]:
        async for piece in self.stream(prompt):
            yield piece

    async def close(self) -> None:
        """Nothing is open."""


def silent(name: str, reason: Reason) -> Link:
    return Link(name, (), reason)


async def hear(chain: ModelChain, avoid: Avoided = NONE_AVOIDED) -> list[object]:
    return [piece async for piece in chain.stream(Prompt("Be brief.", ASK, 64, bool(avoid)), avoid=avoid)]


@pytest.mark.parametrize("reason", sorted(ANOTHER_HELPS))
async def test_the_next_model_is_asked_where_the_one_before_says_no_word(reason: Reason) -> None:
    chain = ModelChain([silent("a", reason), silent("b", reason), Link("c")])
    first, second, *rest = await hear(chain)
    assert (first, second) == (ModelSwitched("a", reason, "b"), ModelSwitched("b", reason, "c"))
    assert rest == ["Well.", Usage()]


@pytest.mark.parametrize("reason", ["refused", "no_tools"])
async def test_a_refusal_is_not_covered_up_by_another_model(reason: Reason) -> None:
    other = Link("b")
    with pytest.raises(ModelFailed) as failure:
        await hear(ModelChain([silent("a", reason), other]))
    assert (failure.value.reason, other.asked) == (reason, 0)


async def test_after_the_first_word_no_other_model_begins_anew() -> None:
    other = Link("b")
    with pytest.raises(ModelFailed):
        await hear(ModelChain([Link("a", ("On March",), "cut_off"), other]))
    assert other.asked == 0


async def test_one_that_broke_off_is_passed_over_by_the_one_that_goes_on() -> None:
    first, other = Link("a"), Link("b")
    chain = ModelChain([first, other])
    heard = await hear(chain, {"a": "cut_off"})
    assert heard[0] == ModelSwitched("a", "cut_off", "b")
    assert (first.asked, other.went_on) == (0, [True])
    assert chain.has_other({"a": "cut_off"})
    assert not chain.has_other({"a": "cut_off", "b": "timeout"})


async def test_where_all_have_failed_the_first_is_asked_again() -> None:
    first = Link("a")
    heard = await hear(ModelChain([first]), {"a": "cut_off"})
    assert (heard[0], first.asked) == ("Well.", 1)


async def test_the_failure_of_the_last_model_is_what_is_told() -> None:
    with pytest.raises(ModelFailed) as failure:
        await hear(ModelChain([silent("a", "timeout"), silent("b", "rate_limited")]))
    assert (failure.value.model, failure.value.reason) == ("b", "rate_limited")


async def test_a_model_that_takes_no_tools_is_offered_none_for_a_while() -> None:
    moment = [0.0]
    chain = ModelChain([silent("a", "no_tools")], lambda: moment[0])
    assert chain.takes_tools
    with pytest.raises(ModelFailed):
        async for _ in chain.converse(Prompt("Be brief.", ASK, 64), []):
            pass
    assert not chain.takes_tools
    moment[0] = 601.0
    assert chain.takes_tools


def test_models_of_one_name_are_told_apart_by_their_address() -> None:
    endpoints = [
        ModelEndpoint(model="gull", base_url="http://one/v1"),
        ModelEndpoint(model="gull", base_url="http://two/v1"),
        ModelEndpoint(provider="anthropic", model="heron"),
    ]
    assert told_apart(endpoints) == ["gull at http://one/v1", "gull at http://two/v1", "heron"]


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("10.1.2.3", True),
        ("ollama", True),
        ("models.internal", True),
        ("8.8.8.8", False),
        ("api.example.org", False),
        ("", False),
    ],
)
def test_only_hosts_of_this_machine_or_network_are_looked_at(host: str, local: bool) -> None:
    assert is_local(host) is local


def test_an_address_has_the_port_of_its_scheme_or_its_own() -> None:
    assert local_address("http://ollama:11434/v1") == ("ollama", 11434)
    assert local_address("https://models.internal/v1") == ("models.internal", 443)
    assert local_address("http://[::1/v1") is None
    assert local_address("") is None


class TestTheModelsOfARole:
    def test_are_the_chat_model_and_its_fallbacks_in_order(self) -> None:
        settings = ModelSettings(
            chat_base_url="http://one/v1",
            chat_model="gull",
            chat_fallbacks=[ModelEndpoint(provider="google", model="heron")],
        )
        assert [one.model for one in settings.endpoints("chat")] == ["gull", "heron"]
        assert settings.endpoints("fast") == []

    def test_fast_has_the_chat_model_behind_it_and_shares_its_address(self) -> None:
        settings = ModelSettings(chat_base_url="http://one/v1", chat_model="gull", fast_model="wren")
        fast, chat = settings.endpoints("fast")
        assert (fast.model, fast.base_url, chat.model) == ("wren", "http://one/v1", "gull")

    def test_a_provider_of_its_own_needs_no_address(self) -> None:
        assert ModelSettings(chat_provider="anthropic", chat_model="gull").chat_configured
        assert not ModelSettings(chat_model="gull").chat_configured

    def test_an_openai_compatible_fallback_without_an_address_is_refused(self) -> None:
        with pytest.raises(ValidationError):
            ModelEndpoint(model="gull")
