"""What `footnote ingest` uploads of files and folders, and what it leaves out and why."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Self

from pathspec import GitIgnoreSpec

from footnote_cli.uploads.ignore_rules import Rules, deciding, is_built, rules_above, rules_in
from footnote_cli.uploads.local_files import LocalFile, StoredPath, storable, stored_path


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that is not uploaded, or a folder with all that is in it, and why."""

    path: Path
    stored_path: StoredPath
    reason: str
    is_folder: bool
    size: int = 0


@dataclass(frozen=True, slots=True)
class Patterns:
    """`--include` and `--exclude`, in the syntax of `.gitignore`."""

    include: GitIgnoreSpec | None = None
    exclude: GitIgnoreSpec | None = None

    @classmethod
    def of(cls, include: Sequence[str], exclude: Sequence[str]) -> Self:
        return cls(
            GitIgnoreSpec.from_lines(include) if include else None,
            GitIgnoreSpec.from_lines(exclude) if exclude else None,
        )

    def against(self, relative: str, *, is_folder: bool) -> str | None:
        """Why a path is left out; None if it stays. A folder is never left out for want of `--include`."""
        name = f"{relative}/" if is_folder else relative
        if self.exclude is not None and self.exclude.match_file(name):
            return "left out by --exclude"
        if self.include is not None and not is_folder and not self.include.match_file(name):
            return "not in --include"
        return None


@dataclass(slots=True)
class FoundFiles:
    """Files to upload and paths left out, in order.

    `roots` are the folders of Footnote that the walked folders go to.
    """

    files: list[LocalFile] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)


def find_files(paths: Iterable[Path], folder: str, patterns: Patterns | None = None) -> FoundFiles:
    """Every file at and below the paths that is worth uploading, below `folder` of Footnote.

    A folder that is walked keeps its name and its structure. Left out of it are hidden files, links that lead
    out of it, what ignore files name, packages and build output. A file that is named itself is taken
    whatever it is called, unless a pattern leaves it out.
    """
    found = FoundFiles()
    chosen = patterns or Patterns()
    base = PurePosixPath("/") / storable(folder)
    for path in paths:
        if path.is_dir():
            root = path.resolve()
            filed = str(base / storable(root.name))
            found.roots.append(filed)
            _Walk(root, PurePosixPath(filed), chosen, found).into(root, rules_above(root))
            continue
        reason = chosen.against(path.name, is_folder=False)
        if reason is None:
            found.files.append(LocalFile(path, str(base)))
        else:
            found.left_out.append(LeftOut(path, stored_path(str(base), path.name), reason, is_folder=False))
    return found


@dataclass(frozen=True, slots=True)
class _Walk:
    """A walk through one folder of this machine, which becomes the folder `filed` of Footnote."""

    root: Path
    filed: PurePosixPath
    patterns: Patterns
    found: FoundFiles

    def into(self, folder: Path, outer: Rules) -> None:
        try:
            rules = (*outer, *rules_in(folder))
            with os.scandir(folder) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
            names = [entry.name for entry in ordered]
        except OSError as error:
            self._leave_out(folder, f"cannot be opened: {error.strerror}", is_folder=True)
            return
        for entry in ordered:
            self._take(Path(entry.path), entry, rules, names)

    def _take(self, path: Path, entry: "os.DirEntry[str]", rules: Rules, beside: Sequence[str]) -> None:
        # What cannot be looked at may be a folder, and then no document below it is gone.
        is_folder = True
        try:
            is_folder = entry.is_dir()
            reason = self._reason(path, entry, rules, beside)
        except OSError as error:
            self._leave_out(path, f"cannot be looked at: {error.strerror}", is_folder=is_folder)
            return
        if reason is not None:
            self._leave_out(path, reason, is_folder=is_folder)
        elif is_folder:
            self.into(path, rules)
        else:
            self.found.files.append(LocalFile(path, self._folder_of(path)))

    def _reason(
        self, path: Path, entry: "os.DirEntry[str]", rules: Rules, beside: Sequence[str]
    ) -> str | None:
        """Why the path is left out; None if it stays. Raises OSError."""
        if path.name.startswith("."):
            return "hidden"
        if entry.is_symlink() and (linked := self._link(path)) is not None:
            return linked
        is_folder = entry.is_dir()
        if not is_folder and not entry.is_file():
            return "not a regular file"
        rule_file = deciding(rules, path, is_folder=is_folder)
        if rule_file is not None:
            return f"left out by {rule_file}"
        if is_folder and is_built(path, rules, beside):
            return "packages or build output"
        return self.patterns.against(path.relative_to(self.root).as_posix(), is_folder=is_folder)

    def _link(self, path: Path) -> str | None:
        """Why a link is not followed; None for one to a file of this folder that is not hidden."""
        target = path.resolve()
        if not target.exists():
            return "a link to nothing"
        if not target.is_relative_to(self.root):
            return "a link out of the folder"
        if target.is_dir():
            return "a link to a folder"
        hidden = any(part.startswith(".") for part in target.relative_to(self.root).parts)
        return "a link to a hidden file" if hidden else None

    def _folder_of(self, path: Path) -> str:
        return storable(str(self.filed.joinpath(*path.relative_to(self.root).parts[:-1])))

    def _leave_out(self, path: Path, reason: str, *, is_folder: bool) -> None:
        stored = (
            stored_path(str(self.filed), "")
            if path == self.root
            else stored_path(self._folder_of(path), path.name)
        )
        size = 0 if is_folder else _size(path)
        self.found.left_out.append(LeftOut(path, stored, reason, is_folder, size))


def _size(path: Path) -> int:
    """The bytes of a file or of a link itself; 0 for one that vanished after its folder was listed."""
    try:
        return path.lstat().st_size
    except OSError:
        return 0
