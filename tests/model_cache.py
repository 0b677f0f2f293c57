"""Where the tests of this machine keep exports of the embedding model: each is made once."""

import tempfile
from pathlib import Path

MODEL_CACHE = Path(tempfile.gettempdir()) / "footnote-tests"
CACHE = {"FOOTNOTE_CACHE": str(MODEL_CACHE)}
"""The setting that names it, for programs that tests start."""
