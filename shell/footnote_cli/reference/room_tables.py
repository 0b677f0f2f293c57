"""The files of the services, room by room, as links for a page in `docs/`."""

from collections.abc import Iterator
from pathlib import Path

from footnote_cli.reference.markdown import code, table


def room_tables(root: Path) -> dict[str, str]:
    """`rooms`: a row for each package inside a service, below the root of the repository."""
    return {"rooms": table(("room", "files"), _rows(root))}


def _rows(root: Path) -> Iterator[tuple[str, str]]:
    for service in sorted((root / "services").iterdir()):
        package = service / f"footnote_{service.name}"
        for room in sorted(package.glob("**/")):
            files = sorted(file for file in room.glob("*.py") if file.stem != "__init__")
            if files and room != package and "migrations" not in room.parts:
                links = (f"[{file.stem}](../{file.relative_to(root)})" for file in files)
                yield f"{service.name} {code(f'{room.relative_to(package)}/')}", ", ".join(links)
