"""Which numbers of a conversation its reader may be shown at this moment (docs/adr/0021)."""

from collections.abc import Sequence

from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.contracts.citations import MOST_NUMBERS
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


async def readable_numbers(
    resolver: ResolverClient, caller: Principal, thread_id: str, numbers: Sequence[int]
) -> set[int]:
    """Those of the numbers whose sources the caller may see now; none where the resolver cannot say."""
    found: set[int] = set()
    try:
        for start in range(0, len(numbers), MOST_NUMBERS):
            entries = await resolver.citations(caller, thread_id, list(numbers[start : start + MOST_NUMBERS]))
            found |= {entry.n for entry in entries if entry.status is None}
    except FootnoteError as error:
        metrics.DEGRADED.labels("resolver").inc()
        _log.warning("sources.hidden", part="resolver", sources=len(numbers), reason=error.detail)
        return set()
    return found
