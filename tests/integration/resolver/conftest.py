"""Stacks of resolver processes for these tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.resolver.processes import Caller, MakeStack, ResolverStack


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResolverStack]:
    """One Redis, one SQLite, two processes, shared by the tests of a module that leave them alive."""
    folder = tmp_path_factory.mktemp("resolver")
    made = ResolverStack(folder, f"sqlite:///{folder / 'footnote.db'}")
    made.start()
    made.start()
    yield made
    made.stop()


@pytest.fixture
def caller(stack: ResolverStack) -> Caller:
    return stack.caller()


@pytest.fixture
def own_stack(tmp_path: Path) -> Iterator[MakeStack]:
    """Makes stacks of a test's own."""
    made: list[ResolverStack] = []

    def make(processes: int = 2, **environment: str) -> ResolverStack:
        stack = ResolverStack(tmp_path, f"sqlite:///{tmp_path / 'footnote.db'}", environment)
        made.append(stack)
        for _ in range(processes):
            stack.start()
        return stack

    yield make
    for stack in made:
        stack.stop()
