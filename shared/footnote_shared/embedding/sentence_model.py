"""The torch runtime: sentence-transformers itself, for a GPU, and as the reference for exports."""

from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from sentence_transformers import SentenceTransformer

from footnote_shared.embedding.embedder import Forward, Padded
from footnote_shared.embedding.model_files import ModelFiles
from footnote_shared.embedding.probes import PROBES
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.kernel.errors import Misconfigured


def load_sentence_model(
    folder: Path, max_tokens: int, device: str = "cpu", *, plain_attention: bool = False
) -> SentenceTransformer:
    """The model in float32, ready to run. Code in the folder is never executed.

    With `plain_attention` attention is computed by products and a softmax, step by step, instead of by
    torch's own fused function: for an export, whose runtimes know how to join these steps. Raises
    Misconfigured if the folder holds no model, or if the device is not there.
    """
    try:
        model = SentenceTransformer(
            str(folder),
            device=device,
            local_files_only=True,
            model_kwargs={
                "dtype": torch.float32,
                **({"attn_implementation": "eager"} if plain_attention else {}),
            },
        )
    except (OSError, ValueError, RuntimeError, AssertionError, SafetensorError) as error:
        reason = str(error).strip().splitlines()
        raise Misconfigured(
            f"The embedding model in {folder} cannot be loaded on {device}: "
            f"{reason[0] if reason else 'no reason given'}"
        ) from error
    model.max_seq_length = max_tokens
    model.eval()
    return model


def wants_token_types(model: SentenceTransformer) -> bool:
    """Whether the model tells a first text from a second. BERT does; RoBERTa, MPNet and DistilBERT do not."""
    return "token_type_ids" in model.tokenizer.model_input_names


def torch_forward(files: ModelFiles, device: str, threads: int) -> Forward:
    """Runs with torch on `cpu`, `cuda`, `cuda:1` or `mps`.

    `threads` counts only on the cpu, for the whole process; 0 leaves the choice to torch. Raises
    Misconfigured if sentence-transformers splits texts into other tokens than `files` does.
    """
    if threads and device == "cpu":
        torch.set_num_threads(threads)
    model = load_sentence_model(files.folder, files.max_tokens, device)
    encode = files.encoder()
    for probe in PROBES:
        if model.preprocess([probe])["input_ids"][0].tolist() != encode([probe])[0]:
            raise Misconfigured(
                f"The tokenizer.json of {files.name} does not fit the model. Choose another model."
            )
    types = wants_token_types(model)

    def forward(batch: Padded) -> Vectors:
        ids = torch.from_numpy(batch.ids).to(device)
        features = {"input_ids": ids, "attention_mask": torch.from_numpy(batch.mask).to(device)}
        if types:
            features["token_type_ids"] = torch.zeros_like(ids)
        with torch.inference_mode():
            pooled = model(features)["sentence_embedding"]
        return np.asarray(pooled.float().cpu().numpy(), dtype=np.float32)

    return forward
