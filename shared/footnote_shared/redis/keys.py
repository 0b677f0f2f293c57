"""Every Redis key and stream of Footnote. We use only commands that Redis 6.2 has."""

TURNS_STREAM = "footnote:turns"
"""Turns that wait for a resolver.

The agent adds an entry per turn; the resolvers read as one consumer group.
"""

RESOLVERS_GROUP = "resolvers"


def turn_raw(turn_id: str) -> str:
    """Raw events of a turn, written by the agent."""
    return f"footnote:turn:{turn_id}:raw"


def turn_events(turn_id: str) -> str:
    """Normalised events of a turn, written by the resolver that holds its lease. Anybody may read them."""
    return f"footnote:turn:{turn_id}:events"


def turn_lease(turn_id: str) -> str:
    """The resolver that holds the lease of a turn, as a fencing token."""
    return f"footnote:turn:{turn_id}:lease"


def turn_state(turn_id: str) -> str:
    """Set when the lease of a turn is first taken.

    A turn that runs by SQL and has no state here was lost by Redis.
    """
    return f"footnote:turn:{turn_id}:state"


def hub_wake(process: str) -> str:
    """Ends the blocking read of one process, so that its next read includes new streams."""
    return f"footnote:hub:{process}"


def turn_cancel(turn_id: str) -> str:
    """Set when somebody wants the turn to stop. The agent that runs it looks for this."""
    return f"footnote:turn:{turn_id}:cancel"


def kept_of_turn(turn_id: str) -> list[str]:
    """All that Redis keeps of a turn, without the wish that it stops."""
    return [turn_raw(turn_id), turn_events(turn_id), turn_lease(turn_id), turn_state(turn_id)]


def rate(kind: str, name: str) -> str:
    """When the next event of a key, workspace or address is due at an even rate, in µs since 1970."""
    return f"footnote:rate:{kind}:{name}"


def search_result(workspace_id: str, digest: str) -> str:
    """A result of the retriever. The digest is over all that the result depends on."""
    return f"footnote:search:{workspace_id}:{digest}"


def model_answer(workspace_id: str, digest: str) -> str:
    """An answer of a chat model. The digest is over all that the answer depends on."""
    return f"footnote:answer:{workspace_id}:{digest}"


def answers_of(workspace_id: str) -> list[str]:
    """The patterns of all kept results and answers of a workspace.

    Its id has no sign to which a pattern gives a meaning.
    """
    return [search_result(workspace_id, "*"), model_answer(workspace_id, "*")]


def worker_beat(hostname: str) -> str:
    """When a worker last finished a task. This proves that it consumes, and not only that it lives."""
    return f"footnote:worker:{hostname}"
