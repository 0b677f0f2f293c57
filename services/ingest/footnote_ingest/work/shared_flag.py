"""A flag that a process shares with the processes that are forked from it."""

import mmap


class SharedFlag:
    """Make it before the fork. Setting it is safe in a signal handler."""

    def __init__(self) -> None:
        self._byte = mmap.mmap(-1, 1)

    def set(self) -> None:
        self._byte[0] = 1

    def is_set(self) -> bool:
        return self._byte[0] == 1
