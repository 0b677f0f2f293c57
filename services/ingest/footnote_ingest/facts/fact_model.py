"""Asking the chat model of the role `fast`, for Celery's tasks, which are not asynchronous."""

import asyncio
from contextlib import aclosing

from footnote_ingest.facts.reading import LONGEST_REPLY
from footnote_shared.models.protocol import ChatModel, ModelFailed, Prompt


class FactModel:
    """Runs calls on an event loop of its own. Each may take `timeout_s` seconds in all.

    It is made after the fork and belongs to one thread.
    """

    def __init__(self, model: ChatModel, timeout_s: float) -> None:
        self._model = model
        self._timeout_s = timeout_s
        self._runner = asyncio.Runner()

    def ask(self, prompt: Prompt) -> str:
        """The reply of the model. No more of it is read than could be used. Raises ModelFailed."""
        return self._runner.run(self._ask(prompt))

    def close(self) -> None:
        self._runner.close()

    async def _ask(self, prompt: Prompt) -> str:
        said, length = [], 0
        try:
            async with asyncio.timeout(self._timeout_s), aclosing(self._model.stream(prompt)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, str):
                        said.append(piece)
                        length += len(piece)
                    if length > LONGEST_REPLY:
                        break
        except TimeoutError as error:
            detail = "The chat model did not come to an end in time."
            raise ModelFailed(
                "timeout", detail, before_first_token=not said, model=self._model.name
            ) from error
        return "".join(said)
