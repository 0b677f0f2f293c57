"""Asks a running system with scripted models behind it, and counts what becomes of their citations (spec 8.1)."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from prometheus_client.parser import text_string_to_metric_families

from footnote_cli.embedded.own_run import fill, own_run
from footnote_cli.evaluation.chat_endpoint import MODEL, ChatEndpoint
from footnote_cli.evaluation.floors import ALL
from footnote_cli.evaluation.grade import grade, shares
from footnote_cli.evaluation.question_set import Question, QuestionSet
from footnote_cli.evaluation.tempers import Answer, Temper, shown_in, write
from footnote_shared.kernel.errors import OurFault

_ASKERS = 2
_FIRST_WORD_S = 0.3
"""A model reads before it writes; what is made ready meanwhile is not waited for later."""
_NOTHING_TO_SAY = ("The documents do not say.",)
_SECONDS = "footnote_injection_duration_seconds_bucket"
_SKIPPED = "footnote_degraded_total"


@dataclass(frozen=True, slots=True)
class Injecting:
    """What injection added to a sentence, in milliseconds (interpolated within the buckets), and how often it gave up."""

    sentences: int
    p50_ms: float
    p95_ms: float
    skipped: int


@dataclass(slots=True)
class Result:
    """Counts by temper. `not_shown`: questions whose answering sentence was in no passage that the model was shown."""

    articles: int
    questions: int
    counts: dict[Temper, Counter[str]] = field(default_factory=dict)
    not_shown: int = 0
    injecting: Injecting | None = None

    def figures(self) -> dict[str, dict[str, float]]:
        """The shares by temper, and over all tempers those that injection has a part in."""
        together: Counter[str] = Counter()
        for counts in self.counts.values():
            together.update(counts)
        whole = {
            name: share
            for name, share in shares(together).items()
            if name
            in (
                "injected_right",
                "injected_wrong",
                "not_injected",
                "left_uncited",
                "lost",
                "arrived",
                "strange",
            )
        }
        return {**{temper.value: shares(counts) for temper, counts in self.counts.items()}, ALL: whole}

    def as_json(self) -> dict[str, Any]:
        return {
            "articles": self.articles,
            "questions": self.questions,
            "not_shown": self.not_shown,
            "figures": self.figures(),
            "counts": {temper.value: dict(sorted(counts.items())) for temper, counts in self.counts.items()},
            "injection": None
            if self.injecting is None
            else {
                "sentences": self.injecting.sentences,
                "p50_ms": self.injecting.p50_ms,
                "p95_ms": self.injecting.p95_ms,
                "skipped": self.injecting.skipped,
            },
        }


class ScriptedWriter:
    """Answers prompts of the engine by what they show; remembers what it wrote. One temper at a time."""

    def __init__(self, given: QuestionSet, seed: int) -> None:
        self._given = given
        self._seed = seed
        self._questions = {question.text: question for question in given.questions}
        self.temper = Temper.OBEDIENT
        self.written: dict[tuple[Temper, str], Answer | None] = {}

    def pieces(self, prompt: str) -> Sequence[str]:
        """The answer to a prompt that ends in a question of the set. Raises KeyError for another."""
        evidence, _, asked = prompt.rpartition("\n\nQuestion: ")
        question = self._questions[asked]
        answer = write(self.temper, question, shown_in(evidence, question), self._given, self._seed)
        self.written[self.temper, asked] = answer
        return answer.pieces if answer is not None else _NOTHING_TO_SAY


def evaluate(
    given: QuestionSet,
    tempers: Sequence[Temper],
    seed: int,
    folder: Path,
    say: Callable[[str], None] = lambda _: None,
    environment: Mapping[str, str] | None = None,
) -> Result:
    """Start the system in `folder`, fill it with the documents, ask every question once in each temper.

    `environment`: settings for the system beside those of this process.

    Raises OurFault where the system does not start, a document fails, or a turn does not end well.
    """
    writer = ScriptedWriter(given, seed)
    result = Result(len(given.documents), len(given.questions))
    with (
        _serving(writer) as url,
        own_run(folder / "run", {**(environment or {}), **_model_at(url)}) as server,
    ):
        say(f"{len(given.documents)} documents are ingested")
        fill(server, _bodies(given))
        server.post(
            "/v1/ground", json={"claims": ["a b c"], "passages": [{"id": "p", "text": "a b c"}]}
        ).raise_for_status()
        before = _metrics(server)
        for temper in tempers:
            writer.temper = temper
            say(f"{temper}: {len(given.questions)} questions")
            result.counts[temper] = _ask_all(server, writer, given.questions)
        result.injecting = _injecting(before, _metrics(server))
    result.not_shown = len({asked for (_, asked), answer in writer.written.items() if answer is None})
    return result


def _ask_all(server: httpx.Client, writer: ScriptedWriter, questions: Sequence[Question]) -> Counter[str]:
    counts: Counter[str] = Counter()
    with ThreadPoolExecutor(_ASKERS) as pool:
        messages = list(pool.map(lambda question: _ask(server, question), questions))
    for question, message in zip(questions, messages, strict=True):
        if (writer.temper, question.text) not in writer.written:
            raise OurFault(f"The scripted model was not asked: {question.text}")
        answer = writer.written[writer.temper, question.text]
        if answer is not None:
            counts.update(grade(answer, message))
    return counts


def _ask(server: httpx.Client, question: Question) -> dict[str, Any]:
    try:
        thread = server.post("/v1/threads", json={}).raise_for_status().json()["id"]
        answer = server.post(f"/v1/threads/{thread}/turns", json={"text": question.text, "stream": False})
        turn: dict[str, Any] = answer.raise_for_status().json()
    except httpx.HTTPError as error:
        raise OurFault(f"A turn failed: {error!r}. The question was: {question.text}") from error
    if turn["status"] != "completed":
        raise OurFault(f"A turn ended as {turn['status']}: {turn.get('error')}")
    message: dict[str, Any] = turn["message"]
    return message


@contextmanager
def _serving(writer: ScriptedWriter) -> Iterator[str]:
    endpoint = ChatEndpoint(writer.pieces, _FIRST_WORD_S).start()
    try:
        yield endpoint.url
    finally:
        endpoint.stop()


def _model_at(url: str) -> dict[str, str]:
    return {"FOOTNOTE_CHAT_BASE_URL": url, "FOOTNOTE_CHAT_MODEL": MODEL}


def _bodies(given: QuestionSet) -> list[dict[str, str]]:
    return [
        {"title": name, "text": text, "external_id": name, "mime": "text/plain"}
        for name, text in given.documents.items()
    ]


def _metrics(server: httpx.Client) -> dict[str, float]:
    """Cumulated counts of the injection's histogram by upper bound, and under `skipped` how often it was left out."""
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(server.get("/metrics").raise_for_status().text):
        for sample in family.samples:
            if sample.name == _SECONDS:
                found[sample.labels["le"]] = sample.value
            elif sample.name == _SKIPPED and sample.labels.get("part") == "injection":
                found["skipped"] = sample.value
    return found


def _injecting(before: Mapping[str, float], after: Mapping[str, float]) -> Injecting | None:
    grown = {bound: count - before.get(bound, 0.0) for bound, count in after.items() if bound != "skipped"}
    buckets = sorted((float(bound), count) for bound, count in grown.items())
    if not buckets or not buckets[-1][1]:
        return None
    skipped = int(after.get("skipped", 0.0) - before.get("skipped", 0.0))
    return Injecting(int(buckets[-1][1]), quantile_ms(buckets, 0.5), quantile_ms(buckets, 0.95), skipped)


def quantile_ms(buckets: Sequence[tuple[float, float]], share: float) -> float:
    """A quantile of a Prometheus histogram in seconds, from cumulated counts, linear within the bucket; the last finite bound above it."""
    wanted = share * buckets[-1][1]
    low, below = 0.0, 0.0
    for bound, count in buckets:
        if count >= wanted and bound != float("inf"):
            inside = (wanted - below) / (count - below) if count > below else 1.0
            return round(1000 * (low + inside * (bound - low)), 2)
        if bound != float("inf"):
            low, below = bound, count
    return round(1000 * low, 2)
