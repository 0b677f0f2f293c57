"""Numbers of pages as a reader names them: "2, 4-6"."""

from collections.abc import Iterable


def page_ranges(numbers: Iterable[int], most: int) -> str:
    """The numbers in their order, neighbours as one range; of more than `most` ranges the first are named."""
    ranges: list[list[int]] = []
    for number in sorted(set(numbers)):
        if ranges and ranges[-1][-1] == number - 1:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
    named = ", ".join("-".join(map(str, pages)) for pages in ranges[:most])
    return f"{named} and more" if len(ranges) > most else named
