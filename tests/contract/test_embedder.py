"""The suite of every `Embedder`: the fake, and the bundled model on each runtime."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tokenizers import Tokenizer

from footnote_shared.embedding.load import load_embedder, load_tokenizer, token_limit, warm
from footnote_shared.embedding.protocol import Embedder, Vectors
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.base import Settings
from footnote_testing.fake_embedder import FakeEmbedder
from tests.model_cache import MODEL_CACHE

_TEXTS = [
    "Mitochondria are the power house of the cell.",
    "The boundary layer separates at the trailing edge of the wing.",
    "Invoices are due within thirty days.",
    "a",
    "Größe über 1,5 µm — naïve café; 数据库的索引。",
    "The warranty covers parts and labour for two years. " * 8,
]


def settings(**changes: object) -> Settings:
    return Settings.model_validate({"cache": MODEL_CACHE, **changes})


@pytest.fixture(scope="session")
def onnx() -> Embedder:
    return load_embedder(settings(embedding_runtime="onnx"))


@pytest.fixture(scope="session")
def openvino_bf16() -> Embedder:
    return load_embedder(settings(embedding_runtime="openvino-bf16"))


@pytest.fixture(scope="session")
def openvino_fp32() -> Embedder:
    return load_embedder(settings(embedding_runtime="openvino-fp32"))


@pytest.fixture(scope="session")
def torch() -> Embedder:
    """It has one thread, because the threads of torch wait for each other by computing."""
    return load_embedder(settings(embedding_runtime="torch", embedding_threads=1))


@pytest.fixture(scope="session", params=["fake", "onnx", "openvino_bf16", "openvino_fp32", "torch"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "fake":
        return FakeEmbedder()
    found: Embedder = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def vectors(embedder: Embedder) -> Vectors:
    """Those of the texts. To compute them takes longer than what most tests do with them."""
    return embedder.embed_documents(_TEXTS)


class TestVectors:
    def test_there_is_one_for_each_text_in_order(self, embedder: Embedder, vectors: Vectors) -> None:
        assert vectors.shape == (len(_TEXTS), embedder.dimension)
        assert vectors.dtype == np.float32
        for text, vector in zip(_TEXTS, vectors, strict=True):
            assert float(embedder.embed_documents([text])[0] @ vector) > 0.99999

    def test_their_length_is_one(self, embedder: Embedder, vectors: Vectors) -> None:
        both = np.concatenate([vectors, embedder.embed_queries(_TEXTS)])
        assert np.allclose(np.linalg.norm(both, axis=1), 1, atol=1e-5)

    def test_a_query_is_one_row_of_queries(self, embedder: Embedder) -> None:
        assert embedder.embed_query("power house").shape == (embedder.dimension,)
        assert np.allclose(embedder.embed_query("power house"), embedder.embed_queries(["power house"])[0])

    def test_no_texts_give_no_vectors(self, embedder: Embedder) -> None:
        assert embedder.embed_documents([]).shape == (0, embedder.dimension)
        assert embedder.embed_queries([]).shape == (0, embedder.dimension)

    def test_they_come_out_the_same_each_time(self, embedder: Embedder, vectors: Vectors) -> None:
        assert np.allclose(embedder.embed_documents(_TEXTS), vectors, atol=1e-6)

    def test_a_query_is_nearest_to_the_text_about_it(self, embedder: Embedder, vectors: Vectors) -> None:
        scores = vectors @ embedder.embed_query("invoices due within days")
        assert int(scores.argmax()) == 2

    def test_more_texts_than_are_tokenised_at_once_keep_their_order(self) -> None:
        embedder = FakeEmbedder()
        texts = [f"word{number} " * (number % 7 + 1) for number in range(1100)]
        assert np.array_equal(
            embedder.embed_documents(texts)[1050], embedder.embed_documents([texts[1050]])[0]
        )

    def test_they_are_computed_in_many_threads_at_once(self, embedder: Embedder, vectors: Vectors) -> None:
        with ThreadPoolExecutor(4) as pool:
            for found in pool.map(lambda _: embedder.embed_documents(_TEXTS), range(4)):
                assert np.allclose(found, vectors, atol=1e-5)


class TestHostileText:
    @pytest.mark.parametrize(
        "text", ["", " \n\t", "\x00", "\ud83d", "a\udfffb", "😀" * 3000, "x" * 100_000, "\u202e\u200b"]
    )
    def test_it_has_a_vector_like_any_other(self, embedder: Embedder, text: str) -> None:
        vector = embedder.embed_documents([text, "an ordinary neighbour"])[0]
        assert np.isfinite(vector).all()
        assert abs(float(vector @ vector) - 1) < 1e-4

    def test_text_beyond_the_limit_does_not_count(self, embedder: Embedder) -> None:
        filled = "word " * embedder.max_tokens
        assert np.allclose(
            embedder.embed_documents([filled]),
            embedder.embed_documents([filled + "mitochondria " * 50]),
            atol=1e-5,
        )


class TestTokenizer:
    def test_it_neither_cuts_nor_pads(self, embedder: Embedder) -> None:
        tokenizer = embedder.tokenizer
        assert len(tokenizer.encode("word " * 1000, add_special_tokens=False).ids) == 1000
        assert [
            len(found.ids)
            for found in tokenizer.encode_batch(["word", "word word"], add_special_tokens=False)
        ] == [1, 2]

    def test_a_text_of_as_many_tokens_as_the_limit_is_read_to_its_end(self, onnx: Embedder) -> None:
        words = onnx.max_tokens - 2
        whole = "word " * (words - 1)
        ends = onnx.embed_documents([whole + "cell", whole + "wing"])
        assert float(ends[0] @ ends[1]) < 0.9999


class TestPrefixes:
    def test_they_are_put_before_queries_and_documents(self, onnx: Embedder) -> None:
        prefixed = load_embedder(
            settings(
                embedding_runtime="onnx",
                embedding_query_prefix="query: ",
                embedding_document_prefix="passage: ",
            )
        )
        assert np.allclose(prefixed.embed_query("cells"), onnx.embed_query("query: cells"), atol=1e-5)
        assert np.allclose(
            prefixed.embed_documents(["cells"]), onnx.embed_documents(["passage: cells"]), atol=1e-5
        )

    def test_another_prefix_is_another_lane(self, onnx: Embedder) -> None:
        prefixed = load_embedder(settings(embedding_runtime="onnx", embedding_query_prefix="query: "))
        assert prefixed.fingerprint != onnx.fingerprint
        assert prefixed.fingerprint.revision == onnx.fingerprint.revision


class TestRuntimes:
    def test_all_give_the_same_vectors_under_the_same_fingerprint(
        self, onnx: Embedder, openvino_bf16: Embedder, openvino_fp32: Embedder, torch: Embedder
    ) -> None:
        expected = torch.embed_documents(_TEXTS)
        for runtime in (onnx, openvino_bf16, openvino_fp32):
            assert (runtime.embed_documents(_TEXTS) * expected).sum(axis=1).min() > 0.9999
            assert runtime.fingerprint == torch.fingerprint
        assert onnx.fingerprint.dimension == onnx.dimension == 384

    def test_the_tokenizer_comes_without_the_model(self, onnx: Embedder) -> None:
        alone: Tokenizer = load_tokenizer(settings())
        assert alone.to_str() == onnx.tokenizer.to_str()
        assert token_limit(settings()) == onnx.max_tokens == 256

    def test_services_of_one_process_share_one(self) -> None:
        with ThreadPoolExecutor(3) as pool:
            loaded = list(pool.map(lambda _: load_embedder(settings()), range(3)))
        assert loaded[0] is loaded[1] is loaded[2]

    def test_warming_again_is_no_work(self) -> None:
        warm(settings(), lambda _: None)
        said: list[str] = []
        assert warm(settings(), said.append) is False
        assert said == []

    def test_one_thread_and_tiny_batches_change_nothing(self, onnx: Embedder) -> None:
        slow = load_embedder(
            settings(embedding_runtime="onnx", embedding_threads=1, embedding_batch_tokens=64)
        )
        assert np.allclose(slow.embed_documents(_TEXTS), onnx.embed_documents(_TEXTS), atol=1e-5)

    def test_passages_are_embedded_many_at_a_time_and_a_query_by_all_threads_of_onnxruntime(self) -> None:
        """So they need a model each."""
        two, one = (
            settings(embedding_runtime="onnx", embedding_threads=count, embedding_rest_s=0)
            for count in (2, 1)
        )
        assert load_embedder(two, short=True) is not load_embedder(two)
        assert load_embedder(one, short=True) is load_embedder(one)

    def test_passages_and_queries_share_a_model_of_openvino(self) -> None:
        two = settings(embedding_runtime="openvino-fp32", embedding_threads=2, embedding_rest_s=0)
        assert load_embedder(two, short=True) is load_embedder(two)

    @pytest.mark.parametrize("runtime", ["onnx", "openvino-bf16"])
    def test_a_gpu_needs_torch(self, runtime: str) -> None:
        with pytest.raises(Misconfigured, match="torch"):
            load_embedder(settings(embedding_runtime=runtime, embedding_device="cuda"))

    def test_a_device_that_is_no_processor_gets_torch_by_itself(self) -> None:
        with pytest.raises(Misconfigured, match=r"cannot be loaded on tpu9"):
            load_embedder(settings(embedding_device="tpu9"))

    def test_a_device_that_is_not_there_is_misconfigured(self) -> None:
        with pytest.raises(Misconfigured, match="tpu9"):
            load_embedder(settings(embedding_runtime="torch", embedding_device="tpu9"))
