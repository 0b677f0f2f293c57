"""Texts to measure with: of cranfield and covidqa where they are at hand, and texts made of a few words."""

import json
import random

from footnote_shared.settings.base import datasets_dir

WORDS = (
    "amber",
    "anchor",
    "basin",
    "canyon",
    "cobalt",
    "copper",
    "delta",
    "ember",
    "fjord",
    "glacier",
    "harbour",
    "island",
    "jetty",
    "kelp",
    "lagoon",
    "linen",
    "marble",
    "meadow",
    "nectar",
    "orchard",
    "prairie",
    "quarry",
    "river",
    "saffron",
    "summit",
    "tundra",
    "upland",
    "valley",
    "velvet",
    "willow",
    "yarrow",
    "zephyr",
)
# Each section becomes a chunk of its own.
SECTIONS = 200
_SEED = 7
_SECTION_WORDS = 12
_ABSTRACT_WORDS = 160
_SHORTEST_ABSTRACT = 100
_ARTICLE_PARAGRAPHS = 21


def abstracts(count: int) -> list[str]:
    """Abstracts of cranfield, over again where there are too few, or made texts of like length."""
    corpus = datasets_dir() / "cranfield" / "corpus.jsonl"
    if not corpus.is_file():
        chance = random.Random(_SEED)  # noqa: S311
        return [_paragraph(chance) for _ in range(count)]
    rows = [json.loads(line) for line in corpus.read_text().splitlines()]
    texts = [f"{row['title']}\n\n{row['text']}" for row in rows if len(row["text"]) > _SHORTEST_ABSTRACT]
    return [texts[i % len(texts)] + ("" if i < len(texts) else f"\n\nCopy {i}.") for i in range(count)]


def articles(count: int) -> list[str]:
    """Articles of covidqa, some 3,400 words each, over again where there are too few, or made ones."""
    corpus = datasets_dir() / "covidqa" / "corpus.jsonl"
    if not corpus.is_file():
        chance = random.Random(_SEED)  # noqa: S311
        return ["\n\n".join(_paragraph(chance) for _ in range(_ARTICLE_PARAGRAPHS)) for _ in range(count)]
    texts = [json.loads(line)["text"] for line in corpus.read_text().splitlines()]
    return [texts[i % len(texts)] + ("" if i < len(texts) else f"\n\nCopy {i}.") for i in range(count)]


def _paragraph(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=_ABSTRACT_WORDS)) + "."


def sectioned(number: int, chance: random.Random) -> str:
    """A Markdown text of `SECTIONS` short sections, none of them like another."""
    sections = []
    for section in range(SECTIONS):
        words = " ".join(chance.choices(WORDS, k=_SECTION_WORDS))
        sections.append(f"# Part {number} {section}\n\n{words} {chance.randrange(10**6)}.")
    return "\n\n".join(sections)
