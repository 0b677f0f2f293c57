"""The cache of ONNX exports. A process of its own makes each of them once, as a whole or not at all."""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from footnote_shared.embedding.child_module import ChildFailed, run_module
from footnote_shared.embedding.model_files import ModelFiles
from footnote_shared.kernel.errors import Misconfigured

# This is part of the folder's name. Raise it when exports are made differently, and all are made anew.
_FORMAT = 3


def exported(files: ModelFiles, cache: Path) -> Path | None:
    """The export in the cache, if there is one."""
    model = export_folder(files, cache) / "model.onnx"
    return model if model.is_file() else None


def ensure_export(files: ModelFiles, cache: Path, say: Callable[[str], None]) -> Path:
    """The export of the model. If there is none it is made now, which takes about 10 s and is told to `say`.

    Of two processes at once, one makes it and the other waits. A process that is killed half-way leaves
    nothing that counts. Raises Misconfigured, with the reason, if the model cannot be exported or the cache
    cannot be written.
    """
    found = exported(files, cache)
    if found is not None:
        return found
    if not files.has_weights:
        raise Misconfigured(
            f"The weights of {files.name} are left out of this installation, and {cache} holds no export of "
            "them. Set FOOTNOTE_CACHE to the folder that does, or use the image `footnote`."
        )
    home = export_folder(files, cache)
    partial = home.with_name(f"{home.name}.partial")
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        with locked(home.with_name(f"{home.name}.lock")):
            found = exported(files, cache)
            if found is not None:
                return found
            say(f"preparing the embedding model {files.name} (once, about 10 s)")
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            _trace(files, partial)
            make_durable(partial)
            partial.rename(home)
    except OSError as error:
        raise Misconfigured(
            f"The folder {home.parent} for exports of embedding models cannot be written: {error.strerror}."
        ) from error
    return home / "model.onnx"


def export_folder(files: ModelFiles, cache: Path) -> Path:
    """Where the export of this model is, or will be."""
    return cache / "models" / f"{files.revision()}-{_FORMAT}"


def _trace(files: ModelFiles, target: Path) -> None:
    try:
        run_module("footnote_shared.embedding.onnx_trace", str(files.folder), str(target))
    except ChildFailed as error:
        raise Misconfigured(
            error.reason or f"The ONNX export of {files.name} died ({error.status}). Is there enough memory?"
        ) from error


def make_durable(folder: Path) -> None:
    """Return when the files of the folder are on the disk."""
    for path in (*folder.iterdir(), folder):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock among the processes of this machine. The system frees it when a process dies."""
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
