"""Where a fake waits for its test: a test shuts it before, sees what waits, and opens it again."""

import asyncio
import threading


class Latch:
    """Open at first. A test shuts and opens it from its own thread; a fake passes it in its event loop."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._open.set()

    def shut(self) -> None:
        self._open.clear()

    def open(self) -> None:
        """Let everything pass, what waits already included."""
        self._open.set()

    async def passed(self) -> None:
        """Wait while the latch is shut."""
        await asyncio.to_thread(self._open.wait)
