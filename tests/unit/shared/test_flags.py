"""What flags take, and who decides one: pure."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.contracts.flags import FLAGS, EffectiveFlag, FlagName, FlagValue
from footnote_shared.contracts.search import SearchSettings
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.settings.base import Settings
from footnote_shared.settings.flag_values import (
    SEARCH_FLAGS,
    accepted,
    check_flag,
    decided,
    describe,
    effective,
    fallbacks,
    understood,
)

VALUES: dict[FlagName, st.SearchStrategy[FlagValue]] = {
    "hybrid": st.booleans(),
    "fusion": st.sampled_from(["rrf", "weighted_blend", "dbsf", "dense_only", "sparse_only"]),
    "alpha": st.floats(0, 1) | st.just("auto"),
    "rrf_k": st.integers(1, 1000),
    "reranker": st.sampled_from(["auto", "none", "cross_encoder", "http", "late"]),
    "facts": st.booleans(),
    "correct": st.sampled_from(["none", "words", "model"]),
    "injection": st.sampled_from(["off", "missing_only", "always"]),
    "verification": st.sampled_from(["off", "report", "mark", "drop"]),
    "chat_tools": st.booleans(),
    "record_queries": st.booleans(),
}


def some_of(names: tuple[FlagName, ...]) -> st.SearchStrategy[dict[Any, FlagValue]]:
    return st.fixed_dictionaries({}, optional={name: VALUES[name] for name in names})


def test_every_flag_is_a_setting_of_its_name_and_says_what_it_does() -> None:
    assert set(FLAGS) == VALUES.keys()
    for name in FLAGS:
        assert describe(name)
        assert accepted(name)
    assert accepted("rrf_k") == "a whole number from 1 to 1000"
    assert accepted("alpha") == "auto or a number from 0 to 1"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hybrid", 1),
        ("hybrid", "true"),
        ("fusion", "magic"),
        ("fusion", True),
        ("alpha", 1.1),
        ("alpha", float("nan")),
        ("alpha", True),
        ("alpha", "0.5"),
        ("alpha", 10**400),
        ("rrf_k", 0),
        ("rrf_k", 10**400),
        ("rrf_k", 1.5),
        ("reranker", "bge"),
        ("verification", False),
    ],
)
def test_what_a_flag_cannot_hold_is_refused(name: FlagName, value: object) -> None:
    with pytest.raises(InvalidRequest, match=f"The flag {name} takes") as caught:
        check_flag(name, value)
    (wrong,) = caught.value.errors
    assert wrong.field == "value"
    assert wrong.message in caught.value.detail, "the field and the whole say the same"


@given(some_of(FLAGS))
def test_what_it_holds_is_taken_as_it_is(values: dict[Any, FlagValue]) -> None:
    for name, value in values.items():
        assert check_flag(name, value) == value
    assert understood(values) == values


def test_what_another_release_wrote_is_left_to_the_operator() -> None:
    assert understood({"fusion": "of tomorrow", "self_correction": True, "alpha": 0.3}) == {"alpha": 0.3}


@given(some_of(FLAGS), some_of(SEARCH_FLAGS), some_of(SEARCH_FLAGS))
def test_the_nearest_one_decides(
    own: dict[FlagName, FlagValue], preset: dict[str, FlagValue], request: dict[str, FlagValue]
) -> None:
    flags = effective(own, fallbacks(Settings()))
    found = decided(flags, preset, request)
    for name in FLAGS:
        if name == "hybrid":
            continue
        if name in request:
            assert found[name] == EffectiveFlag(value=request[name], source="request")
        elif name in preset:
            assert found[name] == EffectiveFlag(value=preset[name], source="preset")
        elif name != "fusion":
            assert found[name] == flags[name]
    # Whatever is decided is what a search can be run with, and `hybrid` says what it does.
    settings = SearchSettings.model_validate({name: found[name].value for name in SEARCH_FLAGS})
    assert found["hybrid"].value == (settings.fusion not in ("dense_only", "sparse_only"))
    if own.get("hybrid") is False and "fusion" not in {**preset, **request}:
        assert not found["hybrid"].value


def test_a_setting_that_a_request_leaves_open_is_not_its_say() -> None:
    flags: dict[FlagName, EffectiveFlag] = effective({"verification": "drop"}, fallbacks(Settings()))
    open_request: dict[str, Any] = {"verification": None}
    assert decided(flags, {}, open_request)["verification"].source == "workspace"
