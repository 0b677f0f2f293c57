"""Which files of a folder are left out: by `.gitignore`, by `.footnoteignore`, and as build output."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

GITIGNORE = ".gitignore"
OWN_RULES = ".footnoteignore"

_NEVER_DOCUMENTS = frozenset({"node_modules", "bower_components", "__pycache__", "_build", "CVS", "_darcs"})
# A folder of this name is build output where one of these files lies beside it. Elsewhere it may be anything.
_BUILT_BESIDE: Mapping[str, frozenset[str]] = {
    "build": frozenset(
        {
            "pyproject.toml",
            "setup.py",
            "conf.py",
            "CMakeLists.txt",
            "build.gradle",
            "build.gradle.kts",
            "package.json",
            "Makefile",
        }
    ),
    "dist": frozenset({"pyproject.toml", "setup.py", "package.json"}),
    "target": frozenset({"Cargo.toml", "pom.xml"}),
}
# A cache says so by the first file (https://bford.info/cachedir/), a Python environment by the second.
_MARKERS = ("CACHEDIR.TAG", "pyvenv.cfg")


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The rules of one ignore file. They hold for what lies below its folder."""

    folder: Path
    name: str
    spec: GitIgnoreSpec

    def says(self, path: Path, *, is_folder: bool) -> bool | None:
        """Whether the path is left out (True) or expressly kept (False); None if no rule speaks of it."""
        relative = path.relative_to(self.folder).as_posix()
        return self.spec.check_file(f"{relative}/" if is_folder else relative).include


Rules = tuple[RuleFile, ...]
"""From the outermost folder to the innermost; the last rule that speaks of a path decides."""


def rules_in(folder: Path) -> Rules:
    """The rules that lie in the folder itself. Raises OSError for a file that cannot be read."""
    found = []
    for name in (GITIGNORE, OWN_RULES):
        file = folder / name
        if file.is_file():
            lines = file.read_text("utf-8", "replace").splitlines()
            found.append(RuleFile(folder, name, GitIgnoreSpec.from_lines(lines)))
    return tuple(found)


def rules_above(root: Path) -> Rules:
    """The rules of the repository around a folder, from its root down; none if they leave out the folder.

    Who names a folder that its repository ignores wants it all the same.
    """
    repository = next((above for above in root.parents if (above / ".git").exists()), None)
    if repository is None or (root / ".git").exists():
        return ()
    between = [above for above in reversed(root.parents) if above.is_relative_to(repository)]
    rules = tuple(rule for folder in between for rule in rules_in(folder))
    steps = [step for step in (*reversed(root.parents), root) if step.is_relative_to(repository)]
    if any(deciding(rules, step, is_folder=True) for step in steps if step != repository):
        return ()
    return rules


def deciding(rules: Rules, path: Path, *, is_folder: bool) -> str | None:
    """The name of the ignore file that leaves the path out; None if it stays."""
    for rule in _about(rules, path):
        said = rule.says(path, is_folder=is_folder)
        if said is not None:
            return rule.name if said else None
    return None


def is_built(folder: Path, rules: Rules, beside: Iterable[str]) -> bool:
    """Whether a folder holds packages, caches or build output and no rule of ours keeps it.

    `beside` are the names of the files that lie beside the folder.
    """
    own = [rule.says(folder, is_folder=True) for rule in _about(rules, folder) if rule.name == OWN_RULES]
    if next((said for said in own if said is not None), None) is False:
        return False
    if folder.name in _NEVER_DOCUMENTS or any((folder / marker).is_file() for marker in _MARKERS):
        return True
    return not _BUILT_BESIDE.get(folder.name, frozenset()).isdisjoint(beside)


def _about(rules: Rules, path: Path) -> Iterator[RuleFile]:
    """The rules that hold for the path, the innermost first."""
    return (rule for rule in reversed(rules) if path != rule.folder and path.is_relative_to(rule.folder))
