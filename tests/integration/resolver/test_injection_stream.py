"""A model that does not cite is cited for, live, and what is cited is verified (spec 2.5, 2.6)."""

from collections.abc import Iterator

import pytest

from footnote_testing.eventually import LIMIT_S
from tests.integration.resolver.processes import Caller, ResolverStack, assert_whole, text_of
from tests.model_cache import CACHE

LAUNCH = "We agreed to push the launch to March 10. Marketing will be notified next week."
COMET = "The comet Halvorsen returns every 71 years. Its tail is green."


@pytest.fixture(scope="module", params=["always", "missing_only"])
def policy(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, policy: str) -> Iterator[ResolverStack]:
    folder = tmp_path_factory.mktemp("injecting")
    environment = {
        "FOOTNOTE_INJECTION": policy,
        "FOOTNOTE_VERIFICATION": "report",
        "FOOTNOTE_INJECTION_TIMEOUT_S": str(LIMIT_S),
        "FOOTNOTE_VERIFICATION_TIMEOUT_S": str(2 * LIMIT_S),
        **CACHE,
    }
    made = ResolverStack(folder, f"sqlite:///{folder / 'footnote.db'}", environment)
    made.start()
    with made.caller("warm").http(timeout=180) as http:
        assert (
            http.post(
                "/v1/ground", json={"claims": ["a b c"], "passages": [{"id": "p", "text": "a b c"}]}
            ).status_code
            == 200
        )
    yield made
    made.stop()


def test_claims_without_a_citation_get_one(stack: ResolverStack, caller: Caller, policy: str) -> None:
    conversation = caller.conversation()
    agent = stack.agent(caller, conversation)
    agent.start()
    caller.register(conversation, [LAUNCH, COMET], turn=agent.turn)
    agent.say(
        "Here is what I found:\n\n",
        "The launch was pushed ",
        "to March 10. ",
        "The comet's tail is green. ",
        "It returns every 75 years. Penguins live in the south.",
    )
    agent.complete()
    events = caller.read(agent.turn)
    assert_whole(events)
    final = events[-1].data
    assert final["text"] == (
        "Here is what I found:\n\n"
        "The launch was pushed to March 10. [citation:1] The comet's tail is green. [citation:2] "
        "It returns every 75 years. Penguins live in the south."
    )
    assert text_of(events) == final["text"]
    assert [(e.data["entry"]["n"], e.data["origin"]) for e in events if e.type == "citation"] == [
        (1, "injected"),
        (2, "injected"),
    ]
    assert [(c["n"], c["origin"]) for c in final["citations"]] == [(1, "injected"), (2, "injected")]
    assert (
        final["compliance"]["model_cited"],
        final["compliance"]["injected"],
        final["compliance"]["uncited"],
    ) == (0, 2, 2)
    verdicts = [(e.data["citations"], e.data["verdict"]) for e in events if e.type == "verification"]
    assert verdicts == [([1], "supported"), ([2], "supported")]
    assert final["verification"] == {
        "status": "done",
        "policy": "report",
        "degraded": [],
        "supported": 2,
        "weak": 0,
        "unsupported": 0,
        "misattributed": 0,
        "doubtful": [],
    }


def test_an_answer_that_comes_in_one_piece_is_cited_as_it_streams(
    stack: ResolverStack, caller: Caller
) -> None:
    """So it comes from a model that does not stream, and where a relay under load joins what waits."""
    conversation = caller.conversation()
    agent = stack.agent(caller, conversation)
    agent.start()
    caller.register(conversation, [LAUNCH, COMET], turn=agent.turn)
    agent.say("Here is what I found:\n\nThe launch was pushed to March 10. The comet's tail is green.")
    agent.complete()
    events = caller.read(agent.turn)
    assert_whole(events)
    assert (
        text_of(events)
        == events[-1].data["text"]
        == (
            "Here is what I found:\n\n"
            "The launch was pushed to March 10. [citation:1] The comet's tail is green. [citation:2]"
        )
    )


def test_what_the_model_cites_is_verified(stack: ResolverStack, caller: Caller) -> None:
    conversation = caller.conversation()
    agent = stack.agent(caller, conversation)
    agent.start()
    caller.register(conversation, [LAUNCH, COMET], turn=agent.turn)
    agent.say(
        "The launch was pushed to March 10 [1]. The tail of the comet is green [1]. "
        "The launch is on March 12 [1]."
    )
    agent.complete()
    events = caller.read(agent.turn)
    assert_whole(events)
    verdicts = [(e.data["verdict"], e.data.get("better")) for e in events if e.type == "verification"]
    assert verdicts == [("supported", None), ("misattributed", 2), ("unsupported", None)]
    assert events[-1].data["compliance"]["model_cited"] == 3
