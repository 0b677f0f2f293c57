"""Takes what installs packages out of the Python that runs this: pip, setuptools, wheel and ensurepip.

python deploy/lean_python.py

It is for the building of an image. Its base brings them, `python:3.11-slim` below /usr/local and Debian below
/usr, and a library may ask for one by habit, as spaCy does. What runs there installs nothing. Ends with 1,
and says so, where one can still be imported.
"""

import importlib
import importlib.util
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

INSTALLERS = ("pip", "setuptools", "wheel", "ensurepip")
_OF_SETUPTOOLS = ("pkg_resources", "_distutils_hack", "distutils-precedence.pth")
_PROGRAMS = ("pip", "pip3", "pip3.*", "wheel")
_WHEELS_OF_ENSUREPIP = Path("/usr/share/python-wheels")
"""Where Debian keeps what its ensurepip installs."""


def installed(modules: Path) -> Iterator[Path]:
    """Packages that install others, in a folder of modules, and what is noted of them beside them."""
    for name in (*INSTALLERS, *_OF_SETUPTOOLS):
        yield from (path for path in (modules / name, *modules.glob(f"{name}-*")) if path.exists())


def programs(folder: Path) -> Iterator[Path]:
    """The commands that they have put into a folder of programs."""
    return (path for name in _PROGRAMS for path in folder.glob(name))


def take_out(modules: Iterable[Path], commands: Iterable[Path]) -> list[Path]:
    """Remove them from folders of modules and of programs. Returns what was removed."""
    found = [path for folder in modules for path in installed(folder)]
    found += [path for folder in commands for path in programs(folder)]
    for path in found:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    return found


def importable(names: Iterable[str]) -> list[str]:
    """Those of the modules that this Python finds."""
    importlib.invalidate_caches()
    return [name for name in names if importlib.util.find_spec(name) is not None]


def main() -> int:
    # The first entry is the folder of this file.
    modules = dict.fromkeys(Path(entry) for entry in sys.path[1:])
    commands = dict.fromkeys((Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))))
    for path in take_out(modules, commands):
        print(f"{path} is taken out")
    shutil.rmtree(_WHEELS_OF_ENSUREPIP, ignore_errors=True)
    left = importable(INSTALLERS)
    if left:
        print(f"{', '.join(left)} can still be imported")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
