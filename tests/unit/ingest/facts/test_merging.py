"""Which facts say the same, and between whose documents that is told."""

from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.facts.merging import MERGE_COSINE, audience_of, group_for, grouped, says_the_same


@dataclass
class Shared:
    avatar_id: str = "ann"
    visibility: Any = "workspace"
    reader_groups: list[str] | None = None
    is_public: bool = False


def test_facts_are_one_from_a_cosine_of_0_92() -> None:
    assert MERGE_COSINE == 0.92
    assert says_the_same(0.92)
    assert not says_the_same(0.9199)


def test_the_nearest_one_that_may_be_joined_counts() -> None:
    groups = {"a": "A", "b": "B"}
    assert group_for([("a", 0.93), ("b", 0.95)], groups) == "B"
    assert group_for([("a", 0.93), ("private", 0.99)], groups) == "A"
    assert group_for([("private", 0.99)], groups) is None
    assert group_for([("a", 0.91)], groups) is None


def test_a_later_fact_joins_an_earlier_one_of_the_same_reply() -> None:
    near = {"x": [("x", 1.0), ("y", 0.95)], "y": [("y", 1.0), ("x", 0.95)]}
    assert grouped(["x", "y"], near, {}) == {"x": "x", "y": "x"}
    assert grouped(["x", "y"], near, {"z": "Z"}) == {"x": "x", "y": "x"}


@given(st.lists(st.sampled_from("abcdef"), unique=True), st.floats(0, 1))
def test_each_fact_gets_one_group_that_is_there(own: list[str], cosine: float) -> None:
    near = {one: [(other, cosine) for other in "abcdefz"] for one in own}
    found = grouped(own, near, {"z": "Z"})
    assert set(found) == set(own)
    assert set(found.values()) <= {*own, "Z"}


def test_documents_of_one_audience_are_those_that_the_same_people_see() -> None:
    assert audience_of(Shared("ann")) == audience_of(Shared("ben"))
    private = Shared("ann", "private")
    assert audience_of(private) == audience_of(Shared("ann", "private"))
    assert audience_of(private) != audience_of(Shared("ben", "private"))
    assert audience_of(private) != audience_of(Shared("ann"))
    legal = Shared("ann", reader_groups=["legal", "ops"])
    assert audience_of(legal) == audience_of(Shared("ann", reader_groups=["ops", "legal"]))
    assert audience_of(legal) != audience_of(Shared("ben", reader_groups=["ops", "legal"]))
    assert audience_of(legal) != audience_of(Shared("ann", reader_groups=["legal"]))
    assert audience_of(Shared("ann", reader_groups=[])) != audience_of(Shared("ann"))
