"""What installs packages is taken out of the Python of an image, and nothing else."""

import subprocess
import sys
from pathlib import Path

from deploy.lean_python import importable, take_out

from tests.containers.installers import LOOK, read_look

MODULES = {
    "pip/__init__.py",
    "pip-24.0.dist-info/RECORD",
    "setuptools/__init__.py",
    "setuptools-65.5.1.egg-info",
    "pkg_resources/__init__.py",
    "_distutils_hack/__init__.py",
    "distutils-precedence.pth",
    "wheel/__init__.py",
    "wheel-0.45.1.dist-info/RECORD",
    "ensurepip/_bundled/pip-24.0-py3-none-any.whl",
}
PROGRAMS = {"pip", "pip3", "pip3.11", "wheel"}
KEPT_MODULES = {"json/__init__.py", "pipes.py", "pipettes/__init__.py", "wheels.py", "distutils/__init__.py"}
KEPT_PROGRAMS = {"python3.11", "pipesz", "pip3x"}


def test_what_installs_goes_and_what_has_a_name_like_it_stays(tmp_path: Path) -> None:
    for folder, names in (("modules", MODULES | KEPT_MODULES), ("bin", PROGRAMS | KEPT_PROGRAMS)):
        for name in names:
            (tmp_path / folder / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / name).write_text("")
    modules, programs = tmp_path / "modules", tmp_path / "bin"
    gone = tmp_path / "python311.zip"
    assert take_out([modules, gone], [programs]) != []
    left = {path.relative_to(modules).as_posix() for path in modules.rglob("*") if path.is_file()}
    assert left == KEPT_MODULES
    assert {path.name for path in programs.iterdir()} == KEPT_PROGRAMS
    assert take_out([modules, gone], [programs]) == []


def test_what_can_still_be_imported_is_told() -> None:
    assert importable(["json", "no_such_module"]) == ["json"]


def test_each_python_below_a_folder_is_asked_what_it_could_install_with(tmp_path: Path) -> None:
    for name in ("pip", "wheel"):
        (tmp_path / "site" / name).mkdir(parents=True)
        (tmp_path / "site" / name / "__init__.py").write_text("")
    for name, place in (("opt/bin/python3", tmp_path), ("usr/bin/python3.11", tmp_path / "site")):
        program = tmp_path / name
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nPYTHONPATH={place} exec {sys.executable} -S "$@"\n')
        program.chmod(0o755)
    (tmp_path / "usr/bin/python3-config").write_text("this is no Python")
    command = ["sh", "-c", LOOK, "sh", str(tmp_path), "pip", "no_such_module", "wheel"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert read_look(done.stdout) == {
        f"{tmp_path}/opt/bin/python3": [],
        f"{tmp_path}/usr/bin/python3.11": ["pip", "wheel"],
    }
