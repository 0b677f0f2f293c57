"""Fitting a scale of the gate: which of two measures tells, and how much may be lost."""

from pathlib import Path

import pytest

from footnote_cli.evaluation.gate import AS_IT_IS, GateResult
from footnote_cli.evaluation.off_topic import read_off_topic
from footnote_cli.evaluation.scale_fit import (
    ANSWERABLE,
    GatedQuestion,
    fit_scale,
    insufficient_shares,
)
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.kernel.evidence_scale import Scale


def questions(kind: str, *passages: tuple[float, float]) -> list[GatedQuestion]:
    return [GatedQuestion(kind, f"{kind} {n}", ((*one, 0.0, 0.0),)) for n, one in enumerate(passages)]


def spread(low: float, high: float, count: int = 20) -> list[float]:
    return [low + (high - low) * n / (count - 1) for n in range(count)]


class TestFit:
    def test_leans_on_the_measure_that_tells(self) -> None:
        by_words = [
            *questions(ANSWERABLE, *zip(spread(0.1, 0.9), spread(0.6, 1.0), strict=True)),
            *questions("nonsense", *zip(spread(0.1, 0.9), spread(0.0, 0.4), strict=True)),
        ]
        scale = fit_scale(by_words)
        assert scale.words > 4 * scale.cosine
        assert insufficient_shares(by_words, scale) == {ANSWERABLE: pytest.approx(0.05), "nonsense": 1.0}

    def test_leans_on_a_reranker_that_tells(self) -> None:
        def reranked(kind: str, scores: list[float]) -> list[GatedQuestion]:
            return [GatedQuestion(kind, f"{kind} {n}", ((0.5, 0.5, 0.3, r),)) for n, r in enumerate(scores)]

        given = [*reranked(ANSWERABLE, spread(1.0, 6.0)), *reranked("near miss", spread(-6.0, 0.5))]
        scale = fit_scale(given)
        assert scale.rerank > 0
        assert insufficient_shares(given, scale) == {ANSWERABLE: pytest.approx(0.05), "near miss": 1.0}
        assert Scale.read(str(scale), reranked=True).rerank == pytest.approx(scale.rerank, rel=1e-3)
        misled = [*reranked(ANSWERABLE, spread(-6.0, 0.5)), *reranked("near miss", spread(1.0, 6.0))]
        assert fit_scale(misled).rerank == 0

    def test_loses_no_more_answers_than_it_may(self) -> None:
        mixed = [
            *questions(ANSWERABLE, *((c, 0.5) for c in spread(0.2, 0.8, 40))),
            *questions("near miss", *((c, 0.5) for c in spread(0.0, 0.6, 40))),
        ]
        for lost in (0.0, 0.05, 0.25):
            shares = insufficient_shares(mixed, fit_scale(mixed, lost))
            assert shares[ANSWERABLE] <= lost
        assert insufficient_shares(mixed, fit_scale(mixed, 0.25))["near miss"] > 0.5

    def test_counts_a_question_without_passages_as_insufficient(self) -> None:
        given = [*questions(ANSWERABLE, (0.8, 1.0), (0.9, 1.0)), *questions("nonsense", (0.1, 0.0))]
        scale = fit_scale(given, 0.0)
        assert insufficient_shares([GatedQuestion("nonsense", "", ())], scale) == {"nonsense": 1.0}

    def test_needs_questions_of_both_sorts(self) -> None:
        with pytest.raises(InvalidRequest):
            fit_scale(questions(ANSWERABLE, (0.8, 1.0)))


class TestResult:
    def test_says_what_the_gate_said_and_what_a_scale_says_of_questions_that_it_does_not_know(self) -> None:
        near = [*questions(ANSWERABLE, *[(0.8, 1.0)] * 20), *questions("nonsense", *[(0.1, 0.0)] * 20)]
        far = [*questions(ANSWERABLE, *[(0.3, 0.2)] * 20), *questions("nonsense", *[(0.1, 0.0)] * 20)]
        one = GateResult("one", near, [True] * 30 + [False] * 10)
        other = GateResult("other", far, [True] * 40)
        figures = one.figures([other])
        assert figures[AS_IT_IS] == {ANSWERABLE: 0.0, "nonsense": 0.5, "off topic": 0.5}
        assert figures["fitted on the other half"] == {ANSWERABLE: 0.0, "nonsense": 1.0, "off topic": 1.0}
        # What was fitted on questions that are easy to tell refuses what is answered with other words.
        assert other.figures([one])["fitted on the other sets"][ANSWERABLE] == 1.0


class TestOffTopic:
    def test_two_hundred_questions_come_with_footnote(self) -> None:
        kinds = [one.kind for one in read_off_topic("cranfield")]
        assert len(kinds) == 200
        assert {kind: kinds.count(kind) for kind in kinds} == {
            "other field": 90,
            "near miss": 40,
            "nonsense": 40,
            "greeting": 30,
        }

    def test_a_near_miss_of_another_set_is_another_field(self) -> None:
        aircraft = "What does the black box of an aircraft record?"
        kind_of = {
            name: {one.text: one.kind for one in read_off_topic(name)}
            for name in ("cranfield", "covidqa", "mine")
        }
        assert [kind_of[name][aircraft] for name in kind_of] == ["near miss", "other field", "other field"]

    @pytest.mark.parametrize("content", ["", "group = 1", '[[group]]\nkind = "x"\nquestions = []', "= ="])
    def test_a_file_without_groups_is_refused(self, content: str, tmp_path: Path) -> None:
        file = tmp_path / "mine.toml"
        file.write_text(content)
        with pytest.raises(InvalidRequest, match=r"mine\.toml"):
            read_off_topic("mine", file)
