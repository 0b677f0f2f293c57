"""Which points of a block a filter matches."""

from collections.abc import Iterable

import numpy as np

from footnote_bridge.bodies import (
    Condition,
    FilterBody,
    HasIdConditionBody,
    IsEmptyConditionBody,
    MatchAnyBody,
    MatchConditionBody,
    RangeBody,
    RangeConditionBody,
)
from footnote_bridge.held_block import FIELDS, Bools, Coded, HeldBlock, Names, moment_of

Wanted = dict[int, list[int]]
"""The numbers of the values that a condition lists, by its identity. They are the same for every block."""

_MASKS_KEPT = 48
LONGEST_KEPT = 4_096
"""Characters of a filter whose masks are kept with the block. Longer ones list ids."""


def can_tell(body: FilterBody) -> bool:
    """Whether blocks hold all that the filter asks about."""
    return all(_can_tell(condition) for condition in _parts(body))


def mask_of(block: HeldBlock, text: str, body: FilterBody, names: Names, wanted: Wanted) -> Bools:
    """A point's place is True if the filter matches the point. The mask is shared: nobody changes it.

    `wanted` is filled for the next block, with what belongs to this search.
    """
    found = block.masks.get(text)
    if found is None:
        found = _filter(block, body, names, wanted)
        if len(text) <= LONGEST_KEPT:
            if len(block.masks) >= _MASKS_KEPT:
                block.masks.clear()
            block.masks[text] = found
    return found


def _parts(body: FilterBody) -> Iterable[Condition]:
    return (*(body.must or ()), *(body.should or ()), *(body.must_not or ()))


def _can_tell(condition: Condition) -> bool:
    match condition:
        case FilterBody():
            return can_tell(condition)
        case MatchConditionBody():
            return condition.key in FIELDS
        case IsEmptyConditionBody():
            return condition.is_empty.key in FIELDS
        case RangeConditionBody():
            bounds = _bounds(condition.range).values()
            return condition.key == "created_at" and not any(np.isnan(bound) for bound in bounds)
        case HasIdConditionBody():
            return True


def _filter(block: HeldBlock, body: FilterBody, names: Names, wanted: Wanted) -> Bools:
    found = np.ones(len(block), np.bool_)
    for condition in body.must or ():
        found &= _condition(block, condition, names, wanted)
    if body.should:
        some = np.zeros(len(block), np.bool_)
        for condition in body.should:
            some |= _condition(block, condition, names, wanted)
        found &= some
    for condition in body.must_not or ():
        found &= ~_condition(block, condition, names, wanted)
    return found


def _condition(block: HeldBlock, condition: Condition, names: Names, wanted: Wanted) -> Bools:
    match condition:
        case FilterBody():
            return _filter(block, condition, names, wanted)
        case MatchConditionBody(key=key):
            codes = wanted.get(id(condition))
            if codes is None:
                codes = wanted[id(condition)] = _codes(condition, names)
            column = block.fields[key]
            return _owners(block, column, np.isin(column.codes, codes))
        case IsEmptyConditionBody(is_empty=empty):
            column = block.fields[empty.key]
            return ~_owners(block, column, np.ones(len(column.codes), np.bool_))
        case RangeConditionBody(key=key, range=bounds):
            column = block.fields[key]
            return _owners(block, column, _within(names.moments()[column.codes], bounds))
        case HasIdConditionBody(has_id=ids):
            wanted_ids = set(ids)
            return np.fromiter((known in wanted_ids for known in block.ids), np.bool_, len(block))


def _codes(condition: MatchConditionBody, names: Names) -> list[int]:
    match = condition.match
    values = match.any if isinstance(match, MatchAnyBody) else [match.value]
    return [code for value in values if (code := names.find(condition.key, value)) >= 0]


def _owners(block: HeldBlock, column: Coded, matched: Bools) -> Bools:
    found = np.zeros(len(block), np.bool_)
    found[column.places[matched]] = True
    return found


def _within(moments: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]", body: RangeBody) -> Bools:
    found = ~np.isnan(moments)
    bounds = _bounds(body)
    if "gte" in bounds:
        found &= moments >= bounds["gte"]
    if "gt" in bounds:
        found &= moments > bounds["gt"]
    if "lte" in bounds:
        found &= moments <= bounds["lte"]
    if "lt" in bounds:
        found &= moments < bounds["lt"]
    return found


def _bounds(body: RangeBody) -> dict[str, float]:
    """Bounds in seconds since 1970; one that is no moment is no number."""
    return {name: moment_of(bound) for name, bound in body.model_dump(exclude_none=True).items()}
