"""Which texts go through the model together.

A batch is padded to its longest text, so that texts of similar length belong together. Small batches stay in
the processor's cache. The budget counts padded tokens, because those are what the model computes.
"""

import math
from collections.abc import Sequence

PASS_TOKENS = 24
"""What a batch costs whatever it holds, in tokens.

One of a single text of 16 tokens takes onnxruntime as long as 27 tokens of a longer one do. A single text of
64 or more takes no longer, for each token, than eight of them.
"""

_TOGETHER = 192
"""Texts of no more tokens than these together, as eight questions have, are not shared out among threads."""


def length_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Positions of the texts, in groups whose size times their longest text stays within `budget`.

    Together they have as little padding as batches are worth. Every position is in exactly one group. A text
    that alone exceeds the budget is a group of its own. The longest texts come first, so that the runtime
    allocates its largest buffers only once.
    """
    order = _longest_first(lengths)
    widths = [max(1, lengths[position]) for position in order]
    # The least cost of the texts before each place, and the place where the last of their batches begins.
    costs = [0.0, *(math.inf for _ in order)]
    begins = [0] * len(costs)
    for begin, width in enumerate(widths):
        before = costs[begin] + PASS_TOKENS
        full = max(1, budget // width)
        for end in range(begin + 1, min(len(order), begin + full) + 1):
            # What a text would be padded by is more than what a batch costs that begins with it.
            if width - widths[end - 1] > PASS_TOKENS:
                break
            cost = before + width * (end - begin)
            if cost < costs[end]:
                costs[end], begins[end] = cost, begin
    batches: list[list[int]] = []
    end = len(order)
    while end:
        batches.append(order[begins[end] : end])
        end = begins[end]
    return batches[::-1]


def even_budget(lengths: Sequence[int], budget: int, at_once: int) -> int:
    """The tokens of one of `at_once` batches that have `budget` together, so that none of them waits long.

    It is an equal share of all tokens for each, in as few rounds as the budget allows, and half of the
    longest text, so that a share which texts do not fill to the last token leaves none of them over. Each
    core has a cache of its own: where that was 512 KiB, batches of half a budget of 1,024 took 0.9 of the
    processor time of whole ones. Eight questions at once stay together: a batch reads all weights of the
    model, which takes longer than to compute one of them.
    """
    tokens = sum(lengths)
    if tokens <= _TOGETHER:
        return max(1, budget // at_once)
    rounds = max(1, math.ceil(tokens / budget))
    share = math.ceil(tokens / (rounds * at_once)) + max(lengths, default=0) // 2
    return max(1, min(budget // at_once, share))


def _longest_first(lengths: Sequence[int]) -> list[int]:
    return sorted(range(len(lengths)), key=lambda position: -lengths[position])
