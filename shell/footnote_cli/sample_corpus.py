"""The sample documents as the server has them: their files, the questions on them, and what must answer."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from footnote_cli.api_client import Api
from footnote_shared.kernel.errors import InvalidRequest

_AT = "/console/samples"


@dataclass(frozen=True, slots=True)
class ExpectedSource:
    """A passage that has to be cited: words of it, in a file, on a line of the file or on a page."""

    path: str
    words: str
    line: int | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question, what it shows, and the passages that its answer has to cite."""

    text: str
    about: str
    sources: tuple[ExpectedSource, ...]


@dataclass(frozen=True, slots=True)
class SampleChange:
    """A file that there is in two versions. The same question is asked of both.

    `earlier` is where the samples keep the version before, `path` where both belong in the folder.
    """

    path: str
    earlier: str
    before: SampleQuestion
    after: SampleQuestion


@dataclass(frozen=True, slots=True)
class SampleCorpus:
    """Everything that the demonstration needs to know of the samples.

    `folder` is where the files go in Footnote; the paths of `files` are below it.
    """

    title: str
    about: str
    folder: str
    files: tuple[str, ...]
    questions: tuple[SampleQuestion, ...]
    change: SampleChange


def fetch_corpus(api: Api) -> SampleCorpus:
    """What the server says of its samples; raises NotFound for a server that has none."""
    return corpus_of(api.get(f"{_AT}/corpus.json"))


def fetch_files(api: Api, corpus: SampleCorpus, into: Path) -> None:
    """Write the files below `into`, the file that changes in its earlier version."""
    for path in corpus.files:
        kept_at = corpus.change.earlier if path == corpus.change.path else f"files/{path}"
        _fetch(api, kept_at, into / path)


def fetch_change(api: Api, corpus: SampleCorpus, into: Path) -> None:
    """Write the file that changes again, as it is now."""
    _fetch(api, f"files/{corpus.change.path}", into / corpus.change.path)


def corpus_of(given: dict[str, Any]) -> SampleCorpus:
    """The corpus that `corpus.json` describes; raises InvalidRequest for paths that lead elsewhere."""
    change = given["change"]
    for path in (given["folder"].removeprefix("/"), *given["files"], change["path"]):
        if not _is_plain(path):
            raise InvalidRequest(f"The server names a sample file that cannot be one: {path!r}.")
    before = ExpectedSource(change["path"], change["earlier_words"], change["line"])
    after = ExpectedSource(change["path"], change["words"], change["line"])
    return SampleCorpus(
        given["title"],
        given["about"],
        given["folder"],
        tuple(given["files"]),
        tuple(
            SampleQuestion(
                one["text"], one["about"], tuple(ExpectedSource(**source) for source in one["sources"])
            )
            for one in given["questions"]
        ),
        SampleChange(
            change["path"],
            change["earlier"],
            SampleQuestion(change["text"], change["about"], (before,)),
            SampleQuestion(change["text"], change["about"], (after,)),
        ),
    )


def sample_path(corpus: SampleCorpus, document: dict[str, Any]) -> str | None:
    """Which of the sample files a document of the API is; None for any other document."""
    path = PurePosixPath(document["folder"]) / document["filename"]
    if not path.is_relative_to(corpus.folder):
        return None
    below = path.relative_to(corpus.folder).as_posix()
    return below if below in corpus.files else None


def _fetch(api: Api, path: str, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(api.request("GET", f"{_AT}/{path}").content)


def _is_plain(path: str) -> bool:
    """Whether a path stays in the folder to which it is added: the server gives it, and we write there."""
    parts = path.split("/")
    return "\\" not in path and all(part not in ("", ".", "..") for part in parts)
