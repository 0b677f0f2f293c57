"""The readable text of a page that was fetched, made in a process that may fail, stall or swell alone."""

import asyncio
import os
import sys
from dataclasses import dataclass

from anyio import to_thread
from pydantic import BaseModel, ValidationError

from footnote_agent.tools.page_text import TEXT_CHARS
from footnote_shared.egress.client import Fetched

_MARKUP = ("text/html", "application/xhtml+xml", "")
_PLAIN = ("text/plain", "text/markdown")
_CPU_S, _MEMORY = 8, 2**30
_AT_ONCE = 2


class PageUnreadable(Exception):
    """No text can be had of a page. The message is for a model."""


class PageText(BaseModel):
    """What a page says. `date`: the day that it names as its own, as ISO 8601, or nothing."""

    title: str
    date: str
    text: str


@dataclass(frozen=True, slots=True)
class WebPageReader:
    """Reads at most two pages at once; each gets `within_s` seconds."""

    gate: asyncio.Semaphore
    within_s: float

    @classmethod
    def made(cls, within_s: float = 15.0) -> "WebPageReader":
        return cls(asyncio.Semaphore(_AT_ONCE), within_s)

    async def read(self, page: Fetched) -> PageText:
        """The text of the page. Raises PageUnreadable for one that has none."""
        if page.media_type in _PLAIN:
            return PageText(title="", date="", text=(await _decoded(page))[:TEXT_CHARS])
        if page.media_type not in _MARKUP:
            raise PageUnreadable(
                f"The page is a file of the type {page.media_type[:80]}, which is not read from the web. "
                "The user can upload it."
            )
        async with self.gate:
            told = await self._told((await _decoded(page)).encode("utf-8", "replace"))
        try:
            return PageText.model_validate_json(told)
        except ValidationError as error:
            raise PageUnreadable("There is no readable text on the page.") from error

    async def _told(self, page: bytes) -> bytes:
        """What the program says of the page; nothing if it fails or takes too long."""
        program = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "footnote_agent.tools.page_text",
            str(_CPU_S),
            str(_MEMORY),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            # It gets nothing of our environment, which may hold keys, but the way to the modules.
            env={"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        try:
            async with asyncio.timeout(self.within_s):
                told, _ = await program.communicate(page)
        except TimeoutError:
            return b""
        finally:
            if program.returncode is None:
                program.kill()
                await program.wait()
        return told if program.returncode == 0 else b""


async def _decoded(page: Fetched) -> str:
    """The text of the page's bytes. Megabytes in some charsets take the time of many other requests."""
    text = await to_thread.run_sync(lambda: page.text)
    # Some databases keep no NUL, and no reader misses it.
    return text.replace("\0", "")
