"""`python -m footnote_bridge.rebuild FOLDER`: give a copied shard a graph, and let go of what is dead in it.

The engine holds the interpreter while it builds a graph: in the server's own process every request would wait
for half a minute at 100,000 points. So this is a process of its own, which yields to all others, and works on
a copy that nobody else has open. The layout of the collection comes through standard input.
"""

import ctypes
import os
import signal
import sys
from pathlib import Path

import qdrant_edge as qe

from footnote_bridge.bodies import CreateCollectionBody
from footnote_bridge.convert import to_graph_config

_PR_SET_PDEATHSIG = 1
_LESS_URGENT = 10


def main() -> None:
    """Exit status 0 when the shard in the folder is complete and closed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.nice(_LESS_URGENT)
    body = CreateCollectionBody.model_validate_json(sys.stdin.buffer.read())
    shard = qe.EdgeShard.load(str(Path(sys.argv[1])), to_graph_config(body))
    shard.optimize()
    shard.flush()
    shard.close()


if __name__ == "__main__":
    main()
