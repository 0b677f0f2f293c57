"""The problems with which a relay itself ends a turn, as readers get them."""

from typing import Any

from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.kernel.problem_document import problem_of


def _problem(code: str, detail: str) -> dict[str, Any]:
    error = FootnoteError(detail)
    error.code = code
    return problem_of(error)


AGENT_GONE = _problem("agent_gone", "The answer stopped: the part that writes it gave no sign of life.")
STREAM_LOST = _problem("stream_lost", "The answer was lost on its way. Ask again.")
MALFORMED_EVENT = _problem("malformed_event", "The answer could not be read on its way.")
BROKEN = _problem("internal", "Something went wrong on our side while the answer was on its way.")
