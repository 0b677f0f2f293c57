"""Images under the names that are asked for, made from Debian's packages where no registry is reachable."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from tests.containers.engine import BUILD_S, has_image, pull, run

HERE = Path(__file__).parent
DEBIAN = "footnote-verify-debian"
RUNTIME = "footnote-verify-runtime"
PYTHON = "python:3.11-slim"
TARGETS = {
    "postgres": "postgres",
    "redis": "redis",
    "nginx": "nginx",
    "qdrant/qdrant": "qdrant",
    "minio/minio": "objects",
    "minio/mc": "bucket",
    "prom/prometheus": "prometheus",
}
"""The target of `stand_ins.Dockerfile` for each image, by its name without a tag."""
_PACKAGES = "ca-certificates,python3,python3-venv,python3-pip"
_BUNDLE = Path("etc/ssl/certs/ca-certificates.crt")
_DEBIAN_RELEASE = "bookworm"
"""The release whose Python is 3.11, as the Dockerfile asks for."""


class CannotStandIn(Exception):
    """There is neither a registry nor what a stand-in is made of. The message says what is missing."""


def provide_python(torch_index: str) -> bool:
    """Have `python:3.11-slim`. True if it is a stand-in."""
    if has_image(PYTHON):
        return has_image(DEBIAN)
    if pull(PYTHON):
        return False
    if shutil.which("debootstrap") is None or os.geteuid() != 0:
        raise CannotStandIn("no registry answers, and a stand-in needs debootstrap and its rights (root)")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        include = f"--include={_PACKAGES}"
        run(["debootstrap", "--variant=minbase", include, _DEBIAN_RELEASE, str(root)], limit_s=BUILD_S)
        _as_this_machine(root, torch_index)
        archive = f"tar -C {root} -c . | docker import --change 'ENV SSL_CERT_FILE=/{_BUNDLE}' - {DEBIAN}"
        run(["sh", "-c", archive], limit_s=BUILD_S)
    run(["docker", "tag", DEBIAN, PYTHON])
    return True


def _as_this_machine(root: Path, torch_index: str) -> None:
    """The certificates and the sources of packages of this machine; `python` and pip as in the image."""
    if Path("/", _BUNDLE).is_file():
        shutil.copy(Path("/", _BUNDLE), root / _BUNDLE)
    sources = Path("/etc/apt/sources.list.d/debian.sources")
    if sources.is_file():
        shutil.copy(sources, root / "etc/apt/sources.list.d")
        (root / "etc/apt/sources.list").write_text("")
    (root / "usr/bin/python").symlink_to("python3")
    for marker in root.glob("usr/lib/python3*/EXTERNALLY-MANAGED"):
        marker.unlink()
    lines = ["[global]", f"cert = /{_BUNDLE}"]
    address = urlsplit(torch_index)
    if address.scheme == "http":
        lines.append(f"trusted-host = {address.hostname}")
    (root / "etc/pip.conf").write_text("\n".join([*lines, ""]))
    for cache in ("var/cache/apt/archives", "var/lib/apt/lists"):
        subprocess.run(["find", str(root / cache), "-type", "f", "-delete"], check=True)


def provide(image: str) -> bool:
    """Have an image that a service is made from. True if it is a stand-in."""
    target = TARGETS.get(image.partition(":")[0])
    if target is None:
        if pull(image):
            return False
        raise CannotStandIn(f"{image} cannot be fetched, and nothing can stand in for it")
    if has_image(image):
        return has_image(f"footnote-verify-{target}")
    # Where the base is made here, no registry has answered, and asking again costs minutes.
    if not has_image(DEBIAN):
        if pull(image):
            return False
        raise CannotStandIn(f"{image} cannot be fetched, though {PYTHON} could")
    made = f"footnote-verify-{target}"
    command = ["docker", "build", "--file", str(HERE / "stand_ins.Dockerfile"), "--target", target]
    run([*command, "--tag", made, str(HERE)], limit_s=BUILD_S)
    run(["docker", "tag", made, image])
    return True
