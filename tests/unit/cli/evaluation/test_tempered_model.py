"""The chat model that an evaluation serves itself."""

import time

import httpx

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_cli.evaluation.tempered_model import TemperedModel
from footnote_cli.evaluation.tempers import Temper
from footnote_testing.eventually import LIMIT_S
from tests.unit.cli.evaluation.gulls import GIVEN, PROMPT, QUESTION, written


def ask(url: str, prompt: str) -> tuple[str, float]:
    """The body of the answer and the seconds that it took."""
    begun = time.perf_counter()
    request = {"model": "scripted", "messages": [{"role": "user", "content": prompt}], "stream": True}
    answer = httpx.post(
        f"{url}/chat/completions", json=request, trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES
    )
    return answer.text, time.perf_counter() - begun


def test_it_writes_in_its_temper_and_remembers_what() -> None:
    model = TemperedModel(GIVEN, 7)
    with model.serving() as url:
        for temper in (Temper.OBEDIENT, Temper.LAZY):
            model.temper = temper
            text, _ = ask(url, f"{PROMPT}\n\nQuestion: {QUESTION.text}")
            assert text.count('"content"') == len(written(temper).pieces)
            assert text.endswith("data: [DONE]\n\n")
            assert model.written[temper, QUESTION.text] == written(temper)


def test_it_reads_before_it_writes() -> None:
    model = TemperedModel(GIVEN, 7)
    with model.serving() as url:
        _, seconds = ask(url, f"[1] Nothing of that kind.\n\nQuestion: {QUESTION.text}")
    assert seconds >= 0.3
    assert model.written[Temper.OBEDIENT, QUESTION.text] is None
