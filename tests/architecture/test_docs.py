"""What the documentation points at is there: sections, decisions, files, headings."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from footnote_cli.reference.markdown import anchor

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "docs/spec"
DECISIONS = ROOT / "docs/adr"
CODE = ("services", "shared", "shell", "tests")

_FENCE = re.compile(r"^(```+|~~~+).*?^\1\s*$", re.DOTALL | re.MULTILINE)
_CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)
_NUMBER = r"\d+(?:\.\d+)*"
_SPEC = re.compile(rf"\bspec\s+({_NUMBER}(?:(?:, | and | to ){_NUMBER})*)", re.IGNORECASE)
_DECISION = re.compile(r"(?:\bADR\s+|docs/adr/|\badr/)(\d{4})")
_PATH = re.compile(
    r"(?:docs|services|shared|shell|tests)/[\w./-]+|\w[\w./-]*/[\w.-]+\.(?:py|md|json|jsonl|toml)"
)
_STATUS = re.compile(
    r"^Date: \d{4}-\d\d-\d\d\. Status: (accepted|superseded by \[\d{4}\]\(\S+\))\.$", re.MULTILINE
)
_SECTION = re.compile(rf"^#+ ({_NUMBER}) [^\n]*\n(.*?)(?=^#|\Z)", re.DOTALL | re.MULTILINE)
_STATE = re.compile(r"> \*\*State: (built|partly built|planned)\b")


def _pages() -> list[Path]:
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def _sources() -> Iterator[Path]:
    yield from _pages()
    yield from (ROOT / name for name in ("pyproject.toml", "Makefile"))
    for top in CODE:
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".py", ".md", ".json", ".jsonl", ".toml") and path.is_file():
                yield path


def _prose(page: Path) -> str:
    return _FENCE.sub("", page.read_text("utf-8"))


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


pages = pytest.mark.parametrize("page", _pages(), ids=_name)


def test_every_section_that_is_named_has_a_heading() -> None:
    headings = "\n".join(page.read_text("utf-8") for page in SPEC.glob("[0-9]*.md"))
    sections = set(re.findall(rf"^#+ ({_NUMBER}) ", headings, re.MULTILINE))
    missing = {
        (_name(path), section)
        for path in _sources()
        for named in _SPEC.findall(path.read_text("utf-8"))
        for section in re.findall(_NUMBER, named)
        if section not in sections
    }
    assert not missing


def test_every_section_says_whether_it_is_built() -> None:
    """What is partly built names what is planned, and what is built names nothing."""
    wrong = []
    for chapter in sorted(SPEC.glob("[0-9]*.md")):
        for section, text in _SECTION.findall(chapter.read_text("utf-8")):
            state = _STATE.search(text)
            if state is None and "." not in section:
                continue
            if state is None or (state[1] == "built") == bool(re.search(r"\bplanned\b", text, re.IGNORECASE)):
                wrong.append(section)
    assert not wrong


def test_the_contents_of_the_specification_tell_the_state_of_each_chapter() -> None:
    told = dict(
        re.findall(
            r"^\| \[[^\]]+\]\((\S+)\) \|.*\| (.+) \|$", (SPEC / "README.md").read_text("utf-8"), re.MULTILINE
        )
    )
    for chapter in SPEC.glob("[0-9]*.md"):
        states = set(_STATE.findall(chapter.read_text("utf-8")))
        assert told[chapter.name] == (states.pop() if len(states) == 1 else "partly built"), chapter.name


def test_every_decision_that_is_named_is_there() -> None:
    known = {page.name[:4] for page in DECISIONS.glob("[0-9]*.md")}
    missing = {
        (_name(path), number)
        for path in _sources()
        for number in _DECISION.findall(path.read_text("utf-8"))
        if number not in known
    }
    assert not missing


def test_every_decision_has_a_date_and_a_status_and_a_line_in_the_index() -> None:
    index = (DECISIONS / "README.md").read_text("utf-8")
    rows = {
        row[1]: row
        for row in re.findall(r"^\| \[(\d{4})\]\((\S+)\) \| (.+) \| (\S+) \| (.+) \|$", index, re.MULTILINE)
    }
    for page in DECISIONS.glob("[0-9]*.md"):
        text = page.read_text("utf-8")
        status = _STATUS.search(text)
        assert status, f"{page.name} lacks the line of date and status"
        number, name, title, date, state = rows[page.name]
        assert text.startswith(f"# {number} {title}\n"), f"the index calls {name} otherwise"
        assert status[0] == f"Date: {date}. Status: {state}."
    assert list(rows) == sorted(page.name for page in DECISIONS.glob("[0-9]*.md"))


@pages
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for link in _LINK.findall(_CODE_SPAN.sub("", _prose(page))):
        if re.match(r"\w+:", link):
            continue
        target, _, fragment = link.partition("#")
        file = (page.parent / target).resolve() if target else page
        if not file.exists() or (fragment and file.suffix == ".md" and fragment not in _anchors(file)):
            broken.append(link)
    assert not broken


@pages
def test_every_path_that_is_named_exists(page: Path) -> None:
    """Also where a page leaves out the folders above, as in `work/lease.py`."""
    text = _LINK.sub("", _prose(page))
    named = {path for span in _CODE_SPAN.finditer(text) if (path := _PATH.fullmatch(span.group().strip("`")))}
    assert not {path[0] for path in named if path[0].rstrip("/") not in _names_of_files()}


@cache
def _names_of_files() -> frozenset[str]:
    """Each file and folder by its path, and by every end of its path."""
    found = set()
    for top in ("docs", *CODE):
        for path in (ROOT / top).rglob("*"):
            parts = path.relative_to(ROOT).parts
            found |= {"/".join(parts[at:]) for at in range(len(parts))}
    return frozenset(found)


def test_each_step_in_the_architecture_names_a_file() -> None:
    """In the two tables that follow one document and one turn."""
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d+[a-z]?) \| (.+?) \| .+ \| .+ \|$", text, re.MULTILINE)
    assert len(rows) > 20
    for step, file in rows:
        paths = [(ROOT / "docs" / target).resolve() for target in _LINK.findall(file)]
        assert paths, f"step {step} names no file"
        assert all(path.is_file() for path in paths), f"step {step} names a file that is not there"


def test_every_file_of_a_service_is_on_a_path_or_beside_it() -> None:
    """In the tables that people write: a file that no reader is led to has no place in the story."""
    text = (ROOT / "docs/architecture.md").read_text("utf-8").split("## Every file by its room")[0]
    named = {(ROOT / "docs" / target).resolve() for target in _LINK.findall(text)}
    missing = [
        _name(path)
        for top in ("services", "shared")
        for path in sorted((ROOT / top).rglob("*.py"))
        if path.name != "__init__.py"
        and "migrations" not in path.parts
        and path not in named
        and path.parent not in named
    ]
    assert not missing


def _anchors(page: Path) -> set[str]:
    found: set[str] = set()
    for heading in _HEADING.findall(_prose(page)):
        plain = anchor(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading))
        count = sum(name == plain or name.startswith(f"{plain}-") for name in found)
        found.add(plain if plain not in found else f"{plain}-{count}")
    return found


def test_every_group_of_figures_stands_below_a_command_that_is_there() -> None:
    text = (ROOT / "docs/benchmarks.md").read_text("utf-8")
    for part in text.split("\n## ")[1:]:
        name = part.partition("\n")[0]
        assert re.search(r"`footnote (?:bench|eval|ingest)\b|`\.venv/bin/python -m tests\.", part), name
    for module in re.findall(r"-m (tests\.[\w.]+)", text):
        assert (ROOT / module.replace(".", "/")).with_suffix(".py").is_file(), module
