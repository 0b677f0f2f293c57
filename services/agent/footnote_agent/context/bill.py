"""What the models of a turn have used, by whichever of its agents, however their calls have ended."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeVar

from footnote_shared.contracts.events import Usage
from footnote_shared.models.protocol import ModelFailed, ModelSwitched, Reason
from footnote_shared.telemetry import metrics

Piece = TypeVar("Piece")

_UNPAID: frozenset[Reason] = frozenset({"unreachable", "rate_limited", "server_error", "refused", "no_tools"})
"""Failures before the first word behind which no model has worked. Behind any other nobody knows."""

_UNKNOWN = Usage(partial=True)


class Bill:
    """One for each run of a turn. Engines have each call of a model `counted`."""

    def __init__(self) -> None:
        self._told = Usage()
        self._open = 0

    @property
    def used(self) -> Usage:
        """What was told. It is partial where a call goes on, or has ended without telling its tokens."""
        return self._told.plus(_UNKNOWN) if self._open else self._told

    def add(self, used: Usage) -> None:
        """Count what was used before or elsewhere."""
        self._told = self._told.plus(used)

    async def counted(self, pieces: AsyncGenerator[Piece, None]) -> AsyncGenerator[Piece, None]:
        """The pieces of one call. Raises what they raise."""
        told = False
        self._open += 1
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    match piece:
                        case Usage():
                            told = True
                            self.add(piece)
                            metrics.MODEL_TOKENS.labels("input").inc(piece.input_tokens)
                            metrics.MODEL_TOKENS.labels("output").inc(piece.output_tokens)
                        case ModelSwitched():
                            if not told and piece.reason not in _UNPAID:
                                self.add(_UNKNOWN)
                            told = False
                    yield piece
        except ModelFailed as failure:
            told = told or (failure.before_first_token and failure.reason in _UNPAID)
            raise
        finally:
            self._open -= 1
            if not told:
                self.add(_UNKNOWN)
