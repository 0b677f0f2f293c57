"""What we put in the place of parts of `unstructured` does what those do."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from footnote_ingest.parsing import partitioners

BULLETS = ("•", "●", "◦", "·", "*", "-", "–", "\u0095", "")
TEXTS = (
    "{0} item",
    "{0}item",
    "  {0} item",
    "{0}{0} item",
    "{0}",
    "a {0} b",
    "a\n{0} b\n{0} c",
    "{0} a {0} b",
)


@pytest.fixture(scope="module")
def cleaners() -> ModuleType:
    """The library's own module, beside the one that took its place."""
    file = Path(str(sys.modules["unstructured"].__file__)).parent / "cleaners" / "core.py"
    spec = spec_from_file_location("cleaners_of_the_library", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_bullets_go_as_the_library_takes_them_away(cleaners: ModuleType) -> None:
    texts = [text.format(bullet) for bullet in BULLETS for text in TEXTS]
    assert "item" in [cleaners.clean_bullets(text) for text in texts]
    for text in texts:
        assert partitioners._without_bullet(text) == cleaners.clean_bullets(text), repr(text)
