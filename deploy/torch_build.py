"""Which build of PyTorch `make install` takes. It runs before anything is installed.

python deploy/torch_build.py [auto|cpu|cuda]

The arguments for pip go to standard output, a sentence for the person who waits to standard error. PyPI's
build for Linux brings CUDA, and with it some gigabytes that are of no use without an NVIDIA GPU. Builds for
the CPU alone lie on PyTorch's own index, which not every network reaches.
"""

import argparse
import platform
import sys
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
_SIGNS_OF_A_GPU = (Path("/proc/driver/nvidia/version"), Path("/dev/nvidia0"), Path("/dev/nvidiactl"))
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Build:
    """What is added to pip's arguments, and what the person is told."""

    arguments: str
    told: str


def choose(asked: str, system: str, *, has_gpu: Callable[[], bool], reaches: Callable[[str], bool]) -> Build:
    """The build for this machine. `system` is the name that `platform.system()` gives.

    `reaches` tells whether an index answers. It is asked only if the answer matters.
    """
    if system != "Linux":
        return Build("", "PyTorch comes from your package index; its build for this system has no CUDA.")
    if asked == "cuda" or (asked == "auto" and has_gpu()):
        why = "As asked" if asked == "cuda" else "This machine has an NVIDIA GPU"
        return Build("", f"{why}: PyTorch comes with CUDA, some gigabytes (TORCH=cpu takes less).")
    if reaches(f"{CPU_INDEX}/torch/"):
        why = "As asked" if asked == "cpu" else "No NVIDIA GPU was found"
        return Build(
            f"--extra-index-url {CPU_INDEX}",
            f"{why}: PyTorch comes as its CPU build, about 200 MB (TORCH=cuda takes the other).",
        )
    return Build(
        "",
        f"{CPU_INDEX} cannot be reached, so PyTorch comes from your package index. "
        "If that is PyPI's, it brings CUDA, some gigabytes.",
    )


def sees_gpu() -> bool:
    """Whether the driver of an NVIDIA GPU is loaded."""
    return any(sign.exists() for sign in _SIGNS_OF_A_GPU)


def reaches(url: str) -> bool:
    """Whether the page is there. A network that swallows packets costs five seconds."""
    request = urllib.request.Request(url, method="HEAD")  # noqa: S310  # the address is ours
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE_S) as answer:  # noqa: S310
            return bool(answer.status == 200)
    except OSError:
        return False


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("build", nargs="?", default="auto", choices=["auto", "cpu", "cuda"])
    build = choose(arguments.parse_args().build, platform.system(), has_gpu=sees_gpu, reaches=reaches)
    sys.stderr.write(f"{build.told}\n")
    sys.stdout.write(f"{build.arguments}\n")


if __name__ == "__main__":
    main()
