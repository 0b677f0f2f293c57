"""Words without figures, names and opposites, to make texts that share as many as a test wants."""

_WORDS = """
lamp river stone cloud bridge garden winter copper basket candle feather harbour island jacket kettle ladder
marble needle orchard pepper quarry ribbon saddle tunnel umbrella valley window yard zebra anchor barrel
cabin desk engine fabric glove hammer ink jar knot lemon mirror nest oven piano quilt rope sail tent urn
vase wheel apple brick chalk dove eagle flute goose hinge ivory jug kiwi lily mango
"""
PLAIN = tuple(_WORDS.split())


def some(count: int, *, start: int = 0) -> str:
    """So many of the words."""
    return " ".join(PLAIN[start : start + count])


def other(count: int, text: str) -> str:
    """The text with so many words that `some` does not begin with."""
    return f"{text} {' '.join(PLAIN[-count:])}"
