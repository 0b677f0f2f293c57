"""The Redis that Footnote starts: what its own processes may not do there either."""

from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from footnote_shared.kernel.errors import Unavailable
from footnote_shared.redis.connection import connect, redis_errors
from footnote_testing.redis_process import RedisProcess, start_redis


@pytest.mark.parametrize(
    "command",
    [
        "CONFIG SET dir /tmp",
        "SAVE",
        "BGSAVE",
        "BGREWRITEAOF",
        "MODULE LIST",
        "DEBUG SLEEP 0",
        "SLAVEOF NO ONE",
        "REPLICAOF NO ONE",
        "SHUTDOWN",
        "MONITOR",
        "ACL LIST",
    ],
)
def test_commands_that_write_files_or_load_code_are_not_there(
    redis_server: RedisProcess, command: str
) -> None:
    client = connect(redis_server.url)
    run: Callable[..., object] = client.execute_command
    with pytest.raises(redis.ResponseError, match="unknown command"):
        run(*command.split())
    assert client.ping()


def test_without_the_password_nothing_is_answered(redis_server: RedisProcess) -> None:
    with pytest.raises(Unavailable), redis_errors():
        connect(f"redis://127.0.0.1:{redis_server.port}/0").get("footnote:turns")


def test_a_folder_with_odd_characters_serves_and_keeps_its_data(tmp_path: Path) -> None:
    folder = tmp_path / 'a "quoted" \\ café'
    first = start_redis(folder)
    connect(first.url).set("kept", "1")
    first.stop()
    second = start_redis(folder, first.port)
    assert connect(second.url).get("kept") == "1"
    second.stop()
