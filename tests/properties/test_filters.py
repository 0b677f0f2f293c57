"""The algebra of filters, and a vector index that answers as `matches` does."""

import asyncio
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote_shared.vectors.filters import (
    EVERYTHING,
    All,
    Any,
    Filter,
    HasId,
    IsEmpty,
    Match,
    MatchAny,
    Not,
    Range,
    matches,
)
from footnote_shared.vectors.payloads import stored
from footnote_shared.vectors.protocol import PointPayload
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_testing.bridge_process import BridgeProcess, start_bridge
from footnote_testing.eventually import LIMIT_S
from tests.contract.vector_samples import FINGERPRINT, NOTHING, make_payload, make_point

DAY = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = st.sampled_from(["a", "b", "c", "", "ä\n"])
MOMENTS = st.integers(-3, 3).map(lambda days: DAY + timedelta(days=days, milliseconds=days))
IDS = [str(uuid.UUID(int=number)) for number in range(1, 7)]

PAYLOADS: st.SearchStrategy[PointPayload] = st.builds(
    make_payload,
    kind=NAMES,
    folder_ids=st.lists(NAMES, max_size=3),
    groups=st.lists(NAMES, max_size=2),
    connector_id=st.none() | NAMES,
    is_public=st.booleans(),
    ordinal=st.integers(-2, 3),
    created_at=MOMENTS,
)


def ranges(
    field: str, bounds: st.SearchStrategy[float] | st.SearchStrategy[datetime]
) -> st.SearchStrategy[Filter]:
    """Ranges with a bound below, above or on both sides. Each bound is open or closed."""
    return st.one_of(
        st.builds(Range, st.just(field), gte=bounds, lt=st.none() | bounds),
        st.builds(Range, st.just(field), gt=bounds, lte=st.none() | bounds),
        st.builds(Range, st.just(field), lte=bounds),
        st.builds(Range, st.just(field), lt=bounds),
    )


LEAVES: st.SearchStrategy[Filter] = st.one_of(
    st.builds(Match, st.sampled_from(["kind", "folder_ids", "groups", "connector_id", "missing"]), NAMES),
    st.builds(Match, st.just("is_public"), st.booleans()),
    st.builds(Match, st.just("ordinal"), st.integers(-2, 3)),
    st.builds(MatchAny, st.sampled_from(["kind", "folder_ids"]), st.lists(NAMES, max_size=3).map(tuple)),
    st.builds(MatchAny, st.just("ordinal"), st.lists(st.integers(-2, 3), max_size=3).map(tuple)),
    ranges("ordinal", st.floats(-3, 3, width=16)),
    ranges("created_at", MOMENTS),
    st.builds(HasId, st.frozensets(st.sampled_from(IDS))),
    st.builds(IsEmpty, st.sampled_from(["groups", "connector_id", "kind", "missing"])),
)
FILTERS: st.SearchStrategy[Filter] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: All(tuple(parts))),
        st.lists(inner, max_size=3).map(lambda parts: Any(tuple(parts))),
        inner.map(Not),
    ),
    max_leaves=6,
)


@given(st.lists(FILTERS, max_size=3), PAYLOADS, st.sampled_from(IDS))
def test_all_any_and_not_obey_de_morgan(parts: list[Filter], payload: PointPayload, point_id: str) -> None:
    plain = stored(payload)
    negated = tuple(Not(part) for part in parts)
    assert matches(Not(All(tuple(parts))), plain, point_id) == matches(Any(negated), plain, point_id)
    assert matches(Not(Any(tuple(parts))), plain, point_id) == matches(All(negated), plain, point_id)


@given(FILTERS, PAYLOADS, st.sampled_from(IDS))
def test_everything_and_nothing_are_the_neutral_elements(
    condition: Filter, payload: PointPayload, point_id: str
) -> None:
    plain = stored(payload)
    truth = matches(condition, plain, point_id)
    assert matches(All((condition, EVERYTHING)), plain, point_id) == truth
    assert matches(Any((condition, NOTHING)), plain, point_id) == truth
    assert not matches(All((condition, NOTHING)), plain, point_id)
    assert matches(Any((condition, EVERYTHING)), plain, point_id)
    assert matches(Not(Not(condition)), plain, point_id) == truth


@given(FILTERS, PAYLOADS)
def test_no_filter_lets_through_what_its_workspace_does_not(condition: Filter, payload: PointPayload) -> None:
    assert not matches(All((Match("workspace_id", "another"), condition)), stored(payload), IDS[0])


@pytest.fixture(scope="module")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BridgeProcess]:
    server = start_bridge(tmp_path_factory.mktemp("vectors"))
    yield server
    server.stop()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PAYLOADS, min_size=1, max_size=len(IDS)), st.lists(FILTERS, min_size=4, max_size=8))
def test_the_server_matches_what_the_definition_matches(
    bridge: BridgeProcess, payloads: list[PointPayload], conditions: list[Filter]
) -> None:
    points = dict(zip(IDS, payloads, strict=False))

    async def answer() -> list[set[str]]:
        index = QdrantVectorIndex(bridge.url, api_key=bridge.key, timeout_s=LIMIT_S)
        await index.open_lane("filters", FINGERPRINT)
        await index.delete_where("filters", EVERYTHING)
        samples = [make_point(point_id=point_id, **dict(payload)) for point_id, payload in points.items()]
        await index.upsert("filters", samples)
        found = [{ref.id async for ref in index.ids_of("filters", condition)} for condition in conditions]
        await index.close()
        return found

    for condition, found in zip(conditions, asyncio.run(answer()), strict=True):
        expected = {
            point_id for point_id, payload in points.items() if matches(condition, stored(payload), point_id)
        }
        assert found == expected, condition
