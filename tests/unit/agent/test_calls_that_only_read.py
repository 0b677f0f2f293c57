"""Which calls may begin before the reply that wishes for them is kept: those that could be made again."""

import pytest

from footnote_agent.context.trajectory import WantedCall
from footnote_agent.engines.tool_calls import only_read
from footnote_agent.tools.all_tools import TOOLS


def calls(*names: str) -> list[WantedCall]:
    return [WantedCall(id=f"s0c{at}", name=name, arguments="{}") for at, name in enumerate(names)]


@pytest.mark.parametrize("names", [["search_knowledge_base"], ["read_passages", "list_documents", "recall"]])
def test_reading_leaves_nothing_behind(names: list[str]) -> None:
    assert only_read(calls(*names), TOOLS, frozenset())


@pytest.mark.parametrize("name", ["create_document", "update_memory", "task", "of_no_such_name"])
def test_one_call_that_may_is_enough_to_wait(name: str) -> None:
    assert not only_read(calls("search_knowledge_base", name), TOOLS, frozenset())


def test_so_is_one_that_asks_a_person_first() -> None:
    assert not only_read(calls("search_knowledge_base"), TOOLS, frozenset({"search_knowledge_base"}))
