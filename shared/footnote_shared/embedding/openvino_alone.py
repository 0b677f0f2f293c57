"""OpenVINO without its tools for the conversion of models. Import `openvino` from here.

Its import brings those tools along, and they report each import to their maker over the network, under an id
that they keep in the user's home. They also take more than half of the time of the import, and 8 MB of memory
of each process. Nothing of ours uses them.
"""

import sys

_TOOLS = "openvino.tools.ovc"

# Where they are not installed, OpenVINO goes on without them. None makes Python say that they are not.
sys.modules.setdefault(_TOOLS, None)  # type: ignore[arg-type]

import openvino  # noqa: E402

if sys.modules[_TOOLS] is None:
    del sys.modules[_TOOLS]

__all__ = ["openvino"]
