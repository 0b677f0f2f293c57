"""Runs the pages on other frameworks against the real ones: python -m tests.framework_pages [NAME ...]

Each framework gets an environment of its own, which takes from that of Footnote what it lacks. So none of its
packages has to fit ours. `make frameworks` runs this. A page works when the last line that it prints is the
title of its document.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from footnote_cli.bench.peers.environments import interpreter, pinned
from footnote_shared.settings.base import child_environment
from tests.system.stacks import Client, EmbeddedStack

ROOT = Path(__file__).parent.parent
BLOCKS = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = {
    "LangChain": ("use-with-langchain.md", "langchain-core"),
    "LlamaIndex": ("use-with-llamaindex.md", "llama-index-core"),
    "Haystack": ("use-with-haystack.md", "haystack-ai"),
}
"""The page of each framework, and the one package that it needs: in the release that the benchmarks pin, or
in that of Footnote, which has the one of LangChain itself."""
TITLE = "Canteen"


def main(names: Sequence[str]) -> int:
    """Run the pages of the named frameworks, or of all. Returns how many have failed."""
    failed = 0
    with _running() as user:
        for name in names or PAGES:
            page, package = PAGES[name]
            wanted = [one for one in pinned()[name] if one.partition("==")[0] == package]
            python = interpreter(f"{name}-page", wanted, ROOT / "build" / "frameworks", print)
            said = _run(python, page, user)
            failed += said != TITLE
            print(f"{name}: {'works' if said == TITLE else f'said {said!r} and not {TITLE!r}'}")
    return failed


def _run(python: Path, page: str, user: Client) -> str:
    """The last line that the blocks of a page print, in an interpreter that has the framework."""
    script = "\n".join(BLOCKS.findall((ROOT / "docs/howto" / page).read_text("utf-8")))
    environment = child_environment(
        {
            "FOOTNOTE_URL": user.url,
            "FOOTNOTE_API_KEY": user.key,
            "PYTHONPATH": str(ROOT / "shell"),
            "HAYSTACK_TELEMETRY_ENABLED": "False",
        }
    )
    done = subprocess.run(
        [python, "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    print(done.stderr, end="", file=sys.stderr)
    return (done.stdout.splitlines() or [""])[-1]


@contextmanager
def _running() -> Iterator[Client]:
    with tempfile.TemporaryDirectory(prefix="footnote-") as place:
        stack = EmbeddedStack(Path(place) / "data").start()
        try:
            yield stack.client()
        finally:
            stack.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
