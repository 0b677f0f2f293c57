"""Whom a fact names: only what its passage writes, word for word."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.facts.named_entities import (
    LONGEST_NAME,
    MOST_ENTITIES,
    NamedEntity,
    believed_entities,
    looked_up,
)

PASSAGE = "Dr. Anna Schmidt <anna@x.example>, head of travel in Finance, pays in Lisbon."
ANNA = {"kind": "person", "name": "Dr. Anna Schmidt"}


def believed(*listed: Any, passage: str = PASSAGE) -> list[NamedEntity]:
    return believed_entities(list(listed), passage)


def test_a_person_is_named_with_what_the_passage_says() -> None:
    said = {**ANNA, "role": "head of travel", "organisation": "Finance", "address": "anna@x.example"}
    assert believed(said) == [
        NamedEntity("person", "Dr. Anna Schmidt", "head of travel", "Finance", "anna@x.example")
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("role", "head of sales"),
        ("organisation", "Sales"),
        ("address", "a@x.example"),
        ("address", "head of"),
    ],
)
def test_what_the_passage_does_not_write_is_left_out(field: str, value: str) -> None:
    assert believed({**ANNA, field: value}) == [NamedEntity("person", "Dr. Anna Schmidt")]


@pytest.mark.parametrize(
    "listed",
    [
        {"kind": "person", "name": "Bert Meyer"},
        {"kind": "king", "name": "Lisbon"},
        {"kind": "person", "name": ","},
        {"kind": "person", "name": ""},
        {"kind": ["person"], "name": "Lisbon"},
        {"kind": "person", "name": 7},
        {"kind": "place", "name": "L" * (LONGEST_NAME + 1)},
        "Lisbon",
        None,
    ],
)
def test_what_is_no_entity_of_the_passage_is_dropped(listed: Any) -> None:
    assert believed(listed) == []


def test_a_name_in_a_script_without_spaces_is_found() -> None:
    assert believed({"kind": "person", "name": "王小明"}, passage="财务由王小明负责。") != []
    assert believed({"kind": "person", "name": "Ann"}) == []
    assert believed({"kind": "person", "name": "Ann"}, passage="Anna knows Ann.") != []


def test_each_is_named_once_and_not_too_many() -> None:
    assert len(believed(ANNA, ANNA)) == 1
    words = " ".join(f"place{n}" for n in range(MOST_ENTITIES + 3))
    many = [{"kind": "place", "name": word} for word in words.split()]
    assert len(believed(*many, passage=words)) == MOST_ENTITIES


def test_a_name_is_harmless_to_show() -> None:
    (shown,) = believed({"kind": "thing", "name": "pump [1]"}, passage="The pump [1] runs.")
    assert "[1]" not in shown.name


def test_people_are_found_by_their_family_name_and_others_by_theirs() -> None:
    assert looked_up("person", "Dr. A. Schmidt") == looked_up("person", "Schmidt, Anna") == "schmidt"
    assert looked_up("organisation", "The Finance Department") == "finance"
    assert looked_up("place", "São  Paulo") == "sao paulo"


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.sampled_from(["person", "place"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["kind", "name", "role", "address", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(ANYTHING, st.text(max_size=40))
def test_no_reply_is_too_strange(listed: Any, passage: str) -> None:
    for entity in believed_entities(listed, passage):
        assert entity.name
