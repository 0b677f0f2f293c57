"""Cross-encoders made on the spot, with random weights or with such that favour one label."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

THREE = ["contradiction", "entailment", "neutral"]
_WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "tea", "milk", "sea", "cold", "warm"]
_WIDTH = 16


def make_model(folder: Path, labels: Sequence[str], favourite: str | None = None) -> str:
    """A folder that the real code loads.

    Its model gives one label to every pair; without a favourite, what it gives means nothing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(_WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    described = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 64, **special}
    (folder / "tokenizer_config.json").write_text(json.dumps(described))
    config = {
        "architectures": ["BertForSequenceClassification"],
        "model_type": "bert",
        "hidden_size": _WIDTH,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": _WIDTH,
        "vocab_size": len(_WORDS),
        "max_position_embeddings": 64,
        "id2label": dict(enumerate(labels)),
        "label2id": {label: at for at, label in enumerate(labels)},
    }
    (folder / "config.json").write_text(json.dumps(config))
    weights = _random_weights(len(labels))
    if favourite is not None:
        biases = [4.0 if label == favourite else 0.0 for label in labels]
        weights["classifier.weight"][:] = 0
        weights["classifier.bias"][:] = biases
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return str(folder)


def _random_weights(labels: int) -> dict[str, np.ndarray]:
    """The tensors of a BERT of one layer, by the names that transformers gives them.

    They are made without torch, whose import costs more than any test with such a model.
    """
    random = np.random.default_rng(1)

    def linear(name: str, outputs: int = _WIDTH) -> dict[str, np.ndarray]:
        weight = random.normal(0, 0.02, (outputs, _WIDTH)).astype(np.float32)
        return {f"{name}.weight": weight, f"{name}.bias": np.zeros(outputs, np.float32)}

    def norm(name: str) -> dict[str, np.ndarray]:
        return {
            f"{name}.weight": np.ones(_WIDTH, np.float32),
            f"{name}.bias": np.zeros(_WIDTH, np.float32),
        }

    embedded, layer = "bert.embeddings", "bert.encoder.layer.0"
    rows = {"word": len(_WORDS), "position": 64, "token_type": 2}
    return {
        **{
            f"{embedded}.{kind}_embeddings.weight": random.normal(0, 0.02, (n, _WIDTH)).astype(np.float32)
            for kind, n in rows.items()
        },
        **norm(f"{embedded}.LayerNorm"),
        **linear(f"{layer}.attention.self.query"),
        **linear(f"{layer}.attention.self.key"),
        **linear(f"{layer}.attention.self.value"),
        **linear(f"{layer}.attention.output.dense"),
        **norm(f"{layer}.attention.output.LayerNorm"),
        **linear(f"{layer}.intermediate.dense"),
        **linear(f"{layer}.output.dense"),
        **norm(f"{layer}.output.LayerNorm"),
        **linear("bert.pooler.dense"),
        **linear("classifier", labels),
    }
