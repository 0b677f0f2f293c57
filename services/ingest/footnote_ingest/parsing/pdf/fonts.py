"""What the name of a font tells: bold, of one width, slanted, in small capitals or without serifs."""

import re
from typing import NamedTuple

_LIBERTINE = r"(?:^|\+)lin(?:libertine|biolinum)"
_BOLD = re.compile(
    r"bold|black|heavy|semibd|demi|nimbus\w{0,12}-medi"
    r"|(?:^|\+)(?:cmb(?=x|\d)|cmssbx|lmbx|(?:ec|sf)(?:b[xil]|rb|s[xo]|xc)|ptmb|phvb)"
    rf"|{_LIBERTINE}m?[ot][bz]",
    re.I,
)
_MONO = re.compile(
    r"courier|mono(?!type)|nimbusmon|typewriter|consol|menlo|monaco|letter ?gothic|cmtt|cmsltt|cmitt|sftt"
    r"|sfst|ectt|ecst|lmtt|txtt|t1xb?tt|tcxb?tt|fixed|pcr[rb]|(?<!uni)code|mplus-?[12]mn?(?![a-z])|inconsolata"
    r"|anonymous ?pro|iosevka|cousine|texgyrecursor|qcr[rb]|(?:^|\+)hack-"
    rf"|(?:^|\+)(?:(?:ec|sf)(?:it|tc|vt)|cmvtt)|{_LIBERTINE}m[ot]",
    re.I,
)
_ITALIC = re.compile(
    r"(?<!dig)(?<!cap)ital|obli|slant|kursiv"
    r"|(?:^|\+)(?:cmti|cmsl|cmbxti|cmssi|(?:ec|sf)(?:ti|sl|si|so|b[il])|lmri|lmslant|ptmri|ptmro|phvro)"
    rf"|[a-z]-(?:bold)?it(?![a-z])|{_LIBERTINE}m?[ot][bz]?[io]",
    re.I,
)
_SMALL_CAPS = re.compile(r"smallcaps|[a-z]-sc\b|(?:^|\+)(?:cmcsc|sfcc|eccc|lmcsc|ptmrc)", re.I)
_SANS = re.compile(
    r"arial|helvet|sans|verdana|tahoma|frutiger|myriad|univers|calibri|nimbussan|(?:^|\+)(?:cmss|sfss|lmss|ecss|phv)",
    re.I,
)
_SIGNS = re.compile(r"(?:^|\+)cmex\d", re.I)
_LEAST_NAME = 4
"""A shorter name is one that a program counts its fonts by."""

_ITALIC_FLAG = 1 << 6
"""The bit of a font descriptor that says it is italic (ISO 32000-1, table 123)."""


class Font(NamedTuple):
    """How the letters of a font look; in a font of `signs` they are large signs of formulas.

    An `unnamed` one tells nothing of itself.
    """

    bold: bool
    mono: bool
    italic: bool
    small_caps: bool = False
    signs: bool = False
    unnamed: bool = False
    sans: bool = False

    @property
    def stands_out(self) -> bool:
        """Whether words in it stand out from plain text, as a heading does."""
        return (self.bold or self.italic) and not self.mono


def font_named(name: str, flags: int) -> Font:
    """The font with this name and these flags of its descriptor."""
    return Font(
        bold=_BOLD.search(name) is not None,
        mono=_MONO.search(name) is not None,
        italic=_ITALIC.search(name) is not None or bool(flags & _ITALIC_FLAG),
        small_caps=_SMALL_CAPS.search(name) is not None,
        signs=_SIGNS.search(name) is not None,
        unnamed=len(name) < _LEAST_NAME,
        sans=_SANS.search(name) is not None,
    )
