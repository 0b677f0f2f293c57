"""Which files of tests share a running stack, so that of several workers one runs them all."""

from collections.abc import Iterable

DISTRIBUTED = frozenset(
    {"test_callers", "test_frozen_stores", "test_stopped_source", "test_trouble", "test_trouble_by_chance"}
)
ASKING = frozenset(
    {"test_chat_model", "test_eval_agent", "test_file_tools", "test_model_dashboards", "test_secrets"}
)
OF_THEIR_OWN = frozenset({"test_eval_citations", "test_whole_machine"})
"""Files that start a stack for themselves. All that stand in no set share the embedded one."""

SHARED = frozenset({"distributed", "asking", "embedded"})
"""The fixtures that are stacks, each the name of the group that shares it."""


def group_of(nodeid: str) -> str:
    """The stack whose test this is, or the file if that starts its own."""
    file = nodeid.partition("::")[0].rpartition("/")[2].removesuffix(".py")
    if file in OF_THEIR_OWN:
        return file
    if file in ASKING:
        return "asking"
    return "distributed" if file in DISTRIBUTED else "embedded"


def place_in_line(nodeid: str) -> int:
    """The stack whose tests take longest comes first, and the one that is shared by most comes last."""
    return {"distributed": 0, "embedded": 2}.get(group_of(nodeid), 1)


def in_a_wrong_group(nodeid: str, fixtures: Iterable[str]) -> bool:
    """Whether the test uses a stack that another worker may have started for others."""
    return not SHARED.intersection(fixtures) <= {group_of(nodeid)}
