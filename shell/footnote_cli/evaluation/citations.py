"""`footnote eval citations`: every question to every temper, through the whole system, as figures."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import httpx

from footnote_cli.embedded.trial_run import fill, trial_run
from footnote_cli.evaluation.ask_question import ask_question
from footnote_cli.evaluation.chat_endpoint import MODEL
from footnote_cli.evaluation.floors import ALL_TEMPERS
from footnote_cli.evaluation.grade import grade, shares
from footnote_cli.evaluation.injection_time import InjectionTime, injection_time, read_metrics
from footnote_cli.evaluation.judged_set import JudgedQuestion, JudgedSet, document_bodies
from footnote_cli.evaluation.tempered_model import TemperedModel
from footnote_cli.evaluation.tempers import Temper
from footnote_shared.kernel.errors import OurFault

_ASKERS = 2
# The figures that say something of all tempers together.
_TOGETHER = frozenset(
    {
        "injected_right",
        "injected_wrong",
        "not_injected",
        "left_uncited",
        "lost",
        "arrived",
        "strange",
    }
)


@dataclass(slots=True)
class CitationResult:
    """Counts by temper (`grade` says what is counted), and what injection cost.

    `not_shown` is how many questions had their answering sentence in no passage that the model was shown.
    """

    articles: int
    questions: int
    counts: dict[Temper, Counter[str]] = field(default_factory=dict)
    not_shown: int = 0
    injection: InjectionTime | None = None

    def figures(self) -> dict[str, dict[str, float]]:
        """The shares by temper, and some of them over all tempers."""
        together: Counter[str] = Counter()
        for counts in self.counts.values():
            together.update(counts)
        return {
            **{temper.value: shares(counts) for temper, counts in self.counts.items()},
            ALL_TEMPERS: {name: share for name, share in shares(together).items() if name in _TOGETHER},
        }

    def as_json(self) -> dict[str, Any]:
        """Everything, for `--json`."""
        return {
            "articles": self.articles,
            "questions": self.questions,
            "not_shown": self.not_shown,
            "figures": self.figures(),
            "counts": {temper.value: dict(sorted(counts.items())) for temper, counts in self.counts.items()},
            "injection": None if self.injection is None else asdict(self.injection),
        }


def evaluate(
    given: JudgedSet,
    tempers: Sequence[Temper],
    seed: int,
    folder: Path,
    say: Callable[[str], None] = lambda _: None,
    environment: Mapping[str, str] | None = None,
) -> CitationResult:
    """Start the system in `folder`, fill it with the documents, and ask every question once in each temper.

    `environment` holds settings for the system beside those of this process. Raises OurFault where the
    system does not start, a document fails, or a turn does not end well.
    """
    model = TemperedModel(given, seed)
    result = CitationResult(len(given.documents), len(given.questions))
    with model.serving() as url:
        # The model of this evaluation reads what the pipeline shows it, and calls no tools.
        settings = {
            **(environment or {}),
            "FOOTNOTE_CHAT_BASE_URL": url,
            "FOOTNOTE_CHAT_MODEL": MODEL,
            "FOOTNOTE_CHAT_TOOLS": "false",
            # Each temper answers the same questions.
            "FOOTNOTE_ANSWER_CACHE_S": "0",
        }
        with trial_run(folder / "run", settings) as server:
            say(f"{len(given.documents)} documents are ingested")
            fill(server, document_bodies(given.documents))
            _warm(server)
            before = read_metrics(_metrics(server))
            for temper in tempers:
                model.temper = temper
                say(f"{temper}: {len(given.questions)} questions")
                result.counts[temper] = _ask_all(server, model, given.questions)
            result.injection = injection_time(before, read_metrics(_metrics(server)))
    result.not_shown = len({asked for (_, asked), answer in model.written.items() if answer is None})
    return result


def _ask_all(server: httpx.Client, model: TemperedModel, questions: Sequence[JudgedQuestion]) -> Counter[str]:
    counts: Counter[str] = Counter()
    with ThreadPoolExecutor(_ASKERS) as pool:
        messages = list(pool.map(lambda question: ask_question(server, question.text), questions))
    for question, message in zip(questions, messages, strict=True):
        if (model.temper, question.text) not in model.written:
            raise OurFault(f"The scripted model was not asked: {question.text}")
        answer = model.written[model.temper, question.text]
        if answer is not None:
            counts.update(grade(answer, message))
    return counts


def _warm(server: httpx.Client) -> None:
    """Have the resolver load its model, so that no sentence of the evaluation waits for that."""
    passage = {"claims": ["a b c"], "passages": [{"id": "p", "text": "a b c"}]}
    server.post("/v1/ground", json=passage).raise_for_status()


def _metrics(server: httpx.Client) -> str:
    return server.get("/metrics").raise_for_status().text
