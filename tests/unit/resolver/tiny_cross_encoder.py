"""Cross-encoders made on the spot, with random weights or with such that favour one label."""

import json
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

THREE = ["contradiction", "entailment", "neutral"]
_WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "tea", "milk", "sea", "cold", "warm"]


def make_model(folder: Path, labels: Sequence[str], favourite: str | None = None) -> str:
    """A folder that the real code loads.

    Its model gives one label to every pair; without a favourite, what it gives means nothing.
    """
    # Only the process that makes a model waits for torch, not every one that collects the tests.
    import torch
    from transformers import BertConfig, BertForSequenceClassification

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
    config = BertConfig.from_dict(
        {
            "hidden_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "intermediate_size": 16,
            "vocab_size": len(_WORDS),
            "max_position_embeddings": 64,
            "id2label": dict(enumerate(labels)),
            "label2id": {label: at for at, label in enumerate(labels)},
        }
    )
    torch.manual_seed(1)
    model = BertForSequenceClassification(config)
    if favourite is not None:
        biases = [4.0 if label == favourite else 0.0 for label in labels]
        with torch.no_grad():
            model.classifier.weight.zero_()
            model.classifier.bias.copy_(torch.tensor(biases))
    model.save_pretrained(folder)
    return str(folder)
