"""One look of a comparison: some rows, points or blobs, and what was found among them and repaired."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    """`found` counts by the fields of `Reconciliation`. The next look begins behind `after`.

    Where there is no order to begin behind, as with blobs, `after` is empty: then a comparison that was
    interrupted begins anew, and does not find again what went.
    """

    looked_at: int
    found: Mapping[str, int]
    after: str = ""
