"""What one document may cost before it is refused."""

from dataclasses import asdict, dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Limits of one parse. Sizes are in bytes, times in seconds.

    `memory` is address space on top of what the parser process holds before it sees the document.
    `unpacked` and `ratio` bound zip containers (docx, pptx, xlsx, odt, epub); `ratio` only counts above 10 MiB.
    """

    size: int = 100 * MIB
    pages: int = 5_000
    wall: float = 120.0
    cpu: int = 110
    memory: int = 1536 * MIB
    written: int = 256 * MIB
    open_files: int = 256
    text: int = 20_000_000
    elements: int = 500_000
    unpacked: int = 500 * MIB
    ratio: int = 200
    entries: int = 10_000
    attachments: int = 200
    ocr_pages: int = 100

    def as_dict(self) -> dict[str, float]:
        return asdict(self)
