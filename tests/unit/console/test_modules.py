"""The modules of the console that need no browser, tested in their own language where Node.js is there."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from footnote_agent.console import page_files
from footnote_shared.telemetry import metrics

HERE = Path(__file__).parent
_OLDEST = 20


def _node() -> str:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed; these modules are also run in a browser")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.removeprefix("v").partition(".")[0]) < _OLDEST:
        pytest.skip(f"Node.js {version.strip()} is older than {_OLDEST}")
    return node


def test_the_metrics_that_are_drawn_are_there() -> None:
    drawn = set(re.findall(r"footnote_[a-z_]+", (page_files._FOLDER / "metrics.js").read_text("utf-8")))
    assert drawn
    assert metrics.REQUESTS is not None
    declared = {one.name for one in REGISTRY.collect()}
    assert {re.sub("_(total|sum|count)$", "", name) for name in drawn} <= declared


@pytest.mark.parametrize("file", sorted(HERE.glob("*.test.mjs")), ids=lambda file: file.name)
def test_a_module(file: Path) -> None:
    done = subprocess.run([_node(), "--test", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
