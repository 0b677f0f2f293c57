"""A tokenizer that needs no files: words and marks, as the bundled one splits before it looks into words."""

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from footnote_ingest.chunking.token_counter import TokenCounter


@pytest.fixture(scope="session")
def counter() -> TokenCounter:
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return TokenCounter(tokenizer)
