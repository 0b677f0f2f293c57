"""What each process of an embedded run imports at its start: nothing that is slow or large and seldom needed.

Imports are most of a warm start, and what was imported stays in memory for as long as the process lives.
"""

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import footnote_cli
import footnote_ingest
import footnote_retriever
import footnote_shared
from footnote_shared.settings.base import child_environment

HEAVY = {
    "alembic",
    "fastapi",
    "grpc",
    "iso639._data",
    "langchain_text_splitters",
    "matplotlib",
    "nltk",
    "onnx",
    "onnxruntime",
    "openpyxl",
    "openvino",
    "pandas",
    "playwright",
    "pptx",
    "pyarrow",
    "qdrant_client",
    "scipy",
    "sentence_transformers",
    "sklearn",
    "spacy",
    "sqlalchemy",
    "tokenizers",
    "torch",
    "transformers",
    "tree_sitter",
    "unstructured",
    "unstructured.documents.ontology",
}
"""Packages and modules that take a tenth of a second or ten megabytes, of which some process uses each."""

SERVE = """
from footnote_cli.services import SERVICES, load_app
from footnote_shared.settings.base import load_settings
import footnote_cli.commands.serve
for service in SERVICES:
    load_app(service, load_settings())
"""


@pytest.mark.parametrize(
    ("process", "code", "needed"),
    [
        ("the supervisor", "import footnote_cli.commands.up", set()),
        ("the web process", SERVE, {"fastapi", "grpc", "qdrant_client", "sqlalchemy", "tokenizers"}),
        (
            "a worker",
            "import footnote_cli.commands.worker, footnote_ingest.worker",
            {"grpc", "langchain_text_splitters", "qdrant_client", "sqlalchemy", "tokenizers"},
        ),
        ("the clock", "import footnote_cli.commands.worker, footnote_ingest.tasks.clock", set()),
        ("the vector bridge", "import footnote_bridge.__main__", set()),
        (
            "the template of the parsers",
            "import footnote_ingest.sandbox.child",
            {"openpyxl", "pptx", "tree_sitter", "unstructured"},
        ),
    ],
)
def test_a_process_imports_at_its_start_only_what_it_needs(
    process: str, code: str, needed: set[str], tmp_path: Path
) -> None:
    assert imported_by(code, tmp_path) & HEAVY == needed, process


def test_openvino_comes_without_the_tools_that_report_each_import_to_its_maker(tmp_path: Path) -> None:
    imported = imported_by("import footnote_shared.embedding.openvino_runtime", tmp_path)
    assert "openvino" in imported
    assert not {name for name in imported if name.startswith(("openvino.tools", "openvino_telemetry"))}


@pytest.mark.parametrize("package", [footnote_shared, footnote_ingest, footnote_retriever, footnote_cli])
def test_openvino_is_imported_in_one_place(package: ModuleType) -> None:
    home = Path(str(package.__file__)).parent
    plain = re.compile(r"^\s*(import|from) openvino\b", re.MULTILINE)
    found = {path.name for path in home.rglob("*.py") if plain.search(path.read_text(encoding="utf-8"))}
    assert found <= {"openvino_alone.py"}


def imported_by(code: str, data: Path) -> set[str]:
    """The modules that a fresh process has after this code. It looks for no garbage: there is none."""
    ran = subprocess.run(
        [sys.executable, "-c", f"import gc\ngc.disable()\n{code}\nimport sys\nprint('\\n', *sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        env=child_environment({"FOOTNOTE_DATA": str(data)}),
    )
    return set(ran.stdout.splitlines()[-1].split())
