"""Large signs of formulas, as TeX's extension font (cmex) draws them.

Few programs know the names of its glyphs, so a PDF says a letter for each: the integral in it is a `Z`.
The places of the signs are those of the OML and OMX encodings (The TeXbook, appendix F).
"""

import re
from collections.abc import Callable

_SIGNS = dict(zip("HIPQRSTUVWXYZpqrs", "∮∮∑∏∫⋃⋂⨄⋀⋁∑∏∫√√√√", strict=True))

# A limit may stand right behind its sign, as in "Pn"; a root stands alone.
_MAY_BE_SIGN = re.compile(r"(?<![^\W\d_])(?:[HIP-Z]|[p-s](?![^\W\d_]))")


def with_signs(text: str, is_sign: Callable[[int], bool]) -> str:
    """The text with the signs that its letters stand for, where `is_sign` says so of a place in it."""
    return _MAY_BE_SIGN.sub(lambda found: _SIGNS[found[0]] if is_sign(found.start()) else found[0], text)
