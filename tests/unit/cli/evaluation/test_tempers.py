"""Scripted models of several tempers, and what is counted of their citations."""

import json
from pathlib import Path

import pytest

from footnote_cli.evaluation.citations import quantile_ms
from footnote_cli.evaluation.floors import broken, read_floors
from footnote_cli.evaluation.grade import behind, grade, shares
from footnote_cli.evaluation.question_set import Question, QuestionSet, covidqa, own_set
from footnote_cli.evaluation.tempers import Answer, Temper, shown_in, write
from footnote_shared.kernel.errors import InvalidRequest

SENTENCE = "However, the gull of Scarborough (a big one) steals 4 sandwiches from many people on the pier, which they report."
QUESTION = Question("How many does it steal?", "gull", "4 sandwiches from many people on the pier", SENTENCE)
GIVEN = QuestionSet({}, [QUESTION], ["The comet Halvorsen comes back every 71 years."], ["Halvorsen"])
PROMPT = (
    "<retrieved_context>\n"
    '<document title="Gulls" source="x" view="excerpt">\n'
    "[1] Gulls live by the sea.\nThey are white.\n"
    f"[2] {SENTENCE} It is old.\n"
    "§ Comets\n"
    "[3] Its tail is green.\n"
    "</document>\n</retrieved_context>"
)
SHOWN = shown_in(PROMPT, QUESTION)


def written(temper: Temper) -> Answer:
    answer = write(temper, QUESTION, SHOWN, GIVEN, 7)
    assert answer is not None
    return answer


def test_the_numbered_passages_of_a_prompt_are_read() -> None:
    assert SHOWN.passages == {
        1: "Gulls live by the sea.\nThey are white.",
        2: f"{SENTENCE} It is old.",
        3: "Its tail is green.",
    }
    assert SHOWN.right == (2,)


@pytest.mark.parametrize("temper", list(Temper))
def test_an_answer_is_the_same_for_the_same_seed_and_whole_when_put_together(temper: Temper) -> None:
    answer = written(temper)
    assert answer == written(temper)
    text = "".join(answer.pieces)
    for part in answer.parts:
        assert part.claim.text.rstrip(".") in text
        assert part.marker in text


@pytest.mark.parametrize(
    ("temper", "meant"),
    [(Temper.OBEDIENT, {2}), (Temper.SPLITTING, {2}), (Temper.LAZY, set()), (Temper.INVENTING, set()), (Temper.WRONG, {1, 3}), (Temper.UNSUPPORTED, set())],
)  # fmt: skip
def test_each_temper_cites_in_its_way(temper: Temper, meant: set[int]) -> None:
    parts = written(temper).parts
    assert {n for part in parts for n in part.meant} <= meant
    assert bool(meant) == any(part.meant for part in parts)
    assert all(part.claim.supported for part in parts) is (temper is not Temper.UNSUPPORTED)
    assert (sum(part.dropped for part in parts) > 0) is (temper is Temper.INVENTING)


def test_nothing_is_written_where_the_answer_was_not_shown() -> None:
    assert write(Temper.LAZY, QUESTION, shown_in("[1] Other.", QUESTION), GIVEN, 7) is None


def test_citations_belong_to_the_claim_before_them() -> None:
    parts = written(Temper.OBEDIENT).parts
    first, second, third = (part.claim.text for part in parts)
    text = f"{first[:-1]} [citation:2].\n\n{second} [citation:1][citation:3] {third}"
    assert behind(text, parts) == [(2,), (1, 3), ()]
    assert behind(f"{first} {third} [citation:1]", parts) == [(), None, (1,)]


def test_counts_of_what_arrived_what_was_injected_and_what_was_left() -> None:
    obedient, lazy, unsupported = (written(t) for t in (Temper.OBEDIENT, Temper.LAZY, Temper.UNSUPPORTED))
    texts = [part.claim.text for part in obedient.parts]
    half = grade(
        obedient, {"text": f"{texts[0]} [citation:2] {texts[1]} [citation:1] {texts[2]} [citation:2]"}
    )
    assert (half["meant"], half["arrived"], half["strange"], half["claims"], half["cited"]) == (3, 2, 1, 3, 3)
    texts = [part.claim.text for part in lazy.parts]
    some = grade(lazy, {"text": f"{texts[0]} [citation:2]\n\n{texts[1]} [citation:3] {texts[2]}"})
    assert (some["injected_right"], some["injected_wrong"], some["not_injected"]) == (1, 1, 1)
    assert shares(some)["recall"] == pytest.approx(1 / 3)
    texts = [part.claim.text for part in unsupported.parts]
    none = grade(unsupported, {"text": f"{texts[0]} [citation:2]\n\n{texts[1]}"})
    assert (none["unsupported"], none["left_uncited"]) == (2, 1)
    assert shares(none)["precision"] == 0


def test_what_injection_leaves_to_a_model_that_cites_is_not_counted_against_it() -> None:
    cites, silent = written(Temper.OBEDIENT).parts[0], written(Temper.LAZY).parts[1]
    text = f"{cites.claim.text} [citation:2]\n\n{silent.claim.text}"
    assert grade(Answer((text,), (cites, silent)), {"text": text})["injectable"] == 0
    assert grade(Answer((text,), (silent,)), {"text": text})["injectable"] == 1


def test_a_figure_below_its_floor_is_named(tmp_path: Path) -> None:
    file = tmp_path / "floors.json"
    file.write_text(
        '{"lazy": {"recall": {"least": 0.9}, "strange": {"most": 0}, "cited": {"least": 0}}, "wrong": {"cited": {"least": 1}}}'
    )
    found = broken({"lazy": {"recall": 0.8, "strange": 0.0}}, read_floors(file))
    assert found == ["lazy: recall is 0.800, less than 0.9", "lazy: cited was not measured"]
    file.write_text('{"lazy": {"recall": {"lest": 0.9}}}')
    with pytest.raises(InvalidRequest):
        read_floors(file)


def test_a_quantile_is_read_from_a_histogram() -> None:
    buckets = [(0.005, 50.0), (0.01, 90.0), (0.05, 100.0), (float("inf"), 100.0)]
    assert quantile_ms(buckets, 0.5) == 5.0
    assert quantile_ms(buckets, 0.7) == 7.5
    assert quantile_ms(buckets, 0.95) == 30.0
    assert quantile_ms([(0.005, 0.0), (float("inf"), 4.0)], 0.5) == 5.0


def test_questions_of_ones_own_come_from_a_file_beside_their_documents(tmp_path: Path) -> None:
    (tmp_path / "gull.txt").write_text(f"Gulls.\n\n{SENTENCE}\n\nIt is so.")
    file = tmp_path / "set.jsonl"
    rows = [
        {"question": "How many?", "document": "gull.txt", "answer": "4 sandwiches"},
        {"question": "Where?", "document": "gull.txt", "spans": [[10, 30]]},
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    found = own_set(file, 10, 7)
    assert {q.sentence for q in found.questions} == {SENTENCE}
    assert list(found.documents) == ["gull.txt"]


@pytest.mark.parametrize(
    "row",
    [{"question": "?", "document": "gone.txt", "answer": "x"}, {"question": "?", "document": "a.txt", "answer": "not there"}, {"question": "?", "document": "a.txt", "spans": [[5, 900]]}, {"document": "a.txt"}],
)  # fmt: skip
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, row: dict[str, object]) -> None:
    (tmp_path / "a.txt").write_text("Nothing much.")
    (tmp_path / "set.jsonl").write_text(json.dumps(row))
    with pytest.raises(InvalidRequest, match="Line 1"):
        own_set(tmp_path / "set.jsonl", 1, 7)


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "set.jsonl").write_text('{"question": ')
    with pytest.raises(InvalidRequest, match="Line 1"):
        own_set(tmp_path / "set.jsonl", 1, 7)


def test_a_missing_data_set_is_the_callers_fault(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="FOOTNOTE_DATASETS"):
        covidqa(tmp_path / "covidqa", 1, 1, 7)
