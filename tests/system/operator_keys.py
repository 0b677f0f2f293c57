"""Keys as the operator of a stack makes them on the command line."""

import re
import subprocess

from footnote_testing.child_process import run_to_its_end
from tests.system.stacks import FOOTNOTE, EmbeddedStack


def make_key(stack: EmbeddedStack, *options: str) -> subprocess.CompletedProcess[str]:
    command = [*FOOTNOTE, "keys", "make", "a key", *options]
    return run_to_its_end(command, {"FOOTNOTE_DATA": str(stack.data)})


def key_of(stack: EmbeddedStack, *options: str) -> str:
    """A key as the operator makes one."""
    made = make_key(stack, *options)
    assert made.returncode == 0, made.stderr
    (key,) = re.findall(r"fn_\S+", made.stdout)
    return str(key)
