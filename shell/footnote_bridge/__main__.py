"""`python -m footnote_bridge --data DIR --port N`: run the development vector server."""

import argparse
import fcntl
import ipaddress
import os
import secrets
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import IO

import uvicorn
from pydantic import ValidationError

from footnote_bridge.collections import Collections
from footnote_bridge.refused import Refused
from footnote_bridge.server import create_app

_NOTICE = (
    "Footnote development vector server: Qdrant Edge behind a part of Qdrant's REST API. One process, one "
    "key (the file api_key in its folder), loopback only. In production use a Qdrant server."
)
_ONLY_OWNER = 0o077
_KEY_BYTES = 32


def main() -> None:
    """Serve until SIGTERM or SIGINT. Exit status: 0 then, 1 for an unusable folder, 2 on wrong use."""
    parser = argparse.ArgumentParser(prog="python -m footnote_bridge", description=_NOTICE)
    parser.add_argument(
        "--data", type=Path, required=True, help="folder of the collections, made where it is missing"
    )
    parser.add_argument("--port", type=int, required=True, help="port to listen on; 0 takes a free one")
    parser.add_argument("--host", default="127.0.0.1", help="loopback address to listen on")
    parser.add_argument(
        "--with-parent", action="store_true", help="stop when the process that started this one is gone"
    )
    arguments = parser.parse_args()
    if not is_loopback(arguments.host):
        parser.error(f"--host {arguments.host} is refused: this development server listens on loopback only")

    parent = os.getppid()
    os.umask(_ONLY_OWNER)
    # uvicorn raises the signal again once it has stopped; this makes that an exit in order.
    signal.signal(signal.SIGTERM, _exit)
    signal.signal(signal.SIGINT, _exit)
    with locked(arguments.data):
        # Who can connect may read the key at once, so the key must be there before anybody can.
        app = create_app(_load(arguments.data), _key_of(arguments.data))
        listener = _listen(parser, arguments.host, arguments.port)
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        print(f"{_NOTICE}\nlistening on http://{shown}:{port}", flush=True)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            # Nobody stands between us and who asks.
            proxy_headers=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=5,
        )
        server = uvicorn.Server(config)
        if arguments.with_parent:
            threading.Thread(target=_stop_without, args=(parent, server), daemon=True).start()
        server.run(sockets=[listener])


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens on the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def locked(data: Path) -> IO[str]:
    """The folder's lock, held until it is closed or this process dies. Exits if another process holds it."""
    data.mkdir(parents=True, exist_ok=True)
    file = (data / "lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip() or "unknown"
        sys.exit(f"{data} is in use by another vector server (process {holder}); two never share a folder")
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def _key_of(data: Path) -> str:
    """What callers must send in the header `api-key`: made at the first start, readable by our user alone."""
    file = data / "api_key"
    if not file.exists():
        fresh = data / "api_key.new"
        fresh.unlink(missing_ok=True)
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(_KEY_BYTES))
        fresh.replace(file)
    return file.read_text().strip()


def _load(data: Path) -> Collections:
    try:
        return Collections.load(data)
    except (Refused, ValidationError) as error:
        sys.exit(f"The collections in {data} cannot be read: {error}")


def _listen(parser: argparse.ArgumentParser, host: str, port: int) -> socket.socket:
    address = "127.0.0.1" if host == "localhost" else host
    listener = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address, port))
        # Whoever reads that we listen may connect at once, before the server takes the first connection.
        listener.listen()
    except OSError as error:
        parser.error(f"cannot listen on {host}:{port}: {error}")
    return listener


def _stop_without(parent: int, server: uvicorn.Server) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    server.should_exit = True


def _exit(number: int, frame: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    main()
