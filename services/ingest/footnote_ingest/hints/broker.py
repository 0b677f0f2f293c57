"""The connection to the broker of hints. It outlasts any outage of Redis and saves nothing through one."""

from typing import Any

import redis
from celery.app.amqp import AMQP
from kombu.connection import Connection
from kombu.transport.redis import Channel, QoS, Transport

_FIRST_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 2.0


class _HintQoS(QoS):
    """Puts nothing back when its channel closes.

    A hint that was taken and not acknowledged is lost to this worker. SQL still says what there is to do, so
    the sweeper sends the hint again.
    """

    restore_at_shutdown = False


class _HintChannel(Channel):
    """Calls a lost connection by its name.

    kombu closes a broken connection while tasks still run. When such a task ends, it is acknowledged on the
    old channel. There kombu raises AttributeError, which ends the worker, instead of an error that it
    expects.
    """

    QoS = _HintQoS

    def _connparams(self, *args: Any, **kwargs: Any) -> Any:
        if self.connection is None or self.connection.client is None:
            raise redis.ConnectionError("The connection of this channel is closed.")
        return super()._connparams(*args, **kwargs)  # type: ignore[no-untyped-call]


class _HintTransport(Transport):
    Channel = _HintChannel


class HintConnection(Connection):
    """Tries again at short intervals for as long as its caller allows."""

    def get_transport_cls(self) -> type[Transport]:
        return _HintTransport

    def ensure_connection(self, *args: Any, **kwargs: Any) -> Any:
        """kombu's pauses grow to half a minute, so a worker would sleep long after Redis is back."""
        pauses = {
            "interval_start": _FIRST_PAUSE_S,
            "interval_step": _FIRST_PAUSE_S,
            "interval_max": _LONGEST_PAUSE_S,
        }
        return super().ensure_connection(*args, **{**pauses, **kwargs})  # type: ignore[no-untyped-call]


class HintQueues(AMQP):  # type: ignore[misc]
    """Makes Celery use our connection."""

    Connection = HintConnection
