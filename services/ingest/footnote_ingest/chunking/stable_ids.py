"""Alignment of two versions of a document, so that chunks of unchanged text keep their ids (spec 3.5).

The alignment is a longest common subsequence of text hashes, found by the method of Hunt and Szymanski ("A
fast algorithm for computing longest common subsequences", CACM 20(5), 1977). If most texts are distinct, the
number r of matches is small, and a longest increasing subsequence over them takes O(r log n). If texts repeat
so often that r gets out of hand, the k-th occurrence in one version may only match the k-th occurrence in the
other, which bounds r by n.
"""

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Literal

_MAX_MATCHES = 400_000
"""More matches than these would take seconds."""

State = Literal["kept", "moved", "changed", "new"]


@dataclass(frozen=True, slots=True)
class OldChunk:
    """A chunk of the live version. Tombstones take no part in an alignment."""

    id: str
    text_hash: str
    ordinal: int


@dataclass(frozen=True, slots=True)
class AlignedChunk:
    """A chunk of the new version with its id.

    The text has to be embedded only if it is `changed` or `new`.
    """

    id: str
    text_hash: str
    ordinal: int
    state: State


@dataclass(frozen=True, slots=True)
class Alignment:
    """`chunks` are in the order of the new version.

    The ids in `removed` become tombstones; they are in their old order.
    """

    chunks: tuple[AlignedChunk, ...]
    removed: tuple[str, ...]


def align(old: Sequence[OldChunk], new: Sequence[str], make_id: Callable[[], str]) -> Alignment:
    """Give each text hash of the new version an id.

    Equal text keeps its id, in place (`kept`) or elsewhere (`moved`). A new text between the same neighbours
    as a chunk that is gone takes over the id of that chunk (`changed`); several such texts do so in order.
    All others are `new` and get their ids from `make_id`. Raises ValueError if an id would be given twice.
    """
    before = sorted(old, key=lambda chunk: chunk.ordinal)
    hashes = [chunk.text_hash for chunk in before]
    matches = _common(hashes, new)
    taken: dict[int, tuple[int, State]] = {j: (i, "kept") for i, j in matches}
    used = {i for i, _ in matches}
    for i, j in _moves(hashes, new, used, taken.keys()):
        taken[j] = (i, "moved")
        used.add(i)
    for i, j in _replacements(matches, used, taken.keys(), len(before), len(new)):
        taken[j] = (i, "changed")
        used.add(i)
    aligned: list[AlignedChunk] = []
    given: set[str] = {chunk.id for chunk in before}
    if len(given) != len(before):
        raise ValueError("two old chunks have the same id")
    for ordinal, text in enumerate(new):
        if ordinal in taken:
            i, state = taken[ordinal]
            aligned.append(AlignedChunk(before[i].id, text, ordinal, state))
            continue
        fresh = make_id()
        if fresh in given:
            raise ValueError(f"the id {fresh} was given before")
        given.add(fresh)
        aligned.append(AlignedChunk(fresh, text, ordinal, "new"))
    return Alignment(tuple(aligned), tuple(chunk.id for i, chunk in enumerate(before) if i not in used))


def _common(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The index pairs of a longest common subsequence, increasing on both sides."""
    head = 0
    while head < len(old) and head < len(new) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < len(old) - head and tail < len(new) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = _increasing(_candidates(old[head : len(old) - tail], new[head : len(new) - tail]))
    return [
        *((i, i) for i in range(head)),
        *((head + i, head + j) for i, j in middle),
        *((len(old) - tail + k, len(new) - tail + k) for k in range(tail)),
    ]


def _candidates(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, list[int]]]:
    """For each new index the old indices that it may match, in falling order, as the method needs them."""
    places: dict[str, list[int]] = defaultdict(list)
    for i, text in enumerate(old):
        places[text].append(i)
    total = sum(len(places[text]) for text in new if text in places)
    if total <= _MAX_MATCHES:
        return [(j, places[text][::-1]) for j, text in enumerate(new) if text in places]
    waiting = {text: deque(found) for text, found in places.items()}
    return [(j, [waiting[text].popleft()]) for j, text in enumerate(new) if waiting.get(text)]


def _increasing(candidates: Sequence[tuple[int, list[int]]]) -> list[tuple[int, int]]:
    """The longest chain of matches whose indices rise on both sides."""
    ends: list[int] = []
    links: list[int] = []
    nodes: list[tuple[int, int, int]] = []
    for j, places in candidates:
        for i in places:
            at = bisect_left(ends, i)
            if at < len(ends) and ends[at] == i:
                continue
            nodes.append((i, j, links[at - 1] if at else -1))
            if at == len(ends):
                ends.append(i)
                links.append(len(nodes) - 1)
            else:
                ends[at] = i
                links[at] = len(nodes) - 1
    chain: list[tuple[int, int]] = []
    node = links[-1] if links else -1
    while node >= 0:
        i, j, node = nodes[node]
        chain.append((i, j))
    return chain[::-1]


def _moves(old: Sequence[str], new: Sequence[str], used: set[int], taken: Set[int]) -> list[tuple[int, int]]:
    """The pairs of equal texts that are left over on both sides: these texts have moved."""
    waiting: dict[str, deque[int]] = defaultdict(deque)
    for i, text in enumerate(old):
        if i not in used:
            waiting[text].append(i)
    return [
        (waiting[text].popleft(), j) for j, text in enumerate(new) if j not in taken and waiting.get(text)
    ]


def _replacements(
    matches: Sequence[tuple[int, int]], used: set[int], taken: Set[int], old_size: int, new_size: int
) -> list[tuple[int, int]]:
    """Pair, in order, what is left over on both sides between two neighbouring matches."""
    pairs: list[tuple[int, int]] = []
    from_i = from_j = 0
    for to_i, to_j in [*matches, (old_size, new_size)]:
        gone = (i for i in range(from_i, to_i) if i not in used)
        come = (j for j in range(from_j, to_j) if j not in taken)
        pairs.extend(zip(gone, come, strict=False))
        from_i, from_j = to_i + 1, to_j + 1
    return pairs
