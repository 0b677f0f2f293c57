"""The tool loop: the model calls tools until it knows enough, and then it answers (spec 5.7).

Each reply and each result is kept before anything comes of the next step. So another replica goes on from
the last of them, and behind the text that readers have (ADR 0030).
"""

import asyncio
import math
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import timedelta

from footnote_agent.context.ambient import AmbientNotes, ambient_block
from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.context.history import exchanges_of
from footnote_agent.context.tokens import count_tokens
from footnote_agent.context.trajectory import (
    ModelReply,
    ToolResult,
    WantedCall,
    conversation,
    planned,
    said,
    unanswered,
)
from footnote_agent.engines.asking_first import FirstAsked
from footnote_agent.engines.delegating import Delegation
from footnote_agent.engines.extractive import ExtractiveEngine
from footnote_agent.engines.in_time import TimeIsUp, in_time
from footnote_agent.engines.kept_facts import calls_in, facts_of, passages_in, retrieval_ids_in, usage_of
from footnote_agent.engines.model_steps import degraded_by, switched
from footnote_agent.engines.own_time import OwnTime
from footnote_agent.engines.pipeline import PipelineEngine
from footnote_agent.engines.protocol import EngineOutput, Kept, Note, Settled
from footnote_agent.engines.reply_text import ReplyText
from footnote_agent.engines.shared_budget import SharedBudget
from footnote_agent.engines.still_shown import still_shown
from footnote_agent.engines.tool_calls import CallLog, CallRunner, left_open, only_read
from footnote_agent.engines.turn_limits import (
    CALLS_PER_REPLY,
    NO_TIME,
    AgenticBounds,
    TurnLimits,
    answer_reserve_s,
    calls_of,
    closing_s,
    narrowed,
    seconds_of,
    steps_of,
    used_up,
)
from footnote_agent.engines.without_servers import given_up
from footnote_agent.engines.work_places import elsewhere
from footnote_agent.tools.all_tools import allowed, asking_first
from footnote_agent.tools.connector_items import connector_notes
from footnote_agent.tools.memory import memory_notes
from footnote_agent.tools.mention_notes import folder_notes, mention_notes, upload_notes
from footnote_agent.tools.server_tools import server_tools
from footnote_agent.tools.tool import Tool
from footnote_agent.tools.tool_context import ToolContext, ToolResources
from footnote_shared.contracts.events import ApprovalNeeded, Progress, TextDelta, Usage
from footnote_shared.kernel.clock import now
from footnote_shared.models.protocol import (
    AnswerCut,
    ModelFailed,
    ModelSwitched,
    Prompt,
    Reason,
    ToolCall,
    ToolModel,
)
from footnote_shared.telemetry import metrics

_CONTINUATIONS = 2
"""Times that an answer which broke off is gone on with."""


class AgenticEngine:
    """Where no model says a word, the documents speak for themselves.

    A model that takes no tools gets its evidence by `pipeline`.
    """

    deterministic = False
    keeps_moves = True

    def __init__(
        self,
        model: ToolModel,
        fallback: ExtractiveEngine,
        without_tools: PipelineEngine,
        resources: ToolResources,
        tools: Mapping[str, Tool],
        bounds: AgenticBounds,
    ) -> None:
        self._model = model
        self._fallback = fallback
        self._without_tools = without_tools
        self._resources = resources
        self._tools = tools
        self._bounds = bounds

    async def run(self, turn: AskedTurn) -> AsyncGenerator[EngineOutput, None]:
        loop = _Loop(self._model, self._resources, self._tools, self._bounds, turn)
        yield Note({"model": self._model.name, "retrieval_attempted": False})
        reason: Reason = "no_tools"
        if self._model.takes_tools or turn.moves or turn.written:
            try:
                async with aclosing(loop.steps()) as steps:
                    async for step in steps:
                        yield step
                return
            except ModelFailed as failure:
                if not failure.before_first_token or loop.wrote:
                    raise
                reason = failure.reason
        metrics.DEGRADED.labels("model").inc()
        missing = [*loop.log.parts_away, f"model:{reason}"]
        yield Note({"degraded": missing})
        if reason == "no_tools":
            label = f"{self._model.name} takes no tools: searching once instead"
            history = exchanges_of(turn.past, self._bounds.budget.history_tokens)
            others = self._without_tools.run(replace(turn, history=history))
        else:
            label = "The model does not answer: quoting your documents instead"
            others = self._fallback.run(turn)
        yield Progress(stage="degraded", label=label)
        async with aclosing(others) as steps:
            async for step in steps:
                yield degraded_by(missing, step)


async def _nothing() -> tuple[str, ...]:
    """Notes of a tool that the turn does not have."""
    return ()


@dataclass(slots=True)
class _Loop:
    """One turn. `moves` grows by what is kept.

    `waited` is the time for which a person was asked. `avoid`: the models that broke off in the middle.
    `failed`: all that were passed over.
    """

    model: ToolModel
    resources: ToolResources
    all_tools: Mapping[str, Tool]
    bounds: AgenticBounds
    turn: AskedTurn
    moves: list[ModelReply | ToolResult] = field(default_factory=list)
    wrote: bool = False
    broke_off: int = 0
    avoid: dict[str, Reason] = field(default_factory=dict)
    failed: dict[str, Reason] = field(default_factory=dict)
    ambient_most: int = 0
    log: CallLog = field(default_factory=CallLog)
    own_time: OwnTime = field(default_factory=OwnTime)
    budget: SharedBudget = field(default_factory=lambda: SharedBudget(0, 0, 0))
    waited: timedelta = timedelta(0)
    out_of_time: bool = False

    async def steps(self) -> AsyncGenerator[EngineOutput, None]:
        """The steps of the turn up to the end of its answer. Raises ModelFailed."""
        self.turn = turn = await still_shown(ToolContext(self.turn, self.resources))
        bounds = self.bounds
        switches = await ToolContext(turn, self.resources).switches()
        added = await server_tools(ToolContext(turn, self.resources), bounds.tool_timeout_s)
        tools = allowed({**self.all_tools, **added}, turn.settings.tools, switches.off)
        ask_first = asking_first(tools, switches, turn.settings.approval)
        delegation = self._delegation(tools, ask_first)
        context = ToolContext(turn, self.resources, delegate=delegation, away=self.log.away)
        tools = {name: tool for name, tool in tools.items() if not tool.only_for}
        runner = CallRunner(
            tools,
            context,
            bounds.tool_timeout_s,
            self._limits().parallel_tools,
            self.log,
            FirstAsked(context, ask_first, bounds.approval_wait_s),
        )
        async with aclosing(self._taken_up()) as taken_up:
            async for output in taken_up:
                yield output
        context.todos[:] = planned(self.moves)
        mentions = (*await mention_notes(context), *await upload_notes(context))
        folders, memory, connectors = await asyncio.gather(
            folder_notes(context),
            memory_notes(context) if "recall" in tools else _nothing(),
            connector_notes(context) if "task" in tools else _nothing(),
        )
        while not self._answered():
            calls = [] if self.out_of_time else unanswered(self.moves)
            if calls:
                self._share(len(calls))
                try:
                    async with aclosing(in_time(runner.run(calls), self._steps_left_s)) as outputs:
                        async for output in outputs:
                            self._notice(output)
                            yield output
                            if isinstance(output, Kept):
                                output.done.set()
                except TimeIsUp:
                    self.out_of_time = True
                yield self._note()
                continue
            limit = self._used_up()
            plan = tuple(context.todos)
            notes = AmbientNotes(now(), mentions, folders, connectors, plan, memory, limit, turn.guidance)
            async with aclosing(self._reply(tools, ask_first, notes)) as outputs:
                async for output in outputs:
                    yield output
        yield self._note()

    def _notice(self, output: EngineOutput) -> None:
        match output:
            case Kept() if not output.move.within:
                self.moves.append(output.move)
            case ApprovalNeeded():
                self.own_time.asked(output.call_id)
            case Settled():
                self.waited += self.own_time.answered(output.call_id)

    async def _taken_up(self) -> AsyncGenerator[EngineOutput, None]:
        """What an earlier run has left: its moves, and text of a reply that broke off."""
        self.moves += self.turn.moves
        below = [move for part in self.turn.below.values() for move in part]
        self.log.calls += calls_in([*self.moves, *below])
        self.log.retrieval_ids += retrieval_ids_in(self.moves)
        self.log.shown += passages_in(self.moves)
        self.log.seen += passages_in([*self.moves, *below])
        self.turn.bill.add(usage_of([*self.moves, *below]))
        written = self.turn.written
        self.wrote = bool(written)
        before = said(self.moves)
        if written.startswith(before) and len(written) > len(before):
            rest = ModelReply(text=written[len(before) :], unfinished=True)
            self.moves.append(rest)
            yield Kept(rest)

    def _delegation(self, tools: Mapping[str, Tool], asking: frozenset[str]) -> Delegation:
        bounds = self.bounds
        return Delegation(
            self.model,
            tools,
            asking,
            self.budget,
            self.log,
            self._limits().parallel_tools,
            bounds.answer_tokens,
            bounds.budget.evidence_tokens,
            bounds.tool_timeout_s,
            bounds.approval_wait_s,
        )

    def _share(self, calls: int) -> None:
        """What subagents may use while these calls run: all that the turn has left."""
        limits = self._limits()
        self.budget.steps = limits.steps - steps_of(self.moves)
        self.budget.tool_calls = limits.tool_calls - calls_of(self.moves) - calls
        self.budget.tokens = limits.tokens - self._tokens

    def _answered(self) -> bool:
        last = self.moves[-1] if self.moves else None
        return isinstance(last, ModelReply) and not last.calls and not last.unfinished

    def _limits(self) -> TurnLimits:
        return narrowed(self.bounds.limits, self.turn.settings)

    def _used_up(self) -> str | None:
        reserve_s = answer_reserve_s(self._most_s)
        return used_up(self._limits(), self.moves, self._tokens, self._left_s(), reserve_s)

    @property
    def _tokens(self) -> int:
        """Those of all agents of the turn, also of replies that came to nothing."""
        used = self.turn.bill.used
        return used.input_tokens + used.output_tokens

    @property
    def _most_s(self) -> float:
        return seconds_of(self.bounds.turn_timeout_s, self.turn.settings)

    def _left_s(self) -> float:
        ends_at = self.turn.ends_at
        return (ends_at + self.waited - now()).total_seconds() if ends_at else self._most_s

    def _steps_left_s(self) -> float:
        return math.inf if self.own_time.stands_still else self._left_s() - closing_s(self._most_s)

    async def _reply(
        self, tools: dict[str, Tool], ask_first: frozenset[str], notes: AmbientNotes
    ) -> AsyncGenerator[EngineOutput, None]:
        """One call of the model, and the move that it makes."""
        system = ambient_block(notes, self.bounds.ambient_tokens)
        self.ambient_most = max(self.ambient_most, count_tokens(system))
        may_call = notes.used_up is None
        text = ReplyText(before=said(self.moves), goes_on=self._goes_on())
        calls: list[ToolCall] = []
        cut: AnswerCut | None = None
        used = Usage()
        writing = False
        yield Progress(stage="thinking", label="Thinking" if may_call else "Bringing it together")
        messages = conversation(self.turn.past, self.turn.text, self.moves, self.bounds.budget)
        specs = [tool.spec for tool in tools.values()]
        prompt = Prompt(system, messages, self.bounds.answer_tokens, text.goes_on)
        asked = self.model.converse(prompt, specs, may_call=may_call and bool(specs), avoid=self.avoid)
        pieces = in_time(self.turn.bill.counted(asked), self._steps_left_s)
        try:
            async with elsewhere(), aclosing(pieces):
                async for piece in pieces:
                    match piece:
                        case str():
                            if not writing:
                                writing = True
                                yield Progress(stage="writing", label="Writing the answer")
                            self.wrote = True
                            yield TextDelta(text=text.add(piece))
                        case ToolCall():
                            calls.append(piece)
                        case AnswerCut():
                            cut = piece
                        case ModelSwitched():
                            for output in switched(piece, self.failed):
                                yield output
                        case Usage():
                            used = used.plus(piece)
        except ModelFailed as failure:
            yield given_up(failure, tools, self.log) or self._keep(self._left_of(failure, text, used))
            return
        except TimeIsUp:
            calls, self.out_of_time = [], True
        wanted = self._wanted(calls) if may_call and calls else ()
        limit = NO_TIME if self.out_of_time else notes.used_up
        cut_off = left_open(unanswered(self.moves), tools)
        words = text.last_words(
            self.log.shown or self.log.seen, limit, cut_short=self.out_of_time, cut_off=cut_off
        )
        if words and not wanted:
            self.wrote = True
            yield TextDelta(text=text.add(words))
        reply = ModelReply(text=text.text, calls=wanted, **used.model_dump())
        if cut is not None and not reply.calls:
            yield cut
        # Calls that only read begin at once: whoever did not find the reply would ask for them again.
        meanwhile = bool(reply.calls) and only_read(reply.calls, tools, ask_first)
        yield replace(self._keep(reply), meanwhile=meanwhile)
        if len(calls) > CALLS_PER_REPLY and reply.calls:
            yield Note({"calls_left_out": len(calls) - CALLS_PER_REPLY})

    def _left_of(self, failure: ModelFailed, text: ReplyText, used: Usage) -> ModelReply:
        """What is kept of a reply that failed. Raises the failure where nobody can go on from it."""
        if failure.reason == "empty" and text.has_nothing_to_add:
            return ModelReply(text="", **used.model_dump())
        if not text.text or self.broke_off >= _CONTINUATIONS:
            raise failure
        self.broke_off += 1
        self.avoid[failure.model] = failure.reason
        return ModelReply(text=text.text, unfinished=True, **used.model_dump())

    def _keep(self, move: ModelReply) -> Kept:
        self.moves.append(move)
        return Kept(move)

    def _goes_on(self) -> bool:
        last = self.moves[-1] if self.moves else None
        return isinstance(last, ModelReply) and last.unfinished

    def _wanted(self, calls: list[ToolCall]) -> tuple[WantedCall, ...]:
        """The calls under ids of ours. A model's own may be missing, or used twice."""
        step = sum(isinstance(move, ModelReply) for move in self.moves)
        left = self._limits().tool_calls - calls_of(self.moves)
        return tuple(
            WantedCall(id=f"s{step}c{at}", name=call.name[:100], arguments=call.arguments)
            for at, call in enumerate(calls[: max(1, min(left, CALLS_PER_REPLY))])
        )

    def _note(self) -> Note:
        """What the record says so far (spec 5.9)."""
        return Note(
            {
                **facts_of(
                    sum(isinstance(move, ModelReply) for move in self.moves),
                    self.log.calls,
                    self.log.retrieval_ids,
                    {passage.n for passage in self.log.shown},
                ),
                "ambient_tokens": self.ambient_most,
                "used_up": self._used_up(),
                "degraded": self.log.parts_away,
            }
        )
