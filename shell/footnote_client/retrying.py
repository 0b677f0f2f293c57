"""When a call that failed is sent again. No I/O: whoever sends asks, and waits."""

from dataclasses import dataclass
from random import Random

from footnote_client.errors import BusyServer, ClientError, NoServer

_FIRST_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 8.0


@dataclass(frozen=True, slots=True)
class RetryPatience:
    """`tries`: how often a call is sent at most. Who asks for more than `longest_wait_s` is left."""

    tries: int = 5
    longest_wait_s: float = 30.0


def pause_before_next(
    tries: int, error: ClientError, patience: RetryPatience, chance: Random, *, once: bool
) -> float | None:
    """Seconds to wait after the try number `tries` failed; None if it is not to be sent again.

    What the server says of the time is kept (`Retry-After`, RFC 9110, 10.2.3). Where it says nothing the
    pause doubles, and half of it is chance, so that clients do not come back all at once. With `once` a call
    is sent again only if the server has said that it did not take it.
    """
    if tries >= patience.tries:
        return None
    if isinstance(error, BusyServer):
        asked = error.retry_after_s
        if asked is not None:
            return asked if asked <= patience.longest_wait_s else None
    elif not isinstance(error, NoServer) or once:
        return None
    pause = min(_FIRST_PAUSE_S * 2.0 ** (tries - 1), _LONGEST_PAUSE_S)
    return pause * (0.5 + chance.random() / 2)
