"""A cache of answers that cannot lie: what it gives is what the model would say to the same words."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.properties.effort import examples
from tests.unit.agent.tool_desk import ToolDesk, search_answer

from footnote_agent.context.asked_turn import AskedTurn, Exchange
from footnote_agent.engines.answer_cache import AnswerCache
from footnote_agent.engines.extractive import ExtractiveEngine
from footnote_agent.engines.pipeline import PipelineEngine
from footnote_agent.engines.protocol import EngineOutput, Note
from footnote_agent.engines.work_places import WorkPlaces, at_work
from footnote_shared.contracts.events import TextDelta, Usage
from footnote_shared.contracts.search import Passage, Ranks
from footnote_shared.kernel.clock import now
from footnote_shared.models.protocol import (
    NONE_AVOIDED,
    AnswerCut,
    Avoided,
    ChatMessage,
    ModelFailed,
    ModelSwitched,
    Prompt,
)
from footnote_shared.redis.connection import connect_async
from footnote_shared.redis.kept_texts import KeptTexts
from footnote_testing.eventually import LIMIT_S, eventually_async
from footnote_testing.ports import free_port
from footnote_testing.redis_process import RedisProcess

QUESTION = "When is the cellar locked?"
USED = Usage(input_tokens=10, output_tokens=5)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisProcess]:
    process = RedisProcess(tmp_path_factory.mktemp("redis"))
    yield process
    process.stop()


def text_of(prompt: Prompt) -> str:
    """What the model says: another word for every other prompt."""
    told = [
        prompt.system,
        prompt.max_tokens,
        [[m.role, m.text] for m in prompt.messages if isinstance(m, ChatMessage)],
    ]
    return f"It says {hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]} [1]."


@dataclass
class Speaker:
    """A model whose answer is a function of its prompt. `hold` keeps all but five letters back."""

    name: str = "gulls"
    asked: int = 0
    before: Sequence[AnswerCut | ModelSwitched] = ()
    failing: bool = False
    hold: asyncio.Event | None = None
    stopped: int = 0

    def has_other(self, avoid: Avoided) -> bool:
        return False

    async def stream(
        self, prompt: Prompt, *, avoid: Avoided = NONE_AVOIDED
    ) -> AsyncGenerator[str | AnswerCut | Usage | ModelSwitched, None]:
        self.asked += 1
        try:
            if self.failing:
                raise ModelFailed("server_error", "It failed.", before_first_token=True, model=self.name)
            for piece in self.before:
                yield piece
            text = text_of(prompt)
            yield text[:5]
            if self.hold is not None:
                await self.hold.wait()
            yield text[5:]
            yield USED
        except (asyncio.CancelledError, GeneratorExit):
            self.stopped += 1
            raise


@dataclass
class Scene:
    """What an answer depends on, each part of which can change. A search finds all that is `ingested`."""

    desk: ToolDesk
    model: Speaker = field(default_factory=Speaker)
    ingested: list[str] = field(default_factory=lambda: ["The cellar is locked at nine."])
    history: tuple[Exchange, ...] = ()
    guidance: str = ""
    question: str = QUESTION
    groups: tuple[str, ...] = ()
    session_id: str | None = None
    max_tokens: int = 64
    deployment: str = "one"

    def turn(self) -> AskedTurn:
        # Each question has a conversation of its own, so its numbers begin at 1.
        self.desk.items.clear()
        turn = self.desk.context(self.question).turn
        caller = self.desk.caller.model_copy(update={"groups": self.groups, "session_id": self.session_id})
        return replace(turn, caller=caller, history=self.history, guidance=self.guidance)

    def _search(self, request: httpx.Request) -> httpx.Response:
        found = [passage(at, text) for at, text in enumerate(self.ingested)]
        return httpx.Response(200, json=search_answer(found))

    def engine(self, texts: KeptTexts | None) -> PipelineEngine:
        self.desk.ingest = self._search
        evidence = self.desk.context().resources.evidence
        cache = AnswerCache(texts, self.deployment) if texts is not None else None
        return PipelineEngine(evidence, self.model, ExtractiveEngine(evidence), self.max_tokens, cache=cache)

    async def ask(self, texts: KeptTexts | None) -> str:
        return said(await outputs(self.engine(texts), self.turn()))


def passage(at: int, text: str) -> Passage:
    return Passage(
        chunk_id=f"c{at}",
        document_id=f"d{at}",
        title="House rules",
        text=text,
        source="rules.txt",
        kind="paragraph",
        source_type="upload",
        ordinal=at,
        created_at=now(),
        heading_path=[],
        char_start=0,
        char_end=len(text),
        version=1,
        score=1.0,
        ranks=Ranks(fused=at + 1),
    )


async def outputs(engine: PipelineEngine, turn: AskedTurn) -> list[EngineOutput]:
    async with aclosing(engine.run(turn)) as steps:
        return [step async for step in steps]


def said(steps: Sequence[EngineOutput]) -> str:
    return "".join(step.text for step in steps if isinstance(step, TextDelta))


def was_hit(steps: Sequence[EngineOutput]) -> bool:
    return any(isinstance(step, Note) and step.facts.get("cache_hits") == ["answer"] for step in steps)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    desk = ToolDesk.made(tmp_path)
    yield Scene(desk)
    desk.database.close()


def kept_by(url: str) -> tuple[Any, KeptTexts]:
    client = connect_async(url)
    # On a busy machine a Redis that is well takes longer than answers may wait for it.
    return client, KeptTexts(client, 60, answer_s=LIMIT_S)


CHANGES: dict[str, Callable[[Scene, str], None]] = {
    "upload": lambda on, word: on.ingested.append(f"The {word} is open."),
    "replace": lambda on, word: on.ingested.__setitem__(slice(0, 1), [f"The {word} is locked."]),
    "delete": lambda on, word: on.ingested.clear(),
    "question": lambda on, word: setattr(on, "question", f"When is the {word} locked?"),
    "history": lambda on, word: setattr(
        on, "history", (Exchange("user", f"And the {word}?"), Exchange("assistant", "At ten."))
    ),
    "forget": lambda on, word: setattr(on, "history", ()),
    "guidance": lambda on, word: setattr(on, "guidance", f"Speak of the {word}."),
    "tokens": lambda on, word: setattr(on, "max_tokens", 64 + len(word)),
}


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(CHANGES)), st.sampled_from(["cellar", "gate", "mill"])), max_size=6
    )
)
def test_whatever_changes_the_answer_is_the_one_to_these_words(
    server: RedisProcess, scene: Scene, changes: list[tuple[str, str]]
) -> None:
    async def work() -> None:
        client, texts = kept_by(server.url)
        on = Scene(scene.desk)
        for change, word in [("question", "cellar"), *changes]:
            CHANGES[change](on, word)
            expected = await on.ask(None)
            for _ in range(2):
                assert await on.ask(texts) == expected
        await client.aclose()

    asyncio.run(work())


async def test_the_same_words_are_not_written_again(server: RedisProcess, scene: Scene) -> None:
    client, texts = kept_by(server.url)
    scene.question = "When is the granary locked?"
    turns = scene.turn(), scene.turn()
    first, second = [await outputs(scene.engine(texts), turn) for turn in turns]
    assert scene.model.asked == 1
    assert [turn.bill.used for turn in turns] == [USED, Usage()]
    assert said(first) == said(second)
    assert (was_hit(first), was_hit(second)) == (False, True)
    await client.aclose()


@pytest.mark.parametrize("name", ["groups", "session_id", "deployment", "model"])
async def test_other_readers_and_other_models_have_answers_of_their_own(
    server: RedisProcess, scene: Scene, name: str
) -> None:
    client, texts = kept_by(server.url)
    scene.question = f"When is the barn of {name} locked?"
    await scene.ask(texts)
    if name == "model":
        scene.model.name = "herons"
    else:
        setattr(scene, name, ("legal",) if name == "groups" else "visitor-0123456789abcdef")
    await scene.ask(texts)
    assert scene.model.asked == 2
    await client.aclose()


async def test_nothing_found_is_kept_and_an_answer_that_lacks_something_is_not(
    server: RedisProcess, scene: Scene
) -> None:
    client, texts = kept_by(server.url)
    scene.question, scene.ingested = "When is the attic locked?", []
    for _ in range(2):
        await scene.ask(texts)
    assert scene.model.asked == 1
    lacks: list[AnswerCut | ModelSwitched] = [
        AnswerCut("length"),
        ModelSwitched("gulls", "timeout", "herons"),
    ]
    for at, lacking in enumerate(lacks):
        scene.question, scene.model.before, scene.model.asked = f"Is loft {at} locked?", (lacking,), 0
        for _ in range(2):
            await scene.ask(texts)
        assert scene.model.asked == 2
    await client.aclose()


async def test_equal_questions_at_once_are_one_call(server: RedisProcess, scene: Scene) -> None:
    client, texts = kept_by(server.url)
    scene.question, scene.model.hold = "When is the stable locked?", asyncio.Event()
    engine = scene.engine(texts)
    heard: list[list[EngineOutput]] = [[] for _ in range(4)]

    places = WorkPlaces(1, held_s=3600.0)

    async def listen(at: int) -> None:
        async with at_work(places), aclosing(engine.run(scene.turn())) as steps:
            async for step in steps:
                heard[at] = [*heard[at], step]

    async def begun() -> set[str]:
        return {said(steps) for steps in heard}

    asked = [asyncio.create_task(listen(at)) for at in range(len(heard))]
    # There is one place: those that listen to what another turn has asked for need none either.
    await eventually_async(begun, "all hear how it begins", until=lambda texts: texts == {"It sa"})
    assert places.free == 1
    # The one that began leaves; the others hear it to its end.
    first = next(at for at, steps in enumerate(heard) if not was_hit(steps))
    asked[first].cancel()
    await asyncio.wait([asked[first]])
    scene.model.hold.set()
    await asyncio.gather(*(one for at, one in enumerate(asked) if at != first))
    whole = {said(steps) for at, steps in enumerate(heard) if at != first}
    assert len(whole) == 1
    assert len(whole.pop()) > len("It sa")
    assert (scene.model.asked, scene.model.stopped, places.waiting) == (1, 0, 0)
    await client.aclose()


async def test_a_call_ends_when_nobody_listens_any_more_and_is_not_kept(
    server: RedisProcess, scene: Scene
) -> None:
    client, texts = kept_by(server.url)
    scene.question, scene.model.hold = "When is the smithy locked?", asyncio.Event()
    engine = scene.engine(texts)
    asked = asyncio.create_task(outputs(engine, scene.turn()))

    async def calls() -> tuple[int, int]:
        return scene.model.asked, scene.model.stopped

    await eventually_async(calls, "the model is asked", until=lambda counts: counts == (1, 0))
    asked.cancel()
    await asyncio.wait([asked])
    await eventually_async(calls, "the call ends", until=lambda counts: counts == (1, 1))
    scene.model.hold = None
    assert (await scene.ask(texts)).startswith("It says")
    assert scene.model.asked == 2
    await client.aclose()


async def test_a_model_that_fails_is_asked_again(server: RedisProcess, scene: Scene) -> None:
    client, texts = kept_by(server.url)
    scene.question, scene.model.failing = "When is the cellar of the dairy locked?", True
    quoted = [await scene.ask(texts) for _ in range(2)]
    assert all("locked at nine" in text for text in quoted)
    assert scene.model.asked == 2
    scene.model.failing = False
    assert (await scene.ask(texts)).startswith("It says")
    await client.aclose()


async def test_without_redis_every_answer_is_right(scene: Scene) -> None:
    client = connect_async(f"redis://127.0.0.1:{free_port()}")
    texts = KeptTexts(client, 60)
    expected = await scene.ask(None)
    for _ in range(2):
        assert await scene.ask(texts) == expected
    assert scene.model.asked == 3
    await client.aclose()
