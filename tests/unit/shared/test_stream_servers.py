"""On which Redis a turn is: the same for all processes, evenly, and little moves when one is added."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.stream_servers import StreamServers, server_name, server_of
from footnote_shared.settings.base import Settings

TURNS = [new_id() for _ in range(20_000)]
NAMES = st.lists(
    st.builds("{}:{}/0".format, st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.integers(1, 65535)),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(names=NAMES, number=st.integers(0, len(TURNS) - 1), order=st.randoms(use_true_random=False))
def test_the_order_of_the_list_does_not_matter(names: list[str], number: int, order: Random) -> None:
    shuffled = list(names)
    order.shuffle(shuffled)
    assert server_of(TURNS[number], names) == server_of(TURNS[number], shuffled) in names


@given(names=NAMES, number=st.integers(0, len(TURNS) - 1))
def test_a_turn_moves_to_the_server_that_was_added_or_not_at_all(names: list[str], number: int) -> None:
    before, *rest = names
    with_one_more = server_of(TURNS[number], names)
    if rest:
        assert with_one_more in (before, server_of(TURNS[number], rest))


@pytest.mark.parametrize("count", [2, 3, 8])
def test_turns_are_spread_evenly_and_each_new_server_takes_its_share(count: int) -> None:
    names = [f"redis-{number}:6379/0" for number in range(count)]
    found = {turn: server_of(turn, names) for turn in TURNS}
    shares = Counter(found.values())
    even = len(TURNS) / count
    # Four standard deviations of a fair pick.
    assert max(abs(shares[name] - even) for name in names) < 4 * (even * (1 - 1 / count)) ** 0.5
    moved = sum(server_of(turn, [*names, "one-more:6379/0"]) != found[turn] for turn in TURNS)
    assert moved == pytest.approx(len(TURNS) / (count + 1), rel=0.1)


def test_the_pick_is_the_same_in_every_release() -> None:
    names = ["one:6379/0", "two:6379/0", "three:6379/0"]
    found = [server_of(f"turn {number}", names).split(":")[0] for number in range(6)]
    assert found == ["two", "one", "two", "three", "three", "three"]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("redis://:hunter2@one:6380/3", "one:6380/3"),
        ("rediss://user:hunter3@One/", "one:6379/0"),
        ("redis://[::1]:7", "::1:7/0"),
        ("redis://one:1/0?db=4", "one:1/4"),
        ("unix://:hunter2@/run/redis.sock?db=2", "/run/redis.sock/2"),
        ("unix:///run/redis.sock", "/run/redis.sock/0"),
        ("redis://", "localhost:6379/0"),
    ],
)
def test_an_address_is_called_by_its_place_and_never_by_its_password(url: str, name: str) -> None:
    assert server_name(url) == name


@pytest.mark.parametrize(
    "url", ["http://:hunter2@one", "one:6379", "redis://:hunter2@one:port", "redis://[1"]
)
def test_what_is_no_address_of_redis_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(ValueError, match="an address of Redis") as refused:
        server_name(url)
    assert "hunter2" not in str(refused.value)


def test_without_a_list_all_streams_are_in_the_one_redis() -> None:
    assert Settings(redis_url="redis://:p@one:1/0").stream_servers == {"one:1/0": "redis://:p@one:1/0"}


def test_with_a_list_the_one_redis_keeps_no_streams() -> None:
    urls = ["redis://two:1/0", "redis://three:1/0"]
    settings = Settings(redis_url="redis://one:1/0", stream_redis_urls=urls)
    assert settings.stream_servers == {"two:1/0": urls[0], "three:1/0": urls[1]}


def test_a_server_that_is_named_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="named twice"):
        Settings(stream_redis_urls=["redis://:one@one:1/0", "redis://:two@one:1/0"])


def test_readiness_names_each_by_its_place_in_the_list() -> None:
    servers = StreamServers({"one:1/0": 1, "two:1/0": 2})
    assert servers.checks(str) == {"redis-1": "1", "redis-2": "2"}
    assert StreamServers({"one:1/0": 1}).checks(str) == {"redis": "1"}
