"""What kind of message it is, on messages that people write (docs/adr/0098)."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from footnote_agent.engines.intent import intent_of

SETS: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads(
    Path(__file__).with_name("intent_messages.toml").read_text("utf-8")
)
QUESTIONS = [text for one in SETS.values() for text in one["knowledge"]]


@pytest.mark.parametrize("text", QUESTIONS)
def test_each_question_is_looked_up(text: str) -> None:
    assert intent_of(text, has_history=True) == "knowledge"


@pytest.mark.parametrize(
    ("name", "kind", "least"),
    [
        ("before", "chitchat", 61),
        ("before", "command", 31),
        ("beside", "chitchat", 30),
        ("beside", "command", 18),
        ("after", "chitchat", 7),
        ("after", "command", 12),
    ],
)
def test_as_many_courtesies_and_orders_are_known_as_the_record_says(name: str, kind: str, least: int) -> None:
    known = [text for text in SETS[name][kind] if intent_of(text, has_history=True) == kind]
    assert len(known) >= least


@pytest.mark.parametrize("text", [text for one in SETS.values() for text in one["command"]])
def test_without_an_answer_before_there_is_nothing_to_work_on(text: str) -> None:
    assert intent_of(text, has_history=False) != "command"
