"""Keys as the operator of a stack makes them on the command line."""

import re
import subprocess

from footnote_shared.settings.base import child_environment
from tests.system.stacks import FOOTNOTE, EmbeddedStack


def make_key(stack: EmbeddedStack, *options: str) -> subprocess.CompletedProcess[str]:
    environment = child_environment({"FOOTNOTE_DATA": str(stack.data)})
    command = [*FOOTNOTE, "keys", "make", "a key", *options]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def key_of(stack: EmbeddedStack, *options: str) -> str:
    """A key as the operator makes one."""
    made = make_key(stack, *options)
    assert made.returncode == 0, made.stderr
    (key,) = re.findall(r"fn_\S+", made.stdout)
    return str(key)
