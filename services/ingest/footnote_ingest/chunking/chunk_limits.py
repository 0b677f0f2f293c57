"""How long chunks may be."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from footnote_shared.settings.services import PolicyName

SPECIAL_TOKENS = 2
"""What a model puts around a text: one token before it and one after it."""

_SHORTEST = 8
_MOST_OVERLAP = 0.5


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """Sizes in tokens.

    `size` is that of a chunk, and `overlap` is a share of it. `limit` is the model's, with special tokens.
    Raises ValueError for sizes that cannot work.

    `whole` keeps a table or a block of code in one chunk where the model can take it, though it is longer
    than `size`. `by_policy` has the limits of policies that differ.

    In the measurements that the specification rests on, 200 tokens with 20 % overlap covered the most gold
    text within a fixed context (spec 3.4).
    """

    size: int
    overlap: float
    limit: int
    whole: bool = False
    by_policy: Mapping[PolicyName, "ChunkLimits"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _SHORTEST <= self.size <= self.most:
            raise ValueError(f"size must lie between {_SHORTEST} and {self.most} tokens")
        if not 0 <= self.overlap <= _MOST_OVERLAP:
            raise ValueError(f"overlap must be a share between 0 and {_MOST_OVERLAP}")

    def of(self, policy: PolicyName) -> "ChunkLimits":
        """The limits for what this policy cuts."""
        return self.by_policy.get(policy, self)

    @property
    def most(self) -> int:
        """The longest text that the model can take."""
        return self.limit - SPECIAL_TOKENS

    @property
    def overlap_tokens(self) -> int:
        """How many tokens of a chunk the next one repeats, where text had to be divided."""
        return int(self.size * self.overlap)
