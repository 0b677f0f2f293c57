"""Every Redis key, stream and channel of Footnote. Only Redis 6.2's commands are used on them."""

TURNS_STREAM = "footnote:turns"
"""Turns that wait for a resolver: the agent adds one entry per turn, the resolvers read them as one consumer group."""

RESOLVERS_GROUP = "resolvers"


def turn_raw(turn_id: str) -> str:
    """Raw events of a turn, written by the agent."""
    return f"footnote:turn:{turn_id}:raw"


def turn_events(turn_id: str) -> str:
    """Normalised events of a turn, written by the resolver that holds it, read by any number of readers."""
    return f"footnote:turn:{turn_id}:events"


def turn_lease(turn_id: str) -> str:
    """The resolver that holds a turn, with a fencing token."""
    return f"footnote:turn:{turn_id}:lease"


def turn_state(turn_id: str) -> str:
    """Set when the lease of a turn is first taken: a turn that runs in SQL and has no state here was lost with Redis' data."""
    return f"footnote:turn:{turn_id}:state"


def hub_wake(process: str) -> str:
    """Ends the blocking read of one process, so that it reads other streams as well from then on."""
    return f"footnote:hub:{process}"


def turn_cancel(turn_id: str) -> str:
    """Set when somebody wants the turn to stop; the agent that runs it looks at it between two events."""
    return f"footnote:turn:{turn_id}:cancel"


def worker_beat(hostname: str) -> str:
    """Last time a worker finished consuming something: proof that it consumes, not only that it lives."""
    return f"footnote:worker:{hostname}"
