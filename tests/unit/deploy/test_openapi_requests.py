"""`make openapi-requests`: no request before the last ones ends the key with which it asks."""

import re
import subprocess
from pathlib import Path

from footnote_cli.joint_document import joint_document
from tests.applications import applications

ROOT = Path(__file__).parents[3]


def test_what_may_end_the_key_comes_last() -> None:
    """Behind it each answer would be 401, and the run would pass without having tried anything."""
    words = ["make", "--dry-run", "openapi-requests", "URL=http://127.0.0.1:9", "KEYS=one"]
    said = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    (first,) = re.findall(r"--exclude-path-regex '([^']+)'", said)
    (last,) = re.findall(r"--include-path-regex '([^']+)'", said)
    assert first == last
    assert said.index("--exclude-path-regex") < said.index("--include-path-regex")
    document = joint_document({name: app.openapi() for name, app in applications().items()})
    ends = {path for path in document["paths"] if re.match(r"/v1/(key|avatar|workspace)\w*/\{", path)}
    assert len(ends) > 3
    assert {path for path in document["paths"] if re.search(last, path)} == ends
