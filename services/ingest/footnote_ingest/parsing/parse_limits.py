"""What one document may cost before it is refused."""

from dataclasses import asdict, dataclass, replace
from typing import Self

from footnote_ingest.parsing.errors import ParseFailed
from footnote_shared.settings.base import Settings

MIB = 1024 * 1024
_LEAST_CPU_S = 30.0
_CPU_S_PER_MIB = 30.0

_WALL_PER_CPU = 10.0
"""By the clock it may take this many times as long: a parser may wait, and a machine may have little time."""


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """The limits of one parse. Sizes are in bytes, times in seconds.

    `cpu` is the processor time, of the parser and of each program that it has run. `wall` is the time by the
    clock, which ends a parser that sleeps or waits for ever.
    `memory` is address space, on top of what the parser's process holds before it sees the document.
    `unpacked` and `ratio` bound zip containers (docx, pptx, xlsx, odt, epub).
    """

    size: int
    pages: int
    wall: float
    cpu: int
    memory: int
    written: int = 256 * MIB
    open_files: int = 256
    text: int = 20_000_000
    elements: int = 500_000
    unpacked: int = 500 * MIB
    ratio: int = 200
    entries: int = 10_000
    attachments: int = 200
    ocr_pages: int = 100

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """The limits that the operator has set; the others are ours."""
        return cls(
            size=settings.max_upload_bytes,
            pages=settings.parse_max_pages,
            wall=_WALL_PER_CPU * settings.parse_timeout_s,
            cpu=max(1, int(settings.parse_timeout_s)),
            memory=settings.parse_memory_mb * MIB,
        )

    def for_size(self, size: int) -> Self:
        """The limits for a file of `size` bytes: a small one gets less time, so others need not wait long."""
        cpu = _LEAST_CPU_S + _CPU_S_PER_MIB * size / MIB
        return replace(self, wall=min(self.wall, _WALL_PER_CPU * cpu), cpu=min(self.cpu, int(cpu)))

    def as_dict(self) -> dict[str, float]:
        """The limits by name, as they are sent to the parser's process."""
        return asdict(self)


def check_size(size: int, limits: ParseLimits) -> None:
    """Raise ParseFailed for a file of more bytes than are allowed."""
    if size > limits.size:
        have, most = f"{size / MIB:,.1f} MiB", f"{limits.size / MIB:,.0f} MiB"
        raise ParseFailed(f"The file has {have}, more than the {most} that are allowed.", "too_large")
