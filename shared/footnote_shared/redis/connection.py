"""Redis clients, and their errors as ours."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import hiredis
import redis
import redis.asyncio
from redis.asyncio.connection import AbstractConnection, ConnectionPool
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry

from footnote_shared.kernel.asyncio_tasks import no_cancel_lost
from footnote_shared.kernel.errors import NoAnswer, Unavailable

_CONNECT_S = 2.0
_ANSWER_S = 4.0
"""How long one command may take. It is above the longest of our blocking reads (`LONGEST_BLOCK_MS`)."""

_AT_ONCE_BYTES = 32 * 1024
"""Commands up to this size are not waited for. What the system does not take of one goes out behind it."""

LONGEST_BLOCK_MS = 2_000
"""For how long a read may ask Redis to wait for something new."""


def connect(url: str) -> redis.Redis:
    """A blocking client with text answers. It connects when it is first used."""
    client: redis.Redis = redis.Redis.from_url(
        url,
        decode_responses=True,
        socket_connect_timeout=_CONNECT_S,
        socket_timeout=_ANSWER_S,
        health_check_interval=30,
        # A connection that Redis has closed meanwhile is opened anew, once and at once. The library would
        # wait and repeat: a Redis that is frozen then held its caller for over half a minute.
        retry=Retry(NoBackoff(), 1, (redis.ConnectionError,)),
    )
    return client


def connect_async(url: str, *, connections: int = 100) -> redis.asyncio.Redis:
    """An asynchronous client with text answers, otherwise like `connect`."""
    pool = _PlainPool.from_url(
        url,
        decode_responses=True,
        socket_connect_timeout=_CONNECT_S,
        socket_timeout=_ANSWER_S,
        health_check_interval=30,
        retry=AsyncRetry(NoBackoff(), 1, (redis.ConnectionError,)),
        max_connections=connections,
    )
    pool.connection_class = _CANCELLABLE[pool.connection_class]
    client: redis.asyncio.Redis = redis.asyncio.Redis.from_pool(pool)
    return client


class _PlainPool(ConnectionPool):
    """Gives connections out and takes them back, and nothing else.

    The library times, counts and announces each of these steps, for whom nobody listens here. A turn of an
    agent takes some fifty of them.
    """

    async def get_connection(self, command_name: Any = None, *keys: Any, **options: Any) -> Any:
        connection = self.get_available_connection()  # type: ignore[no-untyped-call]
        try:
            await self.ensure_connection(connection)
        except BaseException:
            await self.release(connection)
            raise
        return connection

    async def release(self, connection: AbstractConnection) -> None:
        self._in_use_connections.remove(connection)
        if connection.should_reconnect():  # type: ignore[no-untyped-call]
            await connection.disconnect()
        self._available_connections.append(connection)


class _Cancellable(AbstractConnection):
    """Hears a cancel that arrives while a command is sent, which the library drops (see `end_tasks`).

    The library makes a task and a timer of each command that it sends. Most need neither, since the system
    takes them at once. It puts a command together in Python, value by value, though it has what does so in C.
    """

    def pack_command(self, *args: Any) -> list[bytes]:
        if " " in str(args[0]):
            return list(super().pack_command(*args))
        try:
            return [hiredis.pack_command(args)]
        except TypeError:
            # A value of another kind. The library knows some, and words what is wrong with the rest.
            return list(super().pack_command(*args))

    async def send_packed_command(
        self, command: bytes | str | Iterable[bytes], check_health: bool = True
    ) -> None:
        try:
            with no_cancel_lost():
                if check_health and self._written_at_once(command):
                    return
                await super().send_packed_command(command, check_health)
        except asyncio.CancelledError:
            # The command may be on its way: its answer must not be taken for the answer to the next one.
            await self.disconnect(nowait=True)
            raise

    def _written_at_once(self, command: bytes | str | Iterable[bytes]) -> bool:
        """Give the system the whole of a command, if it can have it now and the connection needs no look."""
        writer: asyncio.StreamWriter | None = self._writer
        if writer is None or not isinstance(command, bytes | list) or writer.transport.is_closing():
            return False
        if asyncio.get_running_loop().time() > self.next_health_check:
            return False
        whole = command if isinstance(command, bytes) else b"".join(command)
        if len(whole) > _AT_ONCE_BYTES or writer.transport.get_write_buffer_size():
            return False
        writer.write(whole)
        return True


class _CancellableTCP(_Cancellable, redis.asyncio.Connection):
    pass


class _CancellableTLS(_Cancellable, redis.asyncio.SSLConnection):
    pass


class _CancellableSocket(_Cancellable, redis.asyncio.UnixDomainSocketConnection):
    pass


_CANCELLABLE: dict[type[AbstractConnection], type[_Cancellable]] = {
    redis.asyncio.Connection: _CancellableTCP,
    redis.asyncio.SSLConnection: _CancellableTLS,
    redis.asyncio.UnixDomainSocketConnection: _CancellableSocket,
}


@contextmanager
def redis_errors() -> Iterator[None]:
    """Turn every error of the Redis client into `Unavailable("redis")`, or NoAnswer for its silence."""
    try:
        yield
    except redis.TimeoutError as error:
        raise NoAnswer("redis", "Redis does not answer in time.") from error
    except redis.RedisError as error:
        raise Unavailable("redis", "Redis does not answer.") from error


async def ping(client: redis.asyncio.Redis) -> None:
    """Raises Unavailable where this Redis does not answer."""
    with redis_errors():
        await client.ping()
