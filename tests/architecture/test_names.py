"""One name means one thing, one role has one name, no file is too long, no two files import each other."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOMES = [ROOT / "shared", *sorted((ROOT / "services").iterdir()), ROOT / "shell"]
MAX_LINES = 400
MIRRORS = ("footnote_client.models.",)
"""Written from the messages of the API, under the very names that these have."""

# The names of roles, as docs/glossary.md has them, with the folders where a module of that name may lie.
ROLES = {
    "dependencies.py": {"api", "footnote_shared/web"},
    "app.py": {"footnote_*"},
    "tables.py": {"store", "footnote_shared/db"},
    "protocol.py": {"*"},
    "resources.py": {"tasks", "work", "funnel", "footnote_shared/web"},
}


@cache
def modules() -> dict[str, Path]:
    """The file of every module of our packages, by its dotted name."""
    found: dict[str, Path] = {}
    for home in HOMES:
        for path in sorted(home.glob("footnote_*/**/*.py")):
            parts = path.relative_to(home).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def classes(path: Path) -> Iterator[ast.ClassDef]:
    return (node for node in tree(path).body if isinstance(node, ast.ClassDef))


def bases(node: ast.ClassDef) -> set[str]:
    return {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}


def is_table(node: ast.ClassDef) -> bool:
    return any(keyword.arg == "table" for keyword in node.keywords)


def short(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_a_public_class_name_is_used_once() -> None:
    names = Counter(
        node.name
        for name, path in modules().items()
        if not name.startswith(MIRRORS)
        for node in classes(path)
        if not node.name.startswith("_")
    )
    twice = {name for name, count in names.items() if count > 1}
    assert not {
        name: [short(path) for path in modules().values() for node in classes(path) if node.name == name]
        for name in twice
    }


TABLES = re.compile(r"(?:[a-z]+_)?tables\.py")


class TestOneRoleHasOneName:
    def test_the_glossary_names_the_roles(self) -> None:
        table = (ROOT / "docs" / "glossary.md").read_text().partition("## One role, one name")[2]
        assert set(re.findall(r"`(?:\w+/)?(\w+\.py)`", table)) == set(ROLES)

    @pytest.mark.parametrize("name", ROLES)
    def test_a_module_with_the_name_of_a_role_has_that_role(self, name: str) -> None:
        astray = [
            short(path)
            for path in modules().values()
            if path.name == name and not any(path.parent.match(folder) for folder in ROLES[name])
        ]
        assert not astray

    def test_the_application_of_a_service_is_made_by_create_app(self) -> None:
        for path in modules().values():
            if path.name == "app.py":
                functions = {node.name for node in tree(path).body if isinstance(node, ast.FunctionDef)}
                assert "create_app" in functions, short(path)

    def test_a_port_is_a_protocol(self) -> None:
        for path in modules().values():
            if path.name == "protocol.py":
                assert any("Protocol" in bases(node) for node in classes(path)), short(path)

    def test_a_table_is_a_row_in_a_file_of_tables(self) -> None:
        rows = {
            (path.name, node.name) for path in modules().values() for node in classes(path) if is_table(node)
        }
        # A store with many tables has a file for each subject.
        assert not [row for row in rows if not TABLES.fullmatch(row[0]) or not row[1].endswith("Row")]

    def test_a_client_of_a_service_is_named_for_it(self) -> None:
        clients = {
            (short(path.parent), path.stem, node.name)
            for path in modules().values()
            for node in classes(path)
            if "ServiceClient" in bases(node)
        }
        for folder, service, name in clients:
            assert folder == "shared/footnote_shared/clients"
            assert name == f"{service.capitalize()}Client"

    def test_what_goes_over_the_wire_is_in_the_contracts_or_beside_the_one_route_that_knows_it(self) -> None:
        homes = {
            short(path.parent)
            for path in modules().values()
            for node in classes(path)
            if bases(node) & {"WireModel", "Request"}
        }
        assert "shared/footnote_shared/contracts" in homes
        assert not [home for home in homes if not home.endswith(("/contracts", "/api"))]


def test_no_file_is_too_long() -> None:
    paths = [*modules().values(), *(ROOT / "tests").glob("**/*.py"), *(ROOT / "deploy").glob("**/*.py")]
    pages = [page for page in (ROOT / "services").glob("**/static/**/*.*") if page.suffix in (".js", ".css")]
    assert pages
    # Pages that are not ours import it: it is one file without dependencies, as its how-to promises.
    paths += [page for page in pages if page.name != "footnote-citations.js"]
    lengths = {short(path): len(path.read_text().splitlines()) for path in paths}
    assert not {name: length for name, length in lengths.items() if length > MAX_LINES}


def test_no_two_files_import_each_other() -> None:
    """Also not by way of others, and not inside functions."""
    imports = {name: set(imported(name, path)) for name, path in modules().items()}
    left = dict(imports)
    while ready := [name for name, needs in left.items() if not needs & left.keys()]:
        for name in ready:
            del left[name]
    assert not left, "these import each other, or something that does"


def imported(name: str, path: Path) -> Iterator[str]:
    """The modules of ours that a module imports, itself excluded."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())
        elif isinstance(node, ast.ImportFrom) and node.module in modules():
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found = inner if inner in modules() else node.module
                if found != name:
                    yield found


SAME_SUBJECT = frozenset(
    {
        "access",
        "automations",
        "avatars",
        "base",
        "citations",
        "connectors",
        "lanes",
        "workspaces",
        "conversations",
        "documents",
        "errors",
        "facts",
        "failures",
        "flags",
        "tool_servers",
        "ingest",
    }
    | {"folder", "keys", "languages", "policy", "search", "threads", "turns"}
)
"""Names of files that many rooms have, because all of them are about the same subject."""


def test_a_file_name_that_many_rooms_have_names_one_subject() -> None:
    counts = Counter(path.stem for path in modules().values() if not path.stem.startswith("__"))
    many = {name for name, count in counts.items() if count > 3}
    assert many <= SAME_SUBJECT | {Path(role).stem for role in ROLES}


STAGES = ("services/ingest/", "shell/footnote_cli/uploads/", "shell/footnote_cli/commands/docs.py")
"""Where names may say "stage": a step of the ingest pipeline, and what people are shown of it."""
METRICS_OF_STAGES = frozenset({"DOCUMENTS_BY_STAGE", "STAGE_SECONDS"})
_WORD_IN_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def test_a_stage_is_one_of_ingest() -> None:
    """A search has steps, verification has checks. Fields of the wire keep the name that clients know."""
    astray = {
        (short(path), name)
        for path in modules().values()
        if not short(path).startswith(
            (*STAGES, "shared/footnote_shared/contracts/", "shell/footnote_client/models/")
        )
        for name in names_made(path)
        if name not in METRICS_OF_STAGES
        and {"stage", "stages"} & {word.lower() for word in _WORD_IN_NAME.findall(name)}
    }
    assert not astray


def names_made(path: Path) -> Iterator[str]:
    """The names of classes, functions, arguments and variables that a module gives."""
    for node in ast.walk(tree(path)):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name
