"""The pure parts of a turn: what is left to do of one, its settings, the frames of its stream."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.engines.choose import choose_engine
from footnote_agent.turns.follow import FrameReader
from footnote_agent.turns.options import kept_settings, settings_hash, split_settings, with_preset
from footnote_agent.turns.takeover_plan import takeover_plan
from footnote_shared.contracts.turns import TurnSettings
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.settings.models import ModelSettings
from footnote_shared.web.sse import HEARTBEAT, encode_event


def plan(**facts: object) -> str:
    usual = {
        "ended": False,
        "text": "",
        "continuable": False,
        "cancelled": False,
        "overdue": False,
        "runs": 2,
    }
    return takeover_plan(**{**usual, **facts}).plan  # type: ignore[arg-type]


class TestResumption:
    def test_starts_over_as_long_as_no_text_was_seen(self) -> None:
        assert plan() == "run"

    def test_goes_on_only_with_an_engine_that_says_the_same_again(self) -> None:
        assert plan(text="Half an", continuable=True) == "continue"
        assert plan(text="Half an") == "fail"

    def test_only_stores_what_has_ended(self) -> None:
        assert plan(ended=True, cancelled=True, overdue=True, text="all") == "finish"

    def test_honours_a_wish_to_stop_and_limits(self) -> None:
        assert plan(cancelled=True, overdue=True) == "cancel"
        assert plan(overdue=True) == "fail"

    def test_gives_up_behind_the_fifth_run(self) -> None:
        assert plan(runs=5) == "run"
        assert plan(runs=6) == "fail"


class TestSettings:
    def test_are_split_between_the_turn_and_its_search(self) -> None:
        turn, search = split_settings({"engine": "extractive", "top_k": 3})
        assert (turn, search) == (TurnSettings(engine="extractive"), {"top_k": 3})
        assert split_settings(None) == (TurnSettings(), {})

    def test_unknown_and_wrong_ones_are_all_named(self) -> None:
        with pytest.raises(InvalidRequest) as refused:
            split_settings({"colour": "red", "top_k": "many", "answer_sentences": 0})
        assert {e.field for e in refused.value.errors} == {
            "settings.colour",
            "settings.top_k",
            "settings.answer_sentences",
        }

    def test_of_an_accepted_turn_are_read_without_what_only_a_newer_release_knows(self) -> None:
        given: dict[str, Any] = {
            "engine": "extractive",
            "top_k": 3,
            "expand": ["rm3"],
            "weights": [{"source_type": "file", "weight": 2.0}],
            "half_life_days": None,
        }
        newer = {**given, "invented_later": 1, "weights": [{**given["weights"][0], "invented_later": 1}]}
        assert kept_settings(newer) == kept_settings(given) == split_settings(given)
        assert kept_settings(None) == split_settings(None)

    def test_what_happens_to_citations_is_a_setting_of_the_turn(self) -> None:
        turn, search = split_settings({"verification": "drop", "injection": "always", "top_k": 3})
        assert (turn.verification, turn.injection, search) == ("drop", "always", {"top_k": 3})
        with pytest.raises(InvalidRequest) as refused:
            split_settings({"verification": "delete", "injection": True})
        assert {e.field for e in refused.value.errors} == {"settings.verification", "settings.injection"}

    def test_a_preset_speaks_where_the_turn_does_not(self) -> None:
        preset = {"verification": "drop", "injection": "always", "top_k": 3}
        assert with_preset(None, preset) == {"verification": "drop", "injection": "always"}
        assert with_preset({"verification": "mark", "top_k": 5}, preset) == {
            "verification": "mark",
            "top_k": 5,
            "injection": "always",
        }
        assert (with_preset({"verification": None}, preset) or {})["verification"] == "drop"
        assert with_preset(None, {"top_k": 3}) is None

    def test_a_preset_limits_the_turns_that_name_none_of_their_own(self) -> None:
        preset = {"max_steps": 3, "max_seconds": 30.0}
        turn, _ = split_settings(with_preset({"max_steps": 5}, preset))
        assert (turn.max_steps, turn.max_seconds) == (5, 30.0)

    def test_hash_changes_with_what_changes_an_answer(self) -> None:
        same = settings_hash("extractive", None, {"a": 1, "b": 2})
        assert same == settings_hash("extractive", None, {"b": 2, "a": 1})
        assert same != settings_hash("pipeline", None, {"a": 1, "b": 2})
        assert same != settings_hash("extractive", "fast", {"a": 1, "b": 2})


class TestChoice:
    def test_falls_to_the_model_where_there_is_one(self) -> None:
        model = ModelSettings(chat_base_url="http://model/v1", chat_model="m")
        assert choose_engine(TurnSettings(), ModelSettings(), tools=True).engine == "extractive"
        assert choose_engine(TurnSettings(), model, tools=True).engine == "agentic"
        assert choose_engine(TurnSettings(engine="extractive"), model, tools=True).engine == "extractive"

    def test_a_workspace_without_tools_gets_the_pipeline(self) -> None:
        model = ModelSettings(chat_base_url="http://model/v1", chat_model="m")
        assert choose_engine(TurnSettings(), model, tools=False).engine == "pipeline"
        with pytest.raises(InvalidRequest, match="chat_tools"):
            choose_engine(TurnSettings(engine="agentic"), model, tools=False)


FRAMES = [
    HEARTBEAT,
    encode_event("{}", event_id="1-0", event="turn.started"),
    encode_event('{"text":"a"}', event_id="2-0", event="text.delta"),
    encode_event("{}", event_id="3-0", event="message.completed"),
]


class TestFrameReader:
    @given(st.lists(st.integers(0, len(b"".join(FRAMES))), max_size=12))
    def test_gives_the_same_frames_however_the_bytes_are_cut(self, places: list[int]) -> None:
        whole = b"".join(FRAMES)
        cuts = sorted({0, *places, len(whole)})
        reader, before, last = FrameReader(), b"", b""
        for start, end in itertools.pairwise(cuts):
            frames, terminal = reader.feed(whole[start:end])
            before, last = before + frames, last + terminal
        assert (before, last) == (b"".join(FRAMES[:-1]), FRAMES[-1])
        assert (reader.last_id, reader.events, reader.ended) == ("3-0", 3, True)

    def test_forgets_half_a_frame_of_a_broken_connection(self) -> None:
        reader = FrameReader()
        reader.feed(FRAMES[1] + FRAMES[2][:9])
        reader.drop_rest()
        assert reader.last_id == "1-0"
        assert reader.feed(FRAMES[2]) == (FRAMES[2], b"")
