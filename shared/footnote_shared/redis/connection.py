"""Redis clients, and the translation of their errors."""

from collections.abc import Iterator
from contextlib import contextmanager

import redis
import redis.asyncio

from footnote_shared.kernel.errors import Unavailable


def connect(url: str) -> redis.Redis:
    """A synchronous client with text answers; connections are made when needed."""
    client: redis.Redis = redis.Redis.from_url(
        url, decode_responses=True, socket_connect_timeout=2.0, socket_timeout=5.0, health_check_interval=30
    )
    return client


def connect_async(url: str, *, connections: int = 100) -> redis.asyncio.Redis:
    """An asynchronous client with text answers. `socket_timeout` is above the longest blocking read that we do."""
    client: redis.asyncio.Redis = redis.asyncio.Redis.from_url(
        url,
        decode_responses=True,
        socket_connect_timeout=2.0,
        socket_timeout=30.0,
        health_check_interval=30,
        max_connections=connections,
    )
    return client


@contextmanager
def redis_errors() -> Iterator[None]:
    """Turn what the Redis client raises into `Unavailable("redis")`."""
    try:
        yield
    except redis.RedisError as error:
        raise Unavailable("redis", "Redis does not answer.") from error
