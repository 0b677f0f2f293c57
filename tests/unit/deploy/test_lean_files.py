"""What is taken out of an image: tests of libraries. And an image that lost too much is not built."""

import sys
from pathlib import Path

import pytest
from deploy.lean_files import needless, take_out
from deploy.try_lean import broken


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    for name in (
        "numpy/core.py",
        "numpy/tests/test_core.py",
        "numpy/tests/data/tests/one.npy",
        "numpy/lib/tests/test_lib.py",
        "onnx/backend/test/data.pb",
        "onnx/backend/base.py",
        "jinja2/tests.py",
        "tests/by_hand.py",
        "zstandard/_cffi.cpython-311.so",
        "zstandard/backend_c.cpython-311.so",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"12345")
    return tmp_path


def test_tests_of_libraries_go_and_what_is_read_stays(packages: Path) -> None:
    named = {path.relative_to(packages).as_posix() for path in needless(packages)}
    assert named == {"numpy/tests", "numpy/lib/tests", "onnx/backend/test", "zstandard/_cffi.cpython-311.so"}
    assert take_out(packages) == 25
    left = {path.relative_to(packages).as_posix() for path in packages.rglob("*") if path.is_file()}
    assert left == {
        "numpy/core.py",
        "onnx/backend/base.py",
        "jinja2/tests.py",
        "tests/by_hand.py",
        "zstandard/backend_c.cpython-311.so",
    }
    assert take_out(packages) == 0


def test_what_cannot_be_imported_any_more_is_told_but_for_what_others_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "lean_trial"
    (package / "parsing").mkdir(parents=True)
    for name, content in {
        "__init__": "",
        "fine": "import json",
        "cut": "import a_library_that_was_cut",
        "parsing/__init__": "",
        "parsing/pdf": "import a_parser_that_was_cut",
    }.items():
        (package / f"{name}.py").write_text(content)
    monkeypatch.syspath_prepend(tmp_path)
    told = list(broken(["lean_trial"], apart=("lean_trial.parsing",)))
    for name in [name for name in sys.modules if name.startswith("lean_trial")]:
        monkeypatch.delitem(sys.modules, name)
    assert told == ["lean_trial.cut: No module named 'a_library_that_was_cut'"]
