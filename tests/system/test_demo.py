"""`footnote demo` as somebody runs it who has just started Footnote, and what is left once it is gone."""

import json
import subprocess
from pathlib import Path

import pytest

from footnote_cli.sample_corpus import ExpectedSource, corpus_of
from footnote_testing.child_process import run_to_its_end
from tests.system.operator_keys import key_of
from tests.system.stacks import FOOTNOTE, Client, EmbeddedStack

pytestmark = pytest.mark.system

SAMPLES = Path(__file__).parents[2] / "services/agent/footnote_agent/console/samples"
CORPUS = corpus_of(json.loads((SAMPLES / "corpus.json").read_text("utf-8")))


@pytest.fixture(scope="module")
def newcomer(embedded: EmbeddedStack) -> Client:
    """Somebody with a workspace in which there is nothing."""
    return Client(embedded.url, key_of(embedded, "--new-workspace", "newcomer"))


def demo(newcomer: Client, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {"FOOTNOTE_URL": newcomer.url, "FOOTNOTE_API_KEY": newcomer.key}
    return run_to_its_end([*FOOTNOTE, "demo", *options], environment, limit_s=400)


def opened(source: ExpectedSource, out: str) -> str:
    """What is shown of a source that was opened."""
    shown = out.partition(f"opens {source.path}, ")[2].partition("\n\n")[0]
    return " ".join(shown.split())


def test_the_samples_answer_their_questions_and_go_again(newcomer: Client) -> None:
    done = demo(newcomer)
    assert done.returncode == 0, done.stdout + done.stderr
    count = len(CORPUS.files)
    assert f"{count} of {count} documents in" in done.stdout
    assert f"{count - 1} unchanged" in done.stdout
    assert "No chat model is configured" in done.stdout
    before, _, after = done.stdout.partition(f"Now {CORPUS.change.path} changes.")
    for question in CORPUS.questions:
        for source in question.sources:
            shown = opened(source, before)
            assert source.words in shown
            assert shown.startswith(f"page {source.page}" if source.page else "line")
            if source.line is not None:
                assert f"> {source.line} " in shown
    for question, part in ((CORPUS.change.before, before), (CORPUS.change.after, after)):
        assert question.sources[0].words in opened(question.sources[0], part)
    assert "it says: changed." in after
    assert newcomer.http.get("/v1/threads").json()["items"][0]["title"] == CORPUS.title

    gone = demo(newcomer, "--remove")
    assert gone.returncode == 0, gone.stderr
    assert newcomer.http.get("/v1/documents").json()["items"] == []
    assert newcomer.http.get("/v1/threads").json()["items"] == []
    assert newcomer.http.get("/v1/folders").json()["items"] == []
    assert "There are no sample documents here." in demo(newcomer, "--remove").stdout
