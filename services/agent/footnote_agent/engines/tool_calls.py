"""Running the calls of one reply side by side, with what a reader sees of each."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_core import from_json

from footnote_agent.context.plain_name import plain_name, plain_text
from footnote_agent.context.trajectory import SeenPassage, ToolResult, WantedCall
from footnote_agent.engines.asking_first import FirstAsked
from footnote_agent.engines.protocol import EngineOutput, Kept
from footnote_agent.tool_servers.errors import PART
from footnote_agent.tools.guard import CallRefused, answer_call, is_well_formed
from footnote_agent.tools.tool import ASKED_CHARS, Tool
from footnote_agent.tools.tool_context import ToolContext
from footnote_shared.contracts.events import ToolFinished, ToolStarted
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.models.protocol import ToolCall
from footnote_shared.telemetry import metrics, tracing

_ENDS_WITHIN_S = 2.0
_ARGUMENT_CHARS = 120
_ARGUMENTS_SHOWN = 6


@dataclass(slots=True)
class CallLog:
    """What the answer record says of the calls of a turn.

    `calls` and `seen` are of all its agents, the rest is of one: `seen` are the passages that any was shown.
    `away`: servers of tools that did not answer.
    """

    calls: list[dict[str, Any]] = field(default_factory=list)
    retrieval_ids: list[str] = field(default_factory=list)
    shown: list[SeenPassage] = field(default_factory=list)
    seen: list[SeenPassage] = field(default_factory=list)
    away: set[str] = field(default_factory=set)

    @property
    def parts_away(self) -> list[str]:
        """What was missing, as the record names it."""
        return [f"{PART}:{name}" for name in sorted(self.away)]


@dataclass(frozen=True, slots=True)
class CallRunner:
    """Runs calls of one turn: at most `parallel` at once, each for `timeout_s` at most."""

    tools: Mapping[str, Tool]
    context: ToolContext
    timeout_s: float
    parallel: int
    log: CallLog
    first_asked: FirstAsked | None = None

    async def run(self, calls: Sequence[WantedCall]) -> AsyncGenerator[EngineOutput, None]:
        """The steps of all calls as they come. Each call ends with the move that keeps its result."""
        outputs: asyncio.Queue[EngineOutput | asyncio.Task[None]] = asyncio.Queue()
        gate = asyncio.Semaphore(self.parallel)
        # The names of tasks are told in logs, and a model may call a tool whatever it has read.
        tasks = {
            asyncio.create_task(
                self._one(call, gate, outputs),
                name=f"tool {call.name if call.name in self.tools else 'unknown'}",
            )
            for call in calls
        }
        for task in tasks:
            task.add_done_callback(outputs.put_nowait)
        left = len(tasks)
        try:
            while left:
                output = await outputs.get()
                if isinstance(output, asyncio.Task):
                    output.result()
                    left -= 1
                else:
                    yield output
        finally:
            await end_tasks(tasks, _ENDS_WITHIN_S)

    async def _one(
        self,
        call: WantedCall,
        gate: asyncio.Semaphore,
        outputs: "asyncio.Queue[EngineOutput | asyncio.Task[None]]",
    ) -> None:
        agent = self.context.agent
        known, name = self.tools.get(call.name), plain_name(call.name)
        # A call that waits for a person takes no place from others.
        refused = await self._refused(call, known, outputs.put_nowait)
        async with gate:
            if known is not None:
                outputs.put_nowait(self.context.progress(known.doing, known.label))
            outputs.put_nowait(ToolStarted(tool=name, agent=agent, arguments=short_arguments(call.arguments)))
            started = time.perf_counter()
            plan = tuple(self.context.todos)
            told = "unknown" if known is None else known.counted_as or name
            try:
                if refused is not None:
                    raise CallRefused(refused)
                with tracing.span(
                    f"execute_tool {told}",
                    gen_ai__operation__name="execute_tool",
                    gen_ai__tool__name=told,
                    gen_ai__agent__name=agent or None,
                ):
                    answer = await answer_call(
                        self.tools,
                        ToolCall(call.id, call.name, call.arguments),
                        replace(self.context, tell=outputs.put_nowait),
                        self.timeout_s,
                    )
            except CallRefused as refusal:
                took_ms = _since(started)
                result = ToolResult(call_id=call.id, text=str(refusal), failed=True, ms=took_ms)
                finished = ToolFinished(tool=name, agent=agent, ms=took_ms, error=str(refusal)[:300])
            else:
                left, took_ms = tuple(self.context.todos), _since(started)
                result = ToolResult(
                    call_id=call.id,
                    text=answer.text,
                    shown=answer.shown,
                    todos=left if left != plan else None,
                    spent=answer.spent,
                    ms=took_ms,
                    retrieval_ids=answer.retrieval_ids,
                )
                finished = ToolFinished(tool=name, agent=agent, summary=answer.summary, ms=took_ms)
                self.log.retrieval_ids += answer.retrieval_ids
                self.log.shown += answer.shown
                self.log.seen += answer.shown
            metrics.TOOL_CALLS.labels(told, "refused" if result.failed else "ok").inc()
            metrics.TOOL_SECONDS.labels(told).observe(finished.ms / 1000)
            self.log.calls.append({"tool": name, "ms": finished.ms, "failed": result.failed})
            # A model reads it meanwhile.
            outputs.put_nowait(Kept(result, meanwhile=True))
            outputs.put_nowait(finished)

    async def _refused(
        self, call: WantedCall, known: Tool | None, tell: Callable[[EngineOutput], None]
    ) -> str | None:
        """What a person's refusal says to the model. None where nobody refuses, or the call is wrong."""
        asked = self.first_asked
        if asked is None or known is None:
            return None
        if not is_well_formed(self.tools, ToolCall(call.id, call.name, call.arguments)):
            return None
        return await asked.refusal(call, known, short_arguments(call.arguments, ASKED_CHARS), tell)


def only_read(calls: Sequence[WantedCall], tools: Mapping[str, Tool], asking: Collection[str]) -> bool:
    """Whether these calls leave nothing behind and ask nobody. `asking`: the tools that ask first."""
    return all(
        call.name in tools
        and not tools[call.name].changes
        and call.name not in asking
        and call.name != "task"
        for call in calls
    )


def left_open(calls: Sequence[WantedCall], tools: Mapping[str, Tool]) -> list[str]:
    """What calls that were cut off may have changed all the same, in words for people."""
    known = [tools[call.name] for call in calls if call.name in tools]
    return [one.label for one in known if one.changes or one.name == "task"]


def short_arguments(written: str, most: int = _ARGUMENT_CHARS) -> dict[str, Any]:
    """The arguments of a call for people: few, short, and nothing where they cannot be read.

    A person who is asked is shown more of them: `most` characters of each.
    """
    try:
        given = from_json(written[:20_000])
    except ValueError:
        return {}
    if not isinstance(given, dict):
        return {}
    return {
        plain_name(str(name)): plain_text(value if isinstance(value, str) else repr(value)[:most], most)
        for name, value in list(given.items())[:_ARGUMENTS_SHOWN]
    }


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)
