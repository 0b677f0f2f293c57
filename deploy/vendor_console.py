"""Fetch the libraries of the console from npm and write them, with licences and checksums, beside its files.

`make vendor` runs it. Versions are chosen here and nowhere else. A file is taken as the package has it, byte
for byte, so that anybody can compare it.
"""

import base64
import hashlib
import json
import subprocess
import tarfile
import tempfile
from pathlib import Path

VENDOR = Path(__file__).parents[1] / "services/agent/footnote_agent/console/static/vendor"
RECORD = "vendored.json"
# Package, version, licence, and which of its files becomes which of ours. Where a package has no module that
# is as small, it is the file that puts its name at the global object.
LIBRARIES: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    (
        "preact",
        "11.2.0",
        "MIT",
        {"dist/preact.mjs": "preact.mjs", "hooks/dist/hooks.mjs": "preact-hooks.mjs"},
    ),
    ("htm", "3.1.1", "Apache-2.0", {"dist/htm.module.js": "htm.mjs"}),
    ("markdown-it", "15.0.3", "MIT", {"dist/browser/markdown-it.umd.min.js": "markdown-it.js"}),
    ("dompurify", "3.4.18", "Apache-2.0 OR MPL-2.0", {"dist/purify.min.js": "dompurify.js"}),
)


def main() -> None:
    """Write the files and the record of what they are."""
    VENDOR.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        record = [_vendor(Path(folder), *library) for library in LIBRARIES]
    (VENDOR / RECORD).write_text(json.dumps(record, indent=1) + "\n", "utf-8")


def _vendor(folder: Path, name: str, version: str, licence: str, files: dict[str, str]) -> dict[str, object]:
    packed = subprocess.run(
        ["npm", "pack", f"{name}@{version}", "--silent"],  # noqa: S607
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    archive = folder / packed.stdout.split()[-1]
    sums: dict[str, str] = {}
    with tarfile.open(archive) as members:
        for inside, ours in {**files, "LICENSE": f"{name}.LICENSE.txt"}.items():
            member = members.extractfile(f"package/{inside}")
            assert member is not None, f"{name} has no file {inside}"
            content = member.read()
            (VENDOR / ours).write_bytes(content)
            sums[ours] = hashlib.sha256(content).hexdigest()
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    return {
        "name": name,
        "version": version,
        "licence": licence,
        "package": f"https://registry.npmjs.org/{name}/-/{archive.name}",
        "integrity": f"sha512-{digest}",
        "sha256": sums,
    }


if __name__ == "__main__":
    main()
