"""Short transactions that wait for SQLite's one writer together are committed together.

Whoever comes first waits for the writer. Those that come meanwhile leave their work with it, and get their
answers when the commit is durable. A commit costs one wait for the disk, whatever it holds. (Group commit:
DeWitt et al., "Implementation techniques for main memory database systems", SIGMOD 1984.)
"""

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from contextvars import Context, copy_context
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from footnote_shared.kernel.errors import FootnoteError, Unavailable


class GroupSession(Protocol):
    """What a session offers to a group."""

    def connection(self) -> object:
        """Begins the transaction, unless it has begun."""

    def begin_nested(self) -> AbstractContextManager[Any]:
        """A savepoint: an error that leaves its block takes back what the block did."""

    def take_after_commit(self) -> list[Callable[[], None]]:
        """What waits for the commit; the session forgets it."""


SessionT = TypeVar("SessionT", bound=GroupSession)
Answer = TypeVar("Answer")


class _Member(Generic[SessionT]):
    """The work of one caller, and what came of it. `wake` is called when it is over or has to lead."""

    def __init__(self, work: Callable[[SessionT], Any], wake: Callable[[], object]) -> None:
        self.work = work
        self.context: Context = copy_context()
        self.wake = wake
        self.leads = False
        self.over = False
        self.committed = False
        self.answer: Any = None
        self.error: FootnoteError | None = None
        self.after_commit: list[Callable[[], None]] = []

    def do_first(self, session: SessionT) -> None:
        """Do the work as the first of a transaction. With an error it is over, and nobody else is in it."""
        try:
            self.answer = self.context.run(self.work, session)
        except FootnoteError as error:
            self.error = error
            raise
        self.after_commit = session.take_after_commit()

    def do(self, session: SessionT) -> None:
        """Do the work behind a savepoint. What Footnote raises on purpose is this caller's alone."""
        try:
            with session.begin_nested():
                self.answer = self.context.run(self.work, session)
        except FootnoteError as error:
            self.error = error
            session.take_after_commit()
        else:
            self.after_commit = session.take_after_commit()


class GroupCommit(Generic[SessionT]):
    """Runs work of many threads: in one transaction as much as has come and as goes into `held_s` seconds."""

    def __init__(self, transaction: Callable[[], AbstractContextManager[SessionT]], held_s: float) -> None:
        self._transaction = transaction
        self._held_s = held_s
        self._guard = threading.Lock()
        self._waiting: deque[_Member[SessionT]] = deque()
        self._has_leader = False

    @property
    def waiting(self) -> int:
        """How many have left their work and are not begun."""
        return len(self._waiting)

    def run(self, work: Callable[[SessionT], Answer]) -> Answer:
        """The answer of `work(session)`, which is durable then. If it raises, nothing of it is left.

        `work` may be called twice. If the transaction fails for whatever reason, each of its callers goes on
        by itself, so that only the one that was to blame fails.
        """
        woken = threading.Event()
        mine = _Member(work, woken.set)
        if not self._leads_at_once(mine):
            woken.wait()
        answer: Answer = self._end(mine)
        return answer

    async def run_async(
        self, work: Callable[[SessionT], Answer], in_thread: Callable[[Callable[[], Any]], Awaitable[Any]]
    ) -> Answer:
        """Like `run`, on the event loop: who waits takes no thread from others. `in_thread` calls in one.

        The threads that it takes must not be those of others that wait for a group.
        """
        loop, woken = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            # A loop that has been closed meanwhile has nobody left who waits.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(woken.set)

        mine = _Member(work, wake)
        try:
            if not self._leads_at_once(mine):
                await woken.wait()
            on_the_spot = mine.over and (mine.error or (mine.committed and not mine.after_commit))
            answer: Answer = self._end(mine) if on_the_spot else await in_thread(lambda: self._end(mine))
        except asyncio.CancelledError:
            self._withdraw(mine)
            raise
        return answer

    def _leads_at_once(self, mine: _Member[SessionT]) -> bool:
        with self._guard:
            self._waiting.append(mine)
            mine.leads, self._has_leader = not self._has_leader, True
        return mine.leads

    def _withdraw(self, mine: _Member[SessionT]) -> None:
        """Nobody waits for this work any more. Unless it has begun, it is not done."""
        with self._guard:
            if mine not in self._waiting:
                return
            self._waiting.remove(mine)
            leader = self._next_leader() if mine.leads else None
        if leader is not None:
            leader.wake()

    def _next_leader(self) -> _Member[SessionT] | None:
        """Whoever waits the longest leads the next group. With the guard held."""
        leader = self._waiting[0] if self._waiting else None
        self._has_leader = leader is not None
        if leader is not None:
            leader.leads = True
        return leader

    def _end(self, mine: _Member[SessionT]) -> Any:
        """Lead if it is this one's turn to. Then what came of the work, done by itself where its group was
        undone.
        """
        if not mine.over:
            self._lead(mine)
        if mine.error is not None:
            raise mine.error
        if mine.over and not mine.committed:
            with self._transaction() as session:
                mine.answer = mine.work(session)
                mine.after_commit = session.take_after_commit()
        for call in mine.after_commit:
            call()
        return mine.answer

    def _lead(self, mine: _Member[SessionT]) -> None:
        """Do the work of all that wait, the leader's own first, as far as there is time."""
        with self._guard:
            if mine not in self._waiting:
                return
            self._waiting.remove(mine)
        members = [mine]
        with _GroupEnd(self, members) as end, self._transaction() as session:
            session.connection()
            end.begun = True
            until = time.monotonic() + self._held_s
            # A savepoint would cost each that comes alone a part of its time.
            members[0].do_first(session)
            while (member := self._next(until)) is not None:
                members.append(member)
                member.do(session)

    def _next(self, until: float) -> _Member[SessionT] | None:
        with self._guard:
            return self._waiting.popleft() if self._waiting and time.monotonic() < until else None

    def end(
        self, members: list[_Member[SessionT]], *, committed: bool, unreachable: Unavailable | None
    ) -> None:
        """Wake these members, and make the first of those that still wait the next leader."""
        alone = len(members) == 1
        with self._guard:
            if unreachable is not None:
                # Those that wait as well would only find out the same, one after the other.
                members += self._waiting
                self._waiting.clear()
            for member in members:
                # What a member was told behind others of a transaction that is undone may not hold.
                member.error = member.error if committed or (alone and member.error) else unreachable
                member.committed = committed
                member.over = True
            leader = self._next_leader()
        for member in [*members, *([leader] if leader is not None else [])]:
            member.wake()


class _GroupEnd(Generic[SessionT]):
    """Whatever ends the transaction of a group, every member of it hears of the end.

    `begun`: the database has let us write.
    """

    def __init__(self, group: GroupCommit[SessionT], members: list[_Member[SessionT]]) -> None:
        self._group = group
        self._members = members
        self.begun = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        unreachable = error if isinstance(error, Unavailable) and not self.begun else None
        self._group.end(self._members, committed=error is None, unreachable=unreachable)
        return isinstance(error, Exception)
