"""Settings of a search: session over preset over defaults, unknown and wrong ones refused by name."""

from collections.abc import Collection, Mapping
from typing import Any

import pytest
from structlog.testing import capture_logs

from footnote_retriever.funnel.plan import BUILT_IN, Plan
from footnote_retriever.funnel.plan import resolve as resolve_with_flags
from footnote_shared.contracts.flags import EffectiveFlag, FlagName, FlagValue
from footnote_shared.contracts.search import Preset, Reranker, SearchSettings
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.settings.base import Settings
from footnote_shared.settings.flag_values import SEARCH_FLAGS, effective, fallbacks
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes, short

DEFAULT = BUILT_IN["default"]
OPERATORS = fallbacks(Settings())


def resolve(
    preset: Preset, session: Mapping[str, Any] | None, rerankers: Collection[Reranker], **flags: FlagValue
) -> Plan:
    """The plan in a workspace that has set these flags."""
    return resolve_with_flags(preset, session, rerankers, effective(_named(flags), OPERATORS))


def _named(flags: Mapping[str, FlagValue]) -> dict[FlagName, FlagValue]:
    return {name: flags[name] for name in OPERATORS if name in flags}


def shown(plan: Plan, name: FlagName) -> tuple[FlagValue, str]:
    flag: EffectiveFlag = plan.flags[name]
    return flag.value, flag.source


def own(**settings: object) -> Preset:
    return Preset(name="mine", settings=settings, built_in=False)


def test_session_wins_over_preset_and_preset_over_defaults() -> None:
    plan = resolve(own(top_k=3, rrf_k=10), {"top_k": 5}, ())
    assert (plan.settings.top_k, plan.settings.rrf_k) == (5, 10)
    assert plan.settings.context_tokens == SearchSettings().context_tokens
    assert plan.preset == "mine"


@pytest.mark.parametrize(("top_k", "expected"), [(1, 40), (8, 40), (10, 40), (11, 44), (100, 400)])
def test_candidates_are_four_times_what_is_wanted_and_at_least_forty(top_k: int, expected: int) -> None:
    plan = resolve(DEFAULT, {"top_k": top_k}, ())
    assert plan.retrieve_k == plan.settings.retrieve_k == expected


def test_there_are_never_fewer_candidates_than_are_wanted() -> None:
    assert resolve(own(retrieve_k=20), {"top_k": 50}, ()).retrieve_k == 50


@pytest.mark.parametrize(
    ("name", "top_k", "retrieve_k", "fusion", "min_similarity", "context_tokens"),
    [
        ("default", 8, 40, "weighted_blend", 0.0, 3000),
        ("fast", 5, 20, "dbsf", 0.0, 3000),
        ("high_recall", 20, 200, "weighted_blend", 0.0, 8000),
        ("precise", 5, 40, "weighted_blend", 0.0, 1500),
    ],
)
def test_the_built_in_presets(
    name: str, top_k: int, retrieve_k: int, fusion: str, min_similarity: float, context_tokens: int
) -> None:
    plan = resolve(BUILT_IN[name], None, ["cross_encoder"])
    settings = plan.settings
    assert (plan.preset, settings.top_k, plan.retrieve_k, settings.fusion) == (
        name,
        top_k,
        retrieve_k,
        fusion,
    )
    assert (settings.min_similarity, settings.context_tokens) == (min_similarity, context_tokens)
    assert settings.reranker == ("none" if name == "fast" else "cross_encoder")


def test_there_are_four_built_in_presets() -> None:
    assert list(BUILT_IN) == ["default", "fast", "high_recall", "precise"]


@pytest.mark.parametrize(
    ("settings", "field", "hint"),
    [
        ({"topk": 5}, "settings.topk", "top_k"),
        ({"fusions": "rrf"}, "settings.fusions", "fusion"),
        ({"completely_else": 1}, "settings.completely_else", "no such setting"),
        ({"top_k": 0}, "settings.top_k", "greater"),
        ({"top_k": "8"}, "settings.top_k", "integer"),
        ({"top_k": True}, "settings.top_k", "integer"),
        ({"top_k": 10**30}, "settings.top_k", "less"),
        ({"alpha": float("nan")}, "settings.alpha", ""),
        ({"fusion": "magic"}, "settings.fusion", "rrf"),
        ({"\ud800": 1}, "settings.\\ud800", "no such setting"),
    ],
)
def test_what_is_wrong_is_named(settings: dict[str, object], field: str, hint: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        resolve(DEFAULT, settings, ())
    (error,) = caught.value.errors
    assert error.field == field
    assert hint in error.message
    caught.value.detail.encode()


def test_of_a_long_name_that_is_unknown_sixty_characters_are_shown() -> None:
    with pytest.raises(InvalidRequest) as caught:
        resolve(DEFAULT, {"x" * 80: 1}, ())
    assert [error.field for error in caught.value.errors] == [f"settings.{'x' * 60}"]


def test_all_unknown_settings_are_named_at_once() -> None:
    with pytest.raises(InvalidRequest) as caught:
        resolve(DEFAULT, {"a": 1, "b": 2, "top_k": 3}, ())
    assert [error.field for error in caught.value.errors] == ["settings.a", "settings.b"]


def test_a_stored_preset_that_is_no_longer_valid_is_named() -> None:
    with pytest.raises(InvalidRequest, match=r"preset mine\.gone"):
        resolve(own(gone=1), None, ())


def test_auto_is_what_is_configured() -> None:
    assert resolve(DEFAULT, None, ()).settings.reranker == "none"
    assert resolve(DEFAULT, None, ["cross_encoder"]).settings.reranker == "cross_encoder"
    assert resolve(DEFAULT, {"reranker": "none"}, ["cross_encoder"]).settings.reranker == "none"
    assert resolve(DEFAULT, None, ["late"]).settings.reranker == "none"
    assert resolve(DEFAULT, {"reranker": "late"}, ["late"]).settings.reranker == "late"


@pytest.mark.parametrize("reranker", ["cross_encoder", "http", "late"])
def test_a_reranker_that_is_not_configured_is_refused_by_name(reranker: str) -> None:
    with pytest.raises(InvalidRequest, match=reranker) as caught:
        resolve(DEFAULT, {"reranker": reranker}, ())
    assert caught.value.errors[0].field == "settings.reranker"


def test_the_digest_changes_with_any_setting_and_with_nothing_else() -> None:
    base = resolve(DEFAULT, None, ())
    assert len(base.digest) == 16
    assert resolve(own(), None, ()).digest == base.digest
    assert resolve(DEFAULT, {"top_k": SearchSettings().top_k}, ()).digest == base.digest
    changes: list[dict[str, object]] = [
        {"top_k": 9},
        {"alpha": 0.123},
        {"clip": False},
        {"min_similarity": 0.1},
        {"fusion": "sparse_only"},
    ]
    assert len({base.digest, *(resolve(DEFAULT, change, ()).digest for change in changes)}) == 6


def test_effective_settings_are_values() -> None:
    assert {resolve(DEFAULT, None, ()).settings: 1}[resolve(own(), {}, ()).settings] == 1


def test_the_operators_settings_begin_as_a_search_without_any() -> None:
    bare = SearchSettings()
    assert {name: OPERATORS[name].value for name in SEARCH_FLAGS} == {
        name: getattr(bare, name) for name in SEARCH_FLAGS
    }
    assert OPERATORS["hybrid"].value is True


def test_a_flag_stands_below_the_preset_and_the_search() -> None:
    flagged = resolve(DEFAULT, None, (), fusion="rrf", rrf_k=7)
    assert (flagged.settings.fusion, flagged.settings.rrf_k) == ("rrf", 7)
    assert shown(flagged, "fusion") == ("rrf", "workspace")
    assert shown(flagged, "alpha") == ("auto", "default")
    by_preset = resolve(BUILT_IN["fast"], None, (), fusion="rrf")
    assert shown(by_preset, "fusion") == (by_preset.settings.fusion, "preset") == ("dbsf", "preset")
    by_search = resolve(BUILT_IN["fast"], {"fusion": "weighted_blend"}, (), fusion="rrf")
    assert by_search.settings.fusion == "weighted_blend"
    assert shown(by_search, "fusion") == ("weighted_blend", "request")


def test_without_hybrid_a_search_goes_by_vectors_alone() -> None:
    plan = resolve(DEFAULT, None, (), hybrid=False)
    assert plan.settings.fusion == "dense_only"
    assert shown(plan, "fusion") == ("dense_only", "workspace")
    assert shown(plan, "hybrid") == (False, "workspace")
    assert resolve(DEFAULT, None, (), hybrid=False, fusion="sparse_only").settings.fusion == "sparse_only"


def test_a_fusion_that_is_named_decides_about_hybrid() -> None:
    plan = resolve(DEFAULT, {"fusion": "rrf"}, (), hybrid=False)
    assert plan.settings.fusion == "rrf"
    assert shown(plan, "hybrid") == (True, "request")
    assert shown(resolve(DEFAULT, None, (), fusion="sparse_only"), "hybrid") == (False, "workspace")


def test_a_reranker_that_only_a_flag_asks_for_is_missed_and_named() -> None:
    plan = resolve(DEFAULT, None, (), reranker="cross_encoder")
    assert (plan.settings.reranker, plan.missing) == ("none", ("rerank",))
    assert shown(plan, "reranker") == ("none", "workspace")
    there = resolve(DEFAULT, None, ["cross_encoder"], reranker="cross_encoder")
    assert (there.settings.reranker, there.missing) == ("cross_encoder", ())
    assert resolve(DEFAULT, None, ["cross_encoder"], reranker="none").settings.reranker == "none"


def test_a_plan_that_is_kept_is_one_of_the_same_flags_and_rerankers() -> None:
    none: tuple[Reranker, ...] = ()
    asked: list[tuple[tuple[Reranker, ...], dict[str, FlagValue]]] = [
        (none, {}),
        (none, {"alpha": 0.3}),
        (none, {"rrf_k": 1}),
        (none, {"facts": True}),
        (("cross_encoder",), {}),
    ]
    plans = [resolve(DEFAULT, None, have, **flags) for have, flags in asked for _ in range(2)]
    first, again = plans[::2], plans[1::2]
    assert [plan.settings.alpha for plan in first] == ["auto", 0.3, "auto", "auto", "auto"]
    assert [plan.settings.rrf_k == 1 for plan in first] == [False, False, True, False, False]
    assert [plan.settings.reranker for plan in first] == ["none"] * 4 + ["cross_encoder"]
    assert shown(first[1], "alpha") == (0.3, "workspace")
    assert len({plan.whole for plan in first}) == len({plan.digest for plan in first}) == 5
    assert [plan.whole for plan in again] == [plan.whole for plan in first]


async def test_the_log_of_a_search_shows_the_settings_that_its_answer_shows() -> None:
    on = FunnelOnFakes()
    await on.add(short("tea coffee", 1))
    settings: tuple[dict[str, Any], ...] = ({}, {"top_k": 3, "alpha": 0.25})
    for asked in settings:
        with capture_logs() as logs:
            result = await on.search("tea", **asked)
        (done,) = (entry for entry in logs if entry["event"] == "search.done")
        assert done["settings"] == result.settings.model_dump()
