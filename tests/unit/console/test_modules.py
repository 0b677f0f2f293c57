"""The modules of the console that need no browser, tested in their own language where Node.js is there."""

import shutil
import subprocess
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("file", sorted(HERE.glob("*.test.mjs")), ids=lambda file: file.name)
def test_a_module(file: Path) -> None:
    done = subprocess.run([_node(), "--test", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
