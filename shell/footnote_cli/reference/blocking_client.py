"""The client without asyncio, written from the one with it: the same calls, with the same tries."""

import re
import subprocess
import sys
from pathlib import Path

SOURCE, TARGET = Path("shell/footnote_client/aio"), Path("shell/footnote_client/blocking")

_WORDS = (
    (r"\basync (def|with|for) ", r"\1 "),
    (r"\bawait ", ""),
    (r"\bfrom asyncio import sleep\b", "from time import sleep"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\bpush_async_callback\b", "callback"),
    (r"\baclose\b", "close"),
    (r"\baread\b", "read"),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"\b__a(enter|exit|iter)__\b", r"__\1__"),
    (r"\bfootnote_client\.aio\b", "footnote_client.blocking"),
)
_STEPS = (
    ("check", "--select", "I,UP028", "--fix-only", "--unsafe-fixes", "--quiet"),
    ("format", "--quiet"),
)
_ABOUT = '"""The client without asyncio, written from `footnote_client.aio` by `make reference`."""\n'


def blocking_client(root: Path) -> dict[Path, str]:
    """The files of the client without asyncio, by their path below the root of the repository."""
    files = {
        TARGET / source.name: _formatted(_without_asyncio(source.read_text("utf-8")))
        for source in sorted((root / SOURCE).glob("*.py"))
        if source.name != "__init__.py"
    }
    return files | {TARGET / "__init__.py": _ABOUT}


def _without_asyncio(code: str) -> str:
    for pattern, word in _WORDS:
        code = re.sub(pattern, word, code)
    return code


def _formatted(code: str) -> str:
    """Imports in order, and lines as the formatter sets them: many became shorter."""
    for command in _STEPS:
        code = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", "shell/footnote_client/x.py", "-"],
            input=code,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    return code
