"""The weights of an export in 16 bits, as OpenVINO reads them from the disk without a copy.

OpenVINO keeps the weights that it read beside those that it computes with. From ONNX these are 90 MB of each
process for the bundled model. A file in OpenVINO's own form is mapped instead: processes share its pages, and
in 16 bits it is half as large. For a runtime that computes in bfloat16 nothing is lost: a 16-bit float keeps
three bits more of each weight.

`python -m footnote_shared.embedding.openvino_weights EXPORT TARGET` writes it in a process of its own.
"""

import shutil
import sys
from pathlib import Path

from footnote_shared.embedding.child_module import ChildFailed, run_module
from footnote_shared.embedding.onnx_export import locked, make_durable
from footnote_shared.embedding.openvino_alone import openvino
from footnote_shared.telemetry.logs import logger

# This is the name of the folder beside the export. Change it when the files are made differently.
_FOLDER = "openvino-16-bit-1"
_FILE = "model.xml"
_log = logger(__name__)


def small_weights(export: Path) -> Path:
    """The file beside the export, made now if it is not there, which takes two seconds.

    Of two processes at once, one makes it and the other waits. Where it cannot be made, the export itself is
    returned and the log says why: it needs more memory and gives the same vectors.
    """
    home = export.with_name(_FOLDER)
    found = home / _FILE
    if found.is_file():
        return found
    try:
        with locked(home.with_suffix(".lock")):
            if not found.is_file():
                _write(export, home)
    except ChildFailed as error:
        _log.warning("embedding.large_weights", reason=error.reason)
        return export
    except OSError as error:
        _log.warning("embedding.large_weights", reason=str(error.strerror))
        return export
    return found


def _write(export: Path, home: Path) -> None:
    partial = home.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    run_module(__name__, str(export), str(partial / _FILE))
    make_durable(partial)
    partial.rename(home)


def main() -> None:
    """Exits with 1, and one line on the error stream, if the export cannot be read."""
    export, target = sys.argv[1:]
    try:
        openvino.save_model(openvino.Core().read_model(export), target, compress_to_fp16=True)
    except RuntimeError as error:
        sys.exit(f"OpenVINO cannot read {export}: {str(error).splitlines()[0]}")


if __name__ == "__main__":
    main()
