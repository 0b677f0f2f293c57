"""What each process of an embedded run imports at its start: nothing that is slow or large and seldom needed.

Imports are most of a warm start, and what was imported stays in memory for as long as the process lives.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from footnote_shared.settings.base import child_environment

HEAVY = {
    "alembic",
    "fastapi",
    "grpc",
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
}
"""Packages that take a tenth of a second or ten megabytes, of which some process uses each."""

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
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint('\\n', *sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        env=child_environment({"FOOTNOTE_DATA": str(tmp_path)}),
    )
    imported = set(ran.stdout.splitlines()[-1].split())
    assert imported & HEAVY == needed, process
