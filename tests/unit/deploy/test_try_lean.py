"""What an image imports without the packages that the Dockerfile takes out of it."""

import subprocess
import sys
from pathlib import Path

from footnote_shared.settings.base import child_environment

ROOT = Path(__file__).parents[3]
NAMED_OTHERWISE = {"pillow": "PIL"}
WITHOUT = """
import gc
import sys
from importlib.abc import MetaPathFinder

gc.disable()  # what is imported is never garbage

class TakenOut(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {taken_out!r}:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
        return None

sys.meta_path.insert(0, TakenOut())
from deploy.try_lean import COMMAND, NEEDS_OPENVINO, NEEDS_PARSERS, NEEDS_TORCH, PACKAGES, broken
print(*broken([*PACKAGES, COMMAND], (*NEEDS_TORCH, *NEEDS_OPENVINO, *NEEDS_PARSERS)), sep="\\n")
"""


def taken_out() -> set[str]:
    """What the stage `lean` of the Dockerfile uninstalls, as it is imported."""
    stage = (ROOT / "deploy/Dockerfile").read_text().partition("FROM build AS lean\n")[2]
    words = stage.partition("lean_packages.py torch")[2].partition("|")[0].replace("\\", " ").split()
    return {NAMED_OTHERWISE.get(word, word.replace("-", "_")) for word in ["torch", *words]}


def test_every_module_is_imported_but_those_that_are_set_apart() -> None:
    gone = taken_out()
    assert {"torch", "openvino", "unstructured", "PIL", "tree_sitter_rust"} <= gone
    script = WITHOUT.format(taken_out=gone)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=child_environment({}), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""
