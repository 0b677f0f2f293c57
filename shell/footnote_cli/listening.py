"""Where a process listens. What only listens need not import a web framework, which takes 45 MB."""

import socket

from footnote_shared.kernel.errors import Misconfigured


def listen(host: str, port: int) -> socket.socket:
    """A socket that is bound to the address; port 0 is any free one. Raises Misconfigured if it is taken."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise Misconfigured(f"Cannot listen on {host}, port {port}: {error.strerror}.") from error
    return made
