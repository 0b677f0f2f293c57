"""Paths of documents as a model writes them, and patterns that match them. Pure.

Nothing here is a regular expression: a pattern takes no longer than its length times that of the path.
"""

import unicodedata
from dataclasses import dataclass

from footnote_shared.contracts.memory import is_memory

_PARTS_AT_MOST = 32
_LONGEST_NAME = 255


class PathRefused(ValueError):
    """A path that leads nowhere in the workspace. The message is for the model."""


@dataclass(frozen=True, slots=True)
class FilePath:
    """A file by its folder, which is absolute, and its name."""

    folder: str
    name: str

    @property
    def whole(self) -> str:
        return f"{self.folder.rstrip('/')}/{self.name}"


def folder_path(written: str) -> str:
    """The absolute path of a folder. Raises PathRefused."""
    return "/" + "/".join(_parts(written))


def file_path(written: str) -> FilePath:
    """The path of a file. Raises PathRefused for what names none."""
    parts = _parts(written)
    if not parts or written.rstrip().endswith("/"):
        raise PathRefused("A file needs a name, such as /notes/plan.md.")
    name = parts[-1]
    # Ingest would store another name, at which there may be a file already.
    if len(name) > _LONGEST_NAME or "\\" in name or any(_is_unseen(char) for char in name):
        raise PathRefused(
            f"The name of a file has at most {_LONGEST_NAME} characters, which can be seen, and no `\\`."
        )
    return FilePath("/" + "/".join(parts[:-1]), parts[-1])


def matches(pattern: str, path: str) -> bool:
    """Whether a path fits a pattern with `*`, `?` and `**`. One without a slash is for the name alone."""
    wanted = [part for part in pattern.casefold().split("/") if part]
    given = [part for part in path.casefold().split("/") if part]
    if "/" not in pattern:
        wanted = ["**", *wanted]
    # reached[n]: whether the parts of the pattern so far fit the first n parts of the path.
    reached = [True, *[False] * len(given)]
    for part in wanted:
        if part == "**":
            reached = _from_the_first(reached)
        else:
            reached = [False, *(reached[n] and _fits(part, given[n]) for n in range(len(given)))]
    return reached[-1]


def _parts(written: str) -> list[str]:
    text = unicodedata.normalize("NFC", written)
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in text):
        raise PathRefused("A path holds no control characters.")
    parts = [part for part in (piece.strip() for piece in text.split("/")) if part not in ("", ".")]
    if ".." in parts:
        raise PathRefused("A path may not contain `..`: there is nothing outside of the workspace.")
    if len(parts) > _PARTS_AT_MOST:
        raise PathRefused(f"A path has at most {_PARTS_AT_MOST} parts.")
    if is_memory("/" + "/".join(parts)):
        raise PathRefused("This is memory, which is kept by update_memory and read by recall.")
    return parts


def _is_unseen(char: str) -> bool:
    return unicodedata.category(char).startswith("C")


def _fits(pattern: str, name: str) -> bool:
    """Whether a name fits, where `*` is any characters and `?` is one."""
    reached = [True, *[False] * len(name)]
    for mark in pattern:
        if mark == "*":
            reached = _from_the_first(reached)
        else:
            reached = [False, *(reached[n] and mark in ("?", name[n]) for n in range(len(name)))]
    return reached[-1]


def _from_the_first(reached: list[bool]) -> list[bool]:
    """All places from the first one that was reached."""
    first = reached.index(True) if True in reached else len(reached)
    return [n >= first for n in range(len(reached))]
