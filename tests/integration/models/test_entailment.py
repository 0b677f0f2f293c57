"""The second stage, with real cross-encoders made on the spot: their weights favour one label."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.unit.resolver.tiny_cross_encoder import THREE, make_model

from footnote_resolver.sentences.vectors import SentenceVectors
from footnote_resolver.verification.entailment import EntailmentCheck, combined, excerpt
from footnote_resolver.verification.judge import Claim, Holding, Premise
from footnote_resolver.verification.verify import NamedPassage, Verifier
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.models.cross_encoder import Entailment, PairClassifier, load_nli
from footnote_shared.telemetry import metrics
from footnote_testing.fake_embedder import FakeEmbedder

LAUNCH = "We agreed to push the launch to March 10. Marketing will be notified next week."
WEAK = "We agreed never to push the launch to March 10 [citation:1]."
CLEAR = "We agreed to push the launch to March 10 [citation:1]."
WRONG = "We agreed to push the launch to March 12 [citation:1]."
FABRICATED = 'We agreed: "the launch is pushed to the tenth of this month" [citation:1].'


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("nli")
    return {label: make_model(folder / label, THREE, label) for label in THREE}


def verifier(stage: EntailmentCheck) -> Verifier:
    return Verifier(SentenceVectors(FakeEmbedder), 60.0, stage)


def stage_of(name: str, timeout_s: float = 60.0) -> EntailmentCheck:
    return EntailmentCheck(lambda: load_nli(name, "cpu"), timeout_s)


async def verdicts(stage: EntailmentCheck, *texts: str) -> list[str]:
    found = await verifier(stage).check(" ".join(texts), {1: LAUNCH})
    assert found is not None
    assert found.degraded == ()
    await stage.close()
    return [one.verdict for one in found.sentences]


def test_labels_are_read_from_the_models_own_configuration(models: dict[str, str], tmp_path: Path) -> None:
    answer = load_nli(models["entailment"], "cpu").classify([("tea", "milk"), ("tea tea cold", "milk")])
    assert [(a.entailed > 0.9, a.contradicted < 0.1) for a in answer] == [(True, True)] * 2
    other_order = make_model(tmp_path / "other", ["ENTAILMENT", "NEUTRAL", "CONTRADICTION"], "CONTRADICTION")
    assert load_nli(other_order, "cpu").classify([("tea", "milk")])[0].contradicted > 0.9
    two = make_model(tmp_path / "two", ["not_entailment", "entailment"], "not_entailment")
    found = load_nli(two, "cpu").classify([("tea", "milk")])[0]
    assert (found.entailed < 0.1, found.contradicted) == (True, 0.0)


def test_a_model_whose_labels_are_others_is_refused(tmp_path: Path) -> None:
    name = make_model(tmp_path / "mood", ["good", "bad", "so-so"], "good")
    with pytest.raises(Misconfigured, match="good, bad, so-so"):
        load_nli(name, "cpu")
    with pytest.raises(Misconfigured, match="nothing-here"):
        load_nli(str(tmp_path / "nothing-here"), "cpu")


async def test_entailment_lifts_what_was_weak(models: dict[str, str]) -> None:
    assert await verdicts(stage_of(models["neutral"]), WEAK) == ["weak"]
    assert await verdicts(stage_of(models["entailment"]), WEAK) == ["supported"]


async def test_contradiction_lowers_and_neither_changes_nothing(models: dict[str, str]) -> None:
    assert await verdicts(stage_of(models["contradiction"]), CLEAR) == ["unsupported"]
    assert await verdicts(stage_of(models["neutral"]), CLEAR) == ["supported"]


async def test_what_a_figure_or_a_quotation_decided_stays(models: dict[str, str]) -> None:
    assert await verdicts(stage_of(models["entailment"]), WRONG, FABRICATED) == ["unsupported"] * 2


async def test_a_better_passage_must_not_contradict(models: dict[str, str]) -> None:
    evidence = {1: "The tail of the comet is green.", 2: LAUNCH}
    for label, expected in (("entailment", ("misattributed", 2)), ("contradiction", ("unsupported", None))):
        found = await verifier(stage_of(models[label])).check(CLEAR, evidence)
        assert found is not None
        assert (found.sentences[0].verdict, found.sentences[0].better) == expected


async def test_the_check_of_any_text_asks_it_too(models: dict[str, str]) -> None:
    claim = ("We agreed to push the launch to March 10.", (0, 41))
    found, degraded = await verifier(stage_of(models["contradiction"])).ground(
        [claim], [NamedPassage("p", LAUNCH)]
    )
    assert (found[0].best.support, degraded) == ("unsupported", ())


class Slow:
    """A model that takes its time, and one that breaks as nobody foresaw."""

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    def classify(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        if self._error is not None:
            raise self._error
        np.ones((1500, 1500)) @ np.ones((1500, 1500))
        return [Entailment(1.0, 0.0)] * len(pairs)


def slow() -> PairClassifier:
    return Slow()


def broken() -> PairClassifier:
    return Slow(ZeroDivisionError())


def not_there() -> PairClassifier:
    return load_nli("/nothing-here", "cpu")


@pytest.mark.parametrize(("load", "timeout_s"), [(slow, 0.0001), (broken, 60.0), (not_there, 60.0)])
async def test_a_second_stage_that_fails_leaves_the_first_and_says_so(
    load: Callable[[], PairClassifier], timeout_s: float
) -> None:
    counted = metrics.DEGRADED.labels("verification_nli")
    before = counted._value.get()
    found = await verifier(EntailmentCheck(load, timeout_s)).check(f"{CLEAR} {WEAK}", {1: LAUNCH})
    assert found is not None
    assert ([one.verdict for one in found.sentences], found.degraded) == (["supported", "weak"], ("nli",))
    assert counted._value.get() == before + 1


def test_a_long_passage_is_read_around_its_nearest_sentence() -> None:
    passage = Premise(" ".join(f"Sentence number {n} is about topic{n} alone." for n in range(200)))
    read = excerpt(passage, Claim("Topic150 is alone."))
    assert "topic150" in read
    assert len(read) <= 1300
    assert excerpt(Premise(LAUNCH), Claim("anything")) == LAUNCH
    assert len(excerpt(Premise("a" * 9000), Claim("a"))) <= 2400


def test_one_passage_that_entails_outweighs_another_that_contradicts() -> None:
    held = combined(Holding("weak", 0.5), [Entailment(0.0, 0.95), Entailment(0.9, 0.0)])
    assert held.support == "supported"
