"""Chunks of one kind of text that are cut by limits of their own (spec 3.4)."""

import pytest
from pydantic import ValidationError

from footnote_ingest.chunking.chunk_draft import ChunkDraft
from footnote_ingest.chunking.chunk_limits import ChunkLimits
from footnote_ingest.chunking.cut_digest import cut_digest
from footnote_ingest.chunking.policies import VERSIONS
from footnote_ingest.chunking.split import chunk_document
from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.tasks.resources import chunk_limits_of
from footnote_shared.settings.base import Settings
from footnote_shared.settings.services import ChunkPolicy, PolicyName
from tests.unit.ingest.chunking.extracts import Piece, made_of
from tests.unit.ingest.chunking.test_split import words


def limits(**policies: ChunkPolicy) -> ChunkLimits:
    """Chunks of 20 tokens for a model that reads 64, special tokens included."""
    usual = ChunkLimits(size=20, overlap=0.2, limit=64)
    own: dict[PolicyName, ChunkLimits] = {
        name: ChunkLimits(policy.tokens or 20, policy.overlap or 0.0, 64, policy.whole)
        for name in VERSIONS
        if (policy := policies.get(name))
    }
    return ChunkLimits(usual.size, usual.overlap, usual.limit, by_policy=own)


def cut(counter: TokenCounter, chosen: ChunkLimits, *pieces: Piece, family: str = "md") -> list[ChunkDraft]:
    return chunk_document(made_of(*pieces, family=family), counter, chosen)


def code(lines: int) -> str:
    return "\n".join(f"call{n} one two" for n in range(lines))


def table(rows: int) -> str:
    return "\n".join(["| name | mark |", "|---|---|", *(f"| n{n} | {n} |" for n in range(rows))])


class TestASizeOfItsOwn:
    def test_is_for_this_kind_alone(self, counter: TokenCounter) -> None:
        own = limits(code=ChunkPolicy(tokens=40))
        pieces: list[Piece] = [("paragraph", words(60)), ("code", code(20))]
        chunks = cut(counter, own, *pieces)
        longest = {kind: max(c.tokens for c in chunks if c.kind == kind) for kind in ("paragraph", "code")}
        assert longest["paragraph"] <= 20 < longest["code"] <= 40

    def test_of_mail_is_for_all_that_a_mail_holds(self, counter: TokenCounter) -> None:
        chunks = cut(counter, limits(mail=ChunkPolicy(tokens=50)), ("paragraph", words(45)), family="eml")
        assert [chunk.tokens for chunk in chunks] == [45]

    def test_goes_with_an_overlap_of_its_own(self, counter: TokenCounter) -> None:
        chunks = cut(counter, limits(prose=ChunkPolicy(overlap=0.5)), ("paragraph", words(30)))
        assert [chunk.text.split()[0] for chunk in chunks] == ["w0", "w10"]


class TestWhole:
    @pytest.mark.parametrize(
        ("lines", "chunks"), [(20, 1), (21, 4)], ids=["the model takes it", "too long for it"]
    )
    def test_code_is_one_chunk_where_the_model_takes_it(
        self, counter: TokenCounter, lines: int, chunks: int
    ) -> None:
        found = cut(counter, limits(code=ChunkPolicy(whole=True)), ("code", code(lines)))
        assert len(found) == chunks

    def test_code_takes_its_heading_along(self, counter: TokenCounter) -> None:
        found = cut(counter, limits(code=ChunkPolicy(whole=True)), ("title", "Calls", 1), ("code", code(15)))
        assert [chunk.text.split("\n")[0] for chunk in found] == ["Calls"]

    def test_code_leaves_a_heading_for_which_there_is_no_room(self, counter: TokenCounter) -> None:
        found = cut(counter, limits(code=ChunkPolicy(whole=True)), ("title", words(5), 1), ("code", code(20)))
        assert [chunk.tokens for chunk in found] == [5, 60]

    def test_short_code_is_packed_as_ever_beside_long_code(self, counter: TokenCounter) -> None:
        pieces: list[Piece] = [("code", code(2)), ("code", code(3)), ("code", code(15)), ("code", code(1))]
        found = cut(counter, limits(code=ChunkPolicy(whole=True)), *pieces)
        assert [chunk.tokens for chunk in found] == [15, 45, 3]

    @pytest.mark.parametrize(("rows", "whole"), [(9, True), (12, False)])
    def test_a_table_is_one_chunk_where_the_model_takes_it(
        self, counter: TokenCounter, rows: int, *, whole: bool
    ) -> None:
        found = cut(counter, limits(table=ChunkPolicy(whole=True)), ("table", table(rows)))
        assert (len(found) == 1) is whole
        assert len(cut(counter, limits(), ("table", table(rows)))) > 1

    def test_a_table_takes_its_caption_along(self, counter: TokenCounter) -> None:
        pieces: list[Piece] = [("paragraph", "Table 3: marks of all"), ("table", table(7))]
        (found,) = cut(counter, limits(table=ChunkPolicy(whole=True)), *pieces)
        assert found.text.startswith("Table 3")
        assert found.text.endswith("| n6 | 6 |")


class TestTheSetting:
    def test_stands_in_for_what_holds_for_all(self, counter: TokenCounter) -> None:
        policies: dict[PolicyName, ChunkPolicy] = {
            "code": ChunkPolicy(tokens=999, overlap=0.0, whole=True),
            "list": ChunkPolicy(overlap=0.1),
        }
        found = chunk_limits_of(Settings(chunk_tokens=100, chunk_policies=policies), 256, counter)
        assert found.of("prose") is found
        assert found.of("code") == ChunkLimits(254, 0.0, 256, whole=True)
        assert found.of("list") == ChunkLimits(100, 0.1, 256)

    @pytest.mark.parametrize(
        "value",
        [
            '{"cod": {}}',
            '{"code": {"token": 3}}',
            '{"code": {"tokens": 4}}',
            '{"code": {"overlap": 1}}',
            "[]",
        ],
    )
    def test_that_means_nothing_is_refused(self, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FOOTNOTE_CHUNK_POLICIES", value)
        with pytest.raises(ValidationError):
            Settings()


class TestTheDigest:
    def test_is_the_same_for_the_same_settings(self) -> None:
        assert cut_digest(Settings()) == cut_digest(Settings())

    @pytest.mark.parametrize(
        "more",
        [
            {"chunk_tokens": 199},
            {"chunk_overlap": 0.1},
            {"chunk_policies": {"code": {"whole": True}}},
            {"chunk_policies": {"code": {"tokens": 300}}},
        ],
    )
    def test_follows_every_setting_by_which_text_is_cut(self, more: dict[str, object]) -> None:
        assert cut_digest(Settings.model_validate(more)) != cut_digest(Settings())

    def test_does_not_follow_other_settings(self) -> None:
        assert cut_digest(Settings(parse_timeout_s=7)) == cut_digest(Settings())
