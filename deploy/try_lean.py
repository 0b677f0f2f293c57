"""Whether what is left of an installation still does its work: an image is not built if it does not.

python deploy/try_lean.py [parse]

Imports every module of the services and of the command, but for those that only other images need, embeds a
sentence by the export that was made before, and with `parse` reads files. Ends with 1 and the names of what
is missing.
"""

import importlib
import io
import pkgutil
import sys
from collections.abc import Iterable, Iterator

PACKAGES = ("footnote_shared", "footnote_ingest", "footnote_retriever", "footnote_agent", "footnote_resolver")
COMMAND = "footnote_cli"
NEEDS_TORCH = (
    "footnote_shared.embedding.onnx_trace",
    "footnote_shared.embedding.sentence_model",
)
NEEDS_OPENVINO = (
    "footnote_shared.embedding.openvino_alone",
    "footnote_shared.embedding.openvino_runtime",
    "footnote_shared.embedding.openvino_weights",
    "footnote_shared.embedding.runtime_timing",
)
NEEDS_PARSERS = ("footnote_ingest.parsing", "footnote_ingest.sandbox")
"""What begins with one of these is imported by workers that parse alone."""


def broken(roots: Iterable[str], apart: tuple[str, ...]) -> Iterator[str]:
    """A sentence for each module below the packages that cannot be imported, but for those set apart."""
    for root in roots:
        package = importlib.import_module(root)
        for module in pkgutil.walk_packages(package.__path__, f"{root}.", onerror=lambda _: None):
            if module.name.endswith("__main__"):
                continue
            try:
                importlib.import_module(module.name)
            except ImportError as error:
                if not module.name.startswith(apart):
                    yield f"{module.name}: {error}"


def embeds() -> None:
    """Raises what the embedder raises, and AssertionError if it gives no unit vector."""
    from footnote_shared.embedding.load import load_embedder  # noqa: PLC0415
    from footnote_shared.settings.base import load_settings  # noqa: PLC0415

    (vector,) = load_embedder(load_settings()).embed_documents(["A sentence to try it with."])
    length = float((vector**2).sum()) ** 0.5
    if abs(length - 1) > 1e-3:
        raise AssertionError(f"a vector of length {length}")


def reads() -> None:
    """Raises what a parser raises, and AssertionError if the text of a file is not found."""
    from docx import Document  # noqa: PLC0415

    from footnote_ingest.parsing.parse_limits import ParseLimits  # noqa: PLC0415
    from footnote_ingest.parsing.parsers import parse_bytes  # noqa: PLC0415

    page = b"<html><body><h1>Osaka</h1><p>The plant opens in October.</p></body></html>"
    written = io.BytesIO()
    document = Document()
    document.add_paragraph("The plant opens in October.")
    document.save(written)
    limits = ParseLimits(size=10**6, pages=10, wall=600, cpu=600, memory=2**31)
    for name, content in {"a.html": page, "a.docx": written.getvalue()}.items():
        found = parse_bytes(content, name, "", limits)
        if not any("October" in element.text for element in found.elements):
            raise AssertionError(f"{name} is not read")


def main(words: list[str]) -> int:
    parses = words == ["parse"]
    apart = (*NEEDS_TORCH, *NEEDS_OPENVINO, *(() if parses else NEEDS_PARSERS))
    wrong = list(broken([*PACKAGES, COMMAND], apart))
    for sentence in wrong:
        print(sentence)
    if wrong:
        return 1
    embeds()
    if parses:
        reads()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
