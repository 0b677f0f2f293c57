"""The runtimes that `auto` stands for: timed once on each kind of processor, and kept beside the export."""

import importlib.metadata
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from footnote_shared.embedding.child_module import ChildFailed, run_module
from footnote_shared.embedding.model_files import ModelFiles
from footnote_shared.embedding.onnx_export import export_folder, locked
from footnote_shared.embedding.processor import processor_mark, usable_cores
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.telemetry.logs import logger

_PACKAGES = ("onnxruntime", "openvino")
_log = logger(__name__)


class Runtimes(NamedTuple):
    """Names of runtimes: what embeds passages, and what embeds queries, which are few and short."""

    passages: str
    queries: str


_ONNX_ALONE = Runtimes("onnx", "onnx")


def chosen_runtimes(files: ModelFiles, cache: Path, threads: int) -> Runtimes | None:
    """The runtimes that were chosen for this model, processor, number of threads and these packages."""
    if importlib.util.find_spec("openvino") is None:
        return _ONNX_ALONE
    try:
        return _read(_record(files, cache, threads).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _read(record: str) -> Runtimes | None:
    """None: it was cut off, or made when passages or queries were embedded otherwise. Raises ValueError."""
    kept = json.loads(record)
    if not isinstance(kept, dict) or not {"runtime", "passages_per_s", "query_runtime"} <= kept.keys():
        return None
    return Runtimes(str(kept["runtime"]), str(kept["query_runtime"]))


def ensure_chosen(
    files: ModelFiles, export: Path, cache: Path, threads: int, say: Callable[[str], None]
) -> Runtimes:
    """The fastest runtimes. If none were chosen yet, they are timed now. `say` is told, as it takes seconds.

    Of two processes at once, one measures and the other waits. If they cannot be timed, onnx is taken this
    time, and the log says why. Raises Misconfigured if the cache cannot be written.
    """
    found = chosen_runtimes(files, cache, threads)
    if found is not None:
        return found
    record = _record(files, cache, threads)
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        with locked(record.with_suffix(".lock")):
            found = chosen_runtimes(files, cache, threads)
            if found is not None:
                return found
            say("choosing the fastest embedding runtime for this processor (once, some seconds)")
            said = run_module(
                "footnote_shared.embedding.runtime_timing",
                str(files.folder),
                str(export),
                str(threads or usable_cores()),
            )
            # A runtime may print lines of its own before ours.
            measured = said.strip().rpartition("\n")[2]
            chosen = _read(measured)
            if chosen is None:
                raise ChildFailed("it named no runtimes", 0)
            partial = record.with_suffix(".partial")
            partial.write_text(measured, encoding="utf-8")
            partial.replace(record)
            return chosen
    except ChildFailed as error:
        _log.warning("embedding.not_timed", reason=error.reason)
        return _ONNX_ALONE
    except OSError as error:
        raise Misconfigured(
            f"The folder {record.parent} for exports of embedding models cannot be written: {error.strerror}."
        ) from error


def _record(files: ModelFiles, cache: Path, threads: int) -> Path:
    versions = "-".join(importlib.metadata.version(package) for package in _PACKAGES)
    home = export_folder(files, cache)
    mark = f"{processor_mark()}-{threads or usable_cores()}-{versions}"
    return home.with_name(f"{home.name}.{mark}.runtime")
